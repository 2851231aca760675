import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/load.js'
import { testFolder } from '../helpers/test-folder.js'

const read = (name: string) => readFileSync(resolve(import.meta.dirname, '../..', name), 'utf8')
type Service = Record<string, unknown> & { networks: string[]; volumes: string[]; secrets: string[] }
interface Compose {
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean }>
  volumes: Record<string, object>
  secrets: Record<string, { file: string }>
}
const parseCompose = (name: string) => parse(read(name), { merge: true }) as Compose
const single = parseCompose('docker-compose.yml')
const cluster = parseCompose('compose.cluster.yaml')
const { postgres, redis, quotekeeper, work, backup } = cluster.services as Record<string, Service>

/** What differs on purpose: where data is, which servers there are. */
const OWN = ['environment', 'secrets', 'volumes', 'networks', 'depends_on', 'profiles', 'deploy']
const common = (service: Service | undefined) =>
  Object.fromEntries(Object.entries(service ?? {}).filter(([key]) => !OWN.includes(key)))

describe('compose.cluster.yaml', () => {
  it.each(['redis', 'quotekeeper', 'work'])('runs %s as docker-compose.yml does', (name) => {
    expect(common(cluster.services[name])).toEqual(common(single.services[name]))
  })

  it('runs every container with limited privileges and resources, and a fixed version', () => {
    for (const [name, service] of Object.entries(cluster.services)) {
      expect(service, name).toMatchObject({
        ...{ init: true, read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
        ...{ mem_limit: expect.any(String), cpus: expect.any(Number), pids_limit: expect.any(Number) },
        image: expect.stringMatching(/^[a-z]+:\d+\.\d+/),
        user: expect.stringMatching(/^(node|redis|postgres)$/),
      })
    }
  })

  it('publishes the pages only, on loopback, and has the servers on an internal network', () => {
    const ports = Object.entries(cluster.services).flatMap(([name, service]) => (service.ports ? [name] : []))
    expect(ports).toEqual(['quotekeeper'])
    expect([postgres?.networks, redis?.networks, backup?.networks]).toEqual(Array(3).fill(['servers']))
    expect(cluster.networks.servers).toEqual({ internal: true })
  })

  it('has one process that schedules, and workers that differ in their command only', () => {
    expect([work?.environment, work?.volumes, work?.secrets]).toEqual([
      quotekeeper?.environment,
      quotekeeper?.volumes,
      quotekeeper?.secrets,
    ])
    expect([quotekeeper?.deploy, quotekeeper?.profiles, work?.profiles]).toEqual([undefined, undefined, undefined])
    expect(work?.deploy).toEqual({ replicas: 2 })
    for (const service of [quotekeeper, work])
      expect(service?.depends_on).toMatchObject({
        postgres: { condition: 'service_healthy' },
        redis: { condition: 'service_healthy' },
      })
  })

  it('leaves room for the connections of the workers that it names', () => {
    const [, most] = /max_connections=(\d+)/.exec(JSON.stringify(postgres?.command)) ?? []
    const [, workers] = /enough for (\d+) workers/.exec(read('compose.cluster.yaml')) ?? []
    const [, ofStart, ofWork] = /a `start` makes at most (\d+), a `work` (\d+)/.exec(read('docs/OPERATIONS.md')) ?? []
    // Three are for superusers.
    expect(Number(ofStart) + Number(workers) * Number(ofWork)).toBeLessThanOrEqual(Number(most) - 3)
  })

  it('contains no secret: each is a file that exists in the containers that use it, and a volume has each of its mounts', () => {
    expect(read('compose.cluster.yaml')).not.toMatch(/\$\{/)
    for (const [name, { file }] of Object.entries(cluster.secrets)) expect(file).toBe(`./secrets/${name}`)
    for (const [name, service] of Object.entries(cluster.services)) {
      for (const [, secret] of JSON.stringify(service).matchAll(/\/run\/secrets\/(\w+)/g))
        expect(service.secrets, name).toContain(secret)
      for (const secret of service.secrets) expect(cluster.secrets).toHaveProperty(secret)
      const volumes = service.volumes.map((volume) => volume.split(':')[0] as string)
      for (const volume of volumes.filter((source) => !source.startsWith('.')))
        expect(cluster.volumes).toHaveProperty(volume)
      for (const file of volumes.filter((source) => source.startsWith('./docs'))) expect(read(file)).not.toBe('')
    }
    expect(postgres?.secrets).toContain('postgres_password') // That docs/ops/create-database.sql reads.
  })

  it('gives the processes a configuration that loads, with the passwords of both servers', () => {
    const folder = testFolder()
    mkdirSync(folder, { recursive: true })
    const inFolder = (text: string) => text.replaceAll('/run/secrets', folder)
    const [, documented = ''] = /## Containers[\s\S]*?```yaml\n([\s\S]*?)```/.exec(read('docs/OPERATIONS.md')) ?? []
    for (const name of Object.keys(cluster.secrets)) writeFileSync(join(folder, name), `value-of-${name}\n`)
    writeFileSync(join(folder, 'quotekeeper.yaml'), inFolder(documented))
    const env = Object.fromEntries(
      Object.entries((quotekeeper?.environment ?? {}) as Record<string, string>).map(([key, value]) => [
        key,
        inFolder(value),
      ]),
    )
    const config = loadConfig({ cwd: folder, env })
    expect(config.database).toBe('postgres://quotekeeper:value-of-postgres_password@postgres:5432/quotekeeper')
    expect(config.queue).toEqual({ kind: 'redis', url: 'redis://:value-of-redis_password@redis:6379' })
  })
})
