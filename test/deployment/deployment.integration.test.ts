import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { buildProgram, createCli } from '../../src/cli/program.js'
import { loadConfig } from '../../src/config/load.js'
import { testFolder } from '../helpers/test-folder.js'
import { testIo } from '../helpers/test-io.js'

const read = (name: string) => readFileSync(resolve(import.meta.dirname, '../..', name), 'utf8')
const { version, bin } = JSON.parse(read('package.json')) as { version: string; bin: { quotekeeper: string } }

interface ComposeService {
  image: string
  command?: string[]
  depends_on?: Record<string, { condition: string }>
  environment?: Record<string, string>
  healthcheck: { test: string[]; disable?: boolean; start_period?: string }
  networks?: string[]
  network_mode?: string
  ports?: string[]
  profiles?: string[]
  restart: string
  secrets?: string[]
  tmpfs: string[]
  user: string
  volumes: string[]
}
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<'redis' | 'quotekeeper' | 'work' | 'backup', ComposeService>
  networks: Record<string, { internal?: boolean }>
  volumes: Record<string, object>
  secrets: Record<string, { file: string }>
}
const { redis, quotekeeper, work, backup } = compose.services
const services = Object.entries(compose.services)
const ours = { quotekeeper, work, backup }
const dockerfile = read('Dockerfile')
const stages = dockerfile.split(/^FROM /m)
const last = stages.at(-1) ?? ''
/** The configuration that docs/OPERATIONS.md gives for containers. */
const [, documented = ''] = /## Containers[\s\S]*?```yaml\n([\s\S]*?)```/.exec(read('docs/OPERATIONS.md')) ?? []

describe('docker-compose.yml', () => {
  it.each(services)('%s runs with limited privileges and resources, and a fixed version', (_name, service) => {
    expect(service).toMatchObject({
      init: true,
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      stop_grace_period: '40s',
      mem_limit: expect.any(String),
      cpus: expect.any(Number),
      pids_limit: expect.any(Number),
    })
    expect(service).not.toHaveProperty('privileged')
    expect(service.user).not.toMatch(/^(root|0)/)
    expect(service.tmpfs.every((mount) => mount.startsWith('/tmp:'))).toBe(true)
    expect(service.image).toMatch(/^[a-z]+:\d+\.\d+\.\d+/)
  })

  it('uses the image of this version for every process of Quotekeeper', () => {
    for (const { image } of Object.values(ours)) expect(image).toBe(`quotekeeper:${version}`)
  })

  it.each(Object.entries(ours))(
    '%s runs a command that exists, with options that exist',
    async (name, { command = [] }) => {
      expect(command[0]).toBe(name === 'quotekeeper' ? 'start' : name)
      const program = await buildProgram(createCli(testIo({}).io), () => true)
      expect(await parsedBy(program, command)).toEqual(command[0])
    },
  )

  it('keeps Redis on an internal network, with a password, persistent and without eviction', () => {
    expect(redis.ports).toBeUndefined()
    expect(redis.networks).toEqual(['queue'])
    expect(compose.networks.queue).toEqual({ internal: true })
    const command = redis.command?.join(' ')
    expect(command).toContain('--appendonly yes --appendfsync everysec')
    expect(command).toContain('--maxmemory-policy noeviction')
  })

  it('publishes the service on loopback only, and gives the backup no network', () => {
    expect(quotekeeper.ports).toEqual(['127.0.0.1:4780:4780'])
    expect([work.ports, backup.ports, backup.network_mode]).toEqual([undefined, undefined, 'none'])
  })

  it('contains no secret: each is a file that exists in the containers that use it', () => {
    const text = read('docker-compose.yml')
    expect(text).not.toMatch(/\$\{/)
    for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).toBe(`./secrets/${name}`)
    for (const [name, { secrets = [], command = [], environment = {}, healthcheck }] of services) {
      const used = JSON.stringify([command, environment, healthcheck]).matchAll(/\/run\/secrets\/(\w+)/g)
      for (const [, secret] of used) expect(secrets, name).toContain(secret)
      for (const secret of secrets) expect(compose.secrets).toHaveProperty(secret)
    }
    const referenced = [...documented.matchAll(/\/run\/secrets\/(\w+)/g)].map(([, secret]) => secret)
    expect([...referenced, 'redis_password'].sort()).toEqual(Object.keys(compose.secrets).sort())
    expect(read('.gitignore').split('\n')).toContain('/secrets/')
  })

  it('starts the service when Redis is ready, and shows readiness; workers show liveness', () => {
    expect(quotekeeper.depends_on).toEqual({ redis: { condition: 'service_healthy' } })
    expect(work.depends_on).toEqual({
      redis: { condition: 'service_healthy' },
      quotekeeper: { condition: 'service_started' },
    })
    expect(quotekeeper.healthcheck.test.join(' ')).toContain('http://127.0.0.1:4780/readyz')
    expect(work.healthcheck.test.join(' ')).toContain(`http://127.0.0.1:${work.command?.at(-1)}/healthz`)
    expect(backup).toMatchObject({ healthcheck: { disable: true }, restart: 'no', profiles: ['backup'] })
    expect([quotekeeper.restart, work.restart, redis.restart]).toEqual(Array(3).fill('unless-stopped'))
    expect(work.profiles).toEqual(['work'])
  })

  it('with the documented configuration: loads, listens where it is published, stores in the volume', () => {
    const folder = testFolder()
    mkdirSync(folder, { recursive: true })
    const inFolder = (text: string) => text.replaceAll('/run/secrets', folder)
    for (const name of Object.keys(compose.secrets)) writeFileSync(join(folder, name), `value-of-${name}\n`)
    writeFileSync(join(folder, 'quotekeeper.yaml'), inFolder(documented))
    const env = Object.fromEntries(
      Object.entries(quotekeeper.environment ?? {}).map(([name, value]) => [name, inFolder(value)]),
    )
    const config = loadConfig({ cwd: folder, env })
    expect(config.queue).toEqual({ kind: 'redis', url: 'redis://:value-of-redis_password@redis:6379' })
    expect(config.channels[0]?.apiKey).toBe('value-of-acme_api_key')
    expect(config.web).toMatchObject({ host: '0.0.0.0', port: 4780, token: 'value-of-web_token' })

    const mounts = Object.fromEntries(quotekeeper.volumes.map((volume) => volume.split(':').slice(0, 2).reverse()))
    const configFile = '/srv/quotekeeper/quotekeeper.yaml'
    expect(last).toContain(`ENV QUOTEKEEPER_CONFIG=${configFile}`)
    expect(mounts[configFile]).toBe('./quotekeeper.yaml')
    const inContainer = (path: string) => posix.join(dirname(configFile), path.slice(folder.length))
    for (const path of [config.database, config.reports.directory]) {
      const folders = Object.keys(mounts).filter((mount) => inContainer(path).startsWith(`${mount}/`))
      expect(folders).toEqual(['/srv/quotekeeper/data'])
    }
    expect(mounts['/srv/quotekeeper/data']).toBe('data')
    expect([work.volumes, work.environment]).toEqual([quotekeeper.volumes, quotekeeper.environment])
  })

  it('backs up to another volume than that of the data, into a folder of the image that its user owns', () => {
    expect(backup.volumes).toEqual([...quotekeeper.volumes, 'backups:/srv/quotekeeper/backups'])
    expect(backup.command?.[1]).toBe('/srv/quotekeeper/backups/')
    expect(Object.keys(compose.volumes).sort()).toEqual(['backups', 'data', 'queue'])
    expect(last).toContain('mkdir -p /srv/quotekeeper/data /srv/quotekeeper/backups')
    expect(last).toContain('chown -R node:node /srv/quotekeeper')
  })
})

