import { readFileSync, writeFileSync } from 'node:fs'
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
  deploy?: object
  environment?: Record<string, string>
  healthcheck: { test: string[] }
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
interface Compose {
  services: Record<'redis' | 'quotekeeper' | 'work' | 'backup', ComposeService> & { postgres?: ComposeService }
  networks: Record<string, { internal?: boolean }>
  volumes: Record<string, object>
  secrets: Record<string, { file: string }>
}
const composeOf = (name: string) => parse(read(name), { merge: true }) as Compose
const single = composeOf('docker-compose.yml')
const cluster = composeOf('compose.cluster.yaml')

const dockerfile = read('Dockerfile')
const stages = dockerfile.split(/^FROM /m)
const last = stages.at(-1) ?? ''
/** The configuration that docs/OPERATIONS.md gives for containers. */
const [, documented = ''] = /## Containers[\s\S]*?```yaml\n([\s\S]*?)```/.exec(read('docs/OPERATIONS.md')) ?? []

/** The documented configuration as the service of a Compose file reads it; the folder stands for that of the secrets. */
function loadDocumented({ secrets, services }: Compose) {
  const folder = testFolder()
  const inFolder = (text: string) => text.replaceAll('/run/secrets', folder)
  for (const name of Object.keys(secrets)) writeFileSync(join(folder, name), `value-of-${name}\n`)
  writeFileSync(join(folder, 'quotekeeper.yaml'), inFolder(documented))
  const environment = Object.entries(services.quotekeeper.environment ?? {})
  const env = Object.fromEntries(environment.map(([name, value]) => [name, inFolder(value)]))
  return { folder, config: loadConfig({ cwd: folder, env }) }
}

describe.each([
  ['docker-compose.yml', single, 'queue'],
  ['compose.cluster.yaml', cluster, 'servers'],
])('%s', (file, compose, network) => {
  const { redis, quotekeeper, work, backup, postgres } = compose.services
  const services = Object.entries(compose.services)

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
      user: expect.stringMatching(/^(node|redis|postgres)$/),
      image: expect.stringMatching(/^[a-z]+:\d+\.\d+/),
    })
    expect(service).not.toHaveProperty('privileged')
    expect(service.tmpfs.every((mount) => /^\/(tmp|var\/run\/postgresql):/.test(mount))).toBe(true)
  })

  it('publishes the pages only, on loopback, and has Redis and PostgreSQL on an internal network', () => {
    expect(services.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`))).toEqual([
      'quotekeeper 127.0.0.1:4780:4780',
    ])
    for (const server of [redis, ...(postgres ? [postgres] : [])]) expect(server.networks).toEqual([network])
    expect(compose.networks[network]).toEqual({ internal: true })
  })

  it('contains no secret: each is a file that exists in the containers that use it', () => {
    expect(read(file)).not.toMatch(/\$\{/)
    for (const [name, secret] of Object.entries(compose.secrets)) expect(secret.file).toBe(`./secrets/${name}`)
    for (const [name, service] of services) {
      for (const [, secret] of JSON.stringify(service).matchAll(/\/run\/secrets\/(\w+)/g))
        expect(service.secrets, name).toContain(secret)
      for (const secret of service.secrets ?? []) expect(compose.secrets).toHaveProperty(secret)
    }
    for (const [, secret] of documented.matchAll(/\/run\/secrets\/(\w+)/g))
      expect(compose.secrets).toHaveProperty(secret as string)
    expect(read('.gitignore').split('\n')).toContain('/secrets/')
  })

  it('declares the volumes that are mounted, and mounts files that exist', () => {
    const sources = new Set(services.flatMap(([, { volumes }]) => volumes.map((each) => each.split(':')[0] as string)))
    const names = [...sources].filter((source) => !source.startsWith('.'))
    expect(names.sort()).toEqual(Object.keys(compose.volumes).sort())
    for (const source of sources) if (source.startsWith('./docs')) expect(read(source)).not.toBe('')
  })

  it('has one process that schedules, when its servers are ready, and workers that differ in their command', () => {
    const healthy = { condition: 'service_healthy' }
    const ready = { ...(postgres && { postgres: healthy }), redis: healthy }
    expect(quotekeeper.depends_on).toEqual(ready)
    expect(work.depends_on).toEqual({ ...ready, quotekeeper: { condition: 'service_started' } })
    expect([work.volumes, work.environment, work.secrets]).toEqual([
      ...[quotekeeper.volumes, quotekeeper.environment, quotekeeper.secrets],
    ])
    expect([quotekeeper.deploy, quotekeeper.profiles]).toEqual([undefined, undefined])
    expect([quotekeeper.restart, work.restart, redis.restart]).toEqual(Array(3).fill('unless-stopped'))
    expect(backup).toMatchObject({ healthcheck: { disable: true }, restart: 'no', profiles: ['backup'] })
    // Readiness is that of all processes together, so workers show liveness.
    expect(quotekeeper.healthcheck.test.join(' ')).toContain('http://127.0.0.1:4780/readyz')
    expect(work.healthcheck.test.join(' ')).toContain(`http://127.0.0.1:${work.command?.at(-1)}/healthz`)
  })

  it('runs commands of this version that exist, with options that exist', async () => {
    const ours = services.filter(([, { image }]) => image.startsWith('quotekeeper'))
    expect(ours.map(([name, { command }]) => `${name} ${command?.[0]}`)).toEqual(
      expect.arrayContaining(['quotekeeper start', 'work work']),
    )
    for (const [, { image, command = [] }] of ours) {
      expect(image).toBe(`quotekeeper:${version}`)
      expect(await parsedBy(await buildProgram(createCli(testIo().io), () => true), command)).toBe(command[0])
    }
  })

  it('has a configuration that loads, with the passwords of its servers', () => {
    const { config } = loadDocumented(compose)
    expect(config.queue).toEqual({ kind: 'redis', url: 'redis://:value-of-redis_password@redis:6379' })
    expect(config.channels[0]?.apiKey).toBe('value-of-acme_api_key')
    expect(config.web).toMatchObject({ host: '0.0.0.0', port: 4780, token: 'value-of-web_token' })
    if (postgres)
      expect(config.database).toBe('postgres://quotekeeper:value-of-postgres_password@postgres:5432/quotekeeper')
  })
})

