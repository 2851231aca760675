import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { createRunner } from '../../jobs/service.js'
import { loadConfig } from '../../src/config/load.js'
import { recordingLog } from '../helpers/recording-log.js'
import { freePort, redisSkipReason } from '../helpers/servers/private-redis.js'
import { testFolder } from '../helpers/test-folder.js'

const compose = parse(readFileSync(resolve(import.meta.dirname, '../../docker-compose.yml'), 'utf8'), { merge: true })
const PASSWORD = 'a-password: 0123456789/abc?d#e@f%20g'

describe.skipIf(redisSkipReason !== null)('the Redis of docker-compose.yml', () => {
  it('requires the password of its secret file, which is not in the process list, and serves our queue', async () => {
    const folder = testFolder()
    mkdirSync(join(folder, 'data'), { recursive: true })

    writeFileSync(join(folder, 'redis_password'), `${PASSWORD}\n`)
    const port = await freePort()
    const script = (compose.services.redis.command[2] as string)
      .replaceAll('$$', '$')
      .replaceAll('/run/secrets', folder)
      .replace('redis-server -', `redis-server - --port ${port} --bind 127.0.0.1`)
      .replace('--dir /data', `--dir ${join(folder, 'data')}`)
    const server = spawn('sh', ['-c', script], { stdio: 'ignore' })
    onTestFinished(() => void server.kill('SIGKILL'))
    const client = new Redis({ port, password: PASSWORD, retryStrategy: () => 50, maxRetriesPerRequest: null })
    client.on('error', () => undefined)
    onTestFinished(() => client.disconnect())
    expect(await client.ping()).toBe('PONG')
    expect(await client.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction'])
    expect(readFileSync(`/proc/${server.pid}/cmdline`, 'latin1')).not.toContain('a-password')
    const stranger = new Redis({ port, retryStrategy: () => null, maxRetriesPerRequest: 0 })
    stranger.on('error', () => undefined)
    await expect(stranger.get('x')).rejects.toThrow('NOAUTH')
    stranger.disconnect()

    writeFileSync(
      join(folder, 'quotekeeper.yaml'),
      'baseUrl: https://marketplace.example.com\nchannels: [{ org: a, channel: b, apiKey: { env: KEY }, autoClose: off }]\n',
    )
    const { queue } = loadConfig({
      cwd: folder,
      env: {
        KEY: 'key-of-a',
        QUOTEKEEPER_QUEUE: `redis://127.0.0.1:${port}`,
        QUOTEKEEPER_QUEUE_PASSWORD_FILE: join(folder, 'redis_password'),
      },
    })
    const runner = await createRunner(queue, { database: 'a', log: recordingLog() })
    expect(await runner.load()).toMatchObject({ waiting: 0 })
    await runner.close(1000)
  })
})