/** The name of the command that accepts a command line, without running it. */
async function parsedBy(program: Command, line: readonly string[]): Promise<string | null> {
  let ran: string | null = null
  for (const command of program.commands)
    command.action(() => {
      ran = command.name()
    })
  await program.parseAsync([...line], { from: 'user' })
  return ran
}

describe('Dockerfile', () => {
  it('builds in one stage and runs in another, as an unprivileged user and without build tools', () => {
    expect(stages).toHaveLength(3)
    const images = stages.slice(1).map((stage) => stage.split(/\s/)[0])
    expect(images[0]).toMatch(/^node:24\.\d+\.\d+-/)
    expect(images[1]).toBe(images[0])
    expect(last).toMatch(/^USER node$/m)
    expect(last).not.toContain('apt-get')
  })

  it('starts the program that package.json declares, also by its name', () => {
    expect(last).toContain(`ENTRYPOINT ["node", "/app/${bin.quotekeeper}"]`)
    expect(last).toContain(`ln -s /app/${bin.quotekeeper} /usr/local/bin/quotekeeper`)
    expect(last).toContain(`chmod 0755 /app/${bin.quotekeeper}`)
    expect(read('src/cli/main.ts')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })

  it('reports liveness, so that nothing restarts it while the queue is down', () => {
    expect(last).toMatch(/HEALTHCHECK[\s\S]*\/healthz/)
  })

  it('copies only what .dockerignore allows', () => {
    const allowed = read('.dockerignore')
      .match(/^!.*$/gm)
      ?.map((line) => line.slice(1))
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap((match) => match[1]?.split(' '))
    expect(copied.filter((name) => !allowed?.includes(name ?? ''))).toEqual([])
  })
})