it('docker-compose.yml stores in the volume of the data', () => {
  const { folder, config } = loadDocumented(single)
  const mounts = Object.fromEntries(
    single.services.quotekeeper.volumes.map((volume) => volume.split(':').slice(0, 2).reverse()),
  )
  const configFile = '/srv/quotekeeper/quotekeeper.yaml'
  expect(last).toContain(`ENV QUOTEKEEPER_CONFIG=${configFile}`)
  expect(mounts[configFile]).toBe('./quotekeeper.yaml')
  const inContainer = (path: string) => posix.join(dirname(configFile), path.slice(folder.length))
  for (const path of [config.database, config.reports.directory]) {
    const folders = Object.keys(mounts).filter((mount) => inContainer(path).startsWith(`${mount}/`))
    expect(folders).toEqual(['/srv/quotekeeper/data'])
  }
  expect(mounts['/srv/quotekeeper/data']).toBe('data')
})

describe('compose.cluster.yaml', () => {
  const { postgres, work, backup } = cluster.services
  /** What differs on purpose: where data is, which servers there are. */
  const own = ['environment', 'secrets', 'volumes', 'networks', 'depends_on', 'profiles', 'deploy']
  const common = (service: ComposeService) =>
    Object.fromEntries(Object.entries(service).filter(([key]) => !own.includes(key)))

  it.each(['redis', 'quotekeeper', 'work'] as const)('runs %s as docker-compose.yml does', (name) => {
    expect(common(cluster.services[name])).toEqual(common(single.services[name]))
  })

  it('leaves room for the connections of the workers that it names', () => {
    const [, most] = /max_connections=(\d+)/.exec(JSON.stringify(postgres?.command)) ?? []
    const [, workers] = /enough for (\d+) workers/.exec(read('compose.cluster.yaml')) ?? []
    const [, ofStart, ofWork] = /a `start` makes at most (\d+), a `work` (\d+)/.exec(read('docs/OPERATIONS.md')) ?? []
    // Three are for superusers.
    expect(Number(ofStart) + Number(workers) * Number(ofWork)).toBeLessThanOrEqual(Number(most) - 3)
    expect([work.deploy, backup.networks]).toEqual([{ replicas: 2 }, ['servers']])
    expect(postgres?.secrets).toContain('postgres_password') // That docs/ops/create-database.sql reads.
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
  it('starts the program that package.json declares, also by its name, and reports liveness', () => {
    expect(last).toContain(`ENTRYPOINT ["node", "/app/${bin.quotekeeper}"]`)
    expect(last).toContain(`ln -s /app/${bin.quotekeeper} /usr/local/bin/quotekeeper`)
    expect(last).toContain(`chmod 0755 /app/${bin.quotekeeper}`)
    expect(read('src/cli/main.ts')).toMatch(/^#!\/usr\/bin\/env node\n/)
    expect(last).toMatch(/HEALTHCHECK[\s\S]*\/healthz/)
  })

  it('copies only what .dockerignore allows', () => {
    const lines = read('.dockerignore').split('\n')
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap((match) => match[1]?.split(' '))
    expect(copied.filter((name) => !lines.includes(`!${name}`))).toEqual([])
  })
})
