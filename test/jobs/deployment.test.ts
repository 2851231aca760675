import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const read = (name: string) => readFileSync(resolve(import.meta.dirname, '../..', name), 'utf8')

interface ComposeService {
  command?: string[]
  healthcheck: { test: unknown[] }
  networks: string[]
  ports?: string[]
  tmpfs: string[]
  user: string
  volumes: string[]
  [key: string]: unknown
}
const compose = parse(read('docker-compose.yml')) as {
  services: { redis: ComposeService; quotekeeper: ComposeService }
  networks: Record<string, { internal?: boolean }>
}
const { redis, quotekeeper } = compose.services

describe('docker-compose.yml', () => {
  it.each(Object.entries(compose.services))('%s runs with limited privileges and resources', (_name, service) => {
    expect(service).toMatchObject({
      init: true,
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      stop_grace_period: '40s',
      restart: 'unless-stopped',
      mem_limit: expect.any(String),
      cpus: expect.any(Number),
      pids_limit: expect.any(Number),
    })
    expect(service.user).not.toMatch(/^(root|0)/)
    expect(service.tmpfs.every((mount) => mount.startsWith('/tmp:'))).toBe(true)
    expect(service.healthcheck.test.every((word) => typeof word === 'string')).toBe(true)
  })

  it('keeps Redis on an internal network, with a password, persistent and without eviction', () => {
    expect(redis.ports).toBeUndefined()
    expect(redis.networks).toEqual(['queue'])
    expect(compose.networks.queue).toEqual({ internal: true })
    const command = redis.command?.join(' ')
    expect(command).toContain('--appendonly yes --appendfsync everysec')
    expect(command).toContain('--maxmemory-policy noeviction')
    expect(command).toContain('requirepass "$$REDIS_PASSWORD"')
  })

  it('publishes the service on loopback only, and contains no secret', () => {
    expect(quotekeeper.ports).toEqual(['127.0.0.1:4780:4780'])
    const passwords = read('docker-compose.yml').match(/\$\{REDIS_PASSWORD(:\?)?/g)
    expect(passwords).toHaveLength(2)
    expect(passwords?.every((reference) => reference.endsWith(':?'))).toBe(true)
  })

  it('mounts the data folder where the configuration expects ./data', () => {
    const paths = quotekeeper.volumes.map((volume) => volume.split(':')[1])
    expect(paths).toEqual(['/srv/quotekeeper/quotekeeper.yaml', '/srv/quotekeeper/data'])
    expect(read('Dockerfile')).toContain(`ENV QUOTEKEEPER_CONFIG=${paths[0]}`)
  })
})

describe('Dockerfile', () => {
  const stages = read('Dockerfile').split(/^FROM /m)
  const last = stages.at(-1) ?? ''

  it('builds in one stage and runs in another, as an unprivileged user and without build tools', () => {
    expect(stages).toHaveLength(3)
    expect(stages.slice(1).every((stage) => stage.startsWith('node:24-'))).toBe(true)
    expect(last).toMatch(/^USER node$/m)
    expect(last).not.toContain('apt-get')
  })

  it('starts the program that package.json declares', () => {
    const { bin } = JSON.parse(read('package.json')) as { bin: { quotekeeper: string } }
    expect(last).toContain(`ENTRYPOINT ["node", "/app/${bin.quotekeeper}"]`)
  })

  it('copies only what .dockerignore allows', () => {
    const allowed = read('.dockerignore')
      .match(/^!.*$/gm)
      ?.map((line) => line.slice(1))
    const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap((match) =>
      match[1]?.split(' '),
    )
    expect(copied.filter((name) => !allowed?.includes(name ?? ''))).toEqual([])
  })
})
