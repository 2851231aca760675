import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createBullRunner } from '../../../jobs/queue/bullmq-runner.js'
import { createRunner } from '../../../jobs/service.js'
import { eventually } from '../../helpers/eventually.js'
import { createGate, recordingHandlers } from '../../helpers/recording-handlers.js'
import { recordingLog } from '../../helpers/recording-log.js'
import { freePort, PrivateRedis, redisSkipReason } from '../../helpers/servers/private-redis.js'
import { useRedisRunners } from '../../helpers/servers/redis-runners.js'

const PAYLOAD = { channel: 'acme/forest', cause: 'tick' }
describe.skipIf(redisSkipReason !== null)(
  `Redis queue under faults${redisSkipReason === null ? '' : ` (skipped: ${redisSkipReason})`}`,
  () => {
    const runners = useRedisRunners()

    it('closes within the deadline while Redis hangs', async () => {
      const runner = await runners.open()
      await runner.work(recordingHandlers().handlers)
      runners.redis.signal('SIGSTOP')
      try {
        await runner.close(100)
      } finally {
        runners.redis.signal('SIGCONT')
      }
    })

    it('closes within the deadline after Redis is gone, while a job runs, and prints no errors of the Redis client', async () => {
      const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
      onTestFinished(() => printed.mockRestore())
      const gate = createGate()
      const { handlers, begun } = recordingHandlers(() => gate.passed)
      const runner = await runners.open()
      await runner.work(handlers)
      await runner.enqueue('poll-rfqs', PAYLOAD)
      await eventually(() => expect(begun).toHaveLength(1))
      await runners.redis.kill()
      try {
        await runner.close(500)
      } finally {
        gate.open()
        await runners.redis.launch()
      }
      expect(printed.mock.calls).toEqual([])
    })

    it('leaves a job fetched during shutdown to another worker', async () => {
      const gate = createGate()
      const ending = await runners.open()
      const first = recordingHandlers(() => gate.passed)
      await ending.work(first.handlers)
      const other = await runners.open()
      await other.enqueue('poll-rfqs', PAYLOAD)
      await eventually(() => expect(first.begun).toHaveLength(1))
      const closed = ending.close(2_000)
      const id = await other.enqueue('poll-listings', PAYLOAD)
      const { handlers, done } = recordingHandlers()
      await other.work(handlers)
      await eventually(() => expect(done.map((job) => job.id)).toEqual([id]))
      gate.open()
      await closed
      expect(first.begun).toHaveLength(1)
    })

    it('fails commands while Redis is a read-only replica, then jobs run again', async () => {
      const { handlers, done } = recordingHandlers()
      const runner = await runners.open()
      await runner.work(handlers)
      await runner.enqueue('poll-rfqs', PAYLOAD)
      await eventually(() => expect(done).toHaveLength(1))
      await runners.redis.withClient((client) => client.replicaof('127.0.0.1', 1))
      await expect(runner.load()).rejects.toThrow('does not answer')
      await expect(runner.enqueue('poll-rfqs', PAYLOAD)).rejects.toThrow('does not answer')
      await runners.redis.withClient((client) => client.replicaof('NO', 'ONE'))
      await eventually(async () => expect(await runner.load()).toMatchObject({ active: 0 }))
      // The refused command may still arrive later; jobs run in either case.
      await eventually(async () => expect(await runner.enqueue('poll-rfqs', PAYLOAD)).not.toBeNull())
      await eventually(() => expect(done.length).toBeGreaterThan(1))
      const later = await eventually(async () => {
        const id = await runner.enqueue('poll-rfqs', PAYLOAD)
        expect(id).not.toBeNull()
        return id
      })
      await eventually(() => expect(done.map(({ id }) => id)).toContain(later))
    })

    it('keeps a job for processes with its database, whatever others are on the same Redis', async () => {
      const open = async (database: string) => {
        const queue = { kind: 'redis', url: runners.redis.url } as const
        const runner = await createRunner(queue, { database, log: runners.log })
        onTestFinished(() => runner.close(0))
        return runner
      }
      const [one, two] = [await open('one'), await open('two')]
      const { handlers, done } = recordingHandlers()
      const ids = [await one.enqueue('poll-rfqs', PAYLOAD), await two.enqueue('poll-rfqs', PAYLOAD)] as [string, string]
      await two.work(handlers)
      await eventually(async () => expect(await two.job(ids[1])).toMatchObject({ state: 'completed' }))
      expect(done).toHaveLength(1)
      expect(await one.job(ids[0])).toMatchObject({ state: 'waiting' })
    })
  },
)

describe.skipIf(redisSkipReason !== null)('Redis as it is configured', () => {
  const start = async (redis: PrivateRedis) => {
    const runner = await createBullRunner({
      url: redis.url,
      prefix: '{quotekeeper}:a',
      concurrency: 1,
      log: recordingLog(),
    })
    onTestFinished(() => runner.close(0))
    return runner
  }

  it('in cluster mode runs jobs', async () => {
    const redis = await PrivateRedis.start('--cluster-enabled', 'yes')
    onTestFinished(() => redis.remove())
    await redis.withClient((client) => client.cluster('ADDSLOTSRANGE', '0', '16383'))
    await redis.withClient(async (client) => {
      await expect.poll(() => client.cluster('INFO'), { timeout: 10_000 }).toContain('cluster_state:ok')
    })
    const runner = await start(redis)
    const { handlers, done } = recordingHandlers()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD)
    await eventually(() => expect(done).toHaveLength(1))
    expect(await runner.load()).toMatchObject({ waiting: 0 })
  })

  it('that may evict jobs fails the start, and the error names the setting', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined) // BullMQ prints the same.
    const redis = await PrivateRedis.start('--maxmemory-policy', 'allkeys-lru')
    onTestFinished(() => redis.remove())
    await expect(start(redis)).rejects.toThrow(/may lose jobs.*maxmemory-policy allkeys-lru.*noeviction/)
    await redis.withClient((client) => client.config('SET', 'maxmemory-policy', 'noeviction'))
    expect(await (await start(redis)).load()).toMatchObject({ waiting: 0 })
  })
})

/** A start that must fail waits this long; the error is there at once. */
const SOON = { start: 2_000 }

describe('without Redis', () => {
  it('the start fails, and the error says what to do', async () => {
    const url = `redis://user:s3cret@127.0.0.1:${await freePort()}/2`
    const start = createBullRunner({ url, prefix: 'q', concurrency: 1, log: recordingLog(), timing: SOON })
    await expect(start).rejects.toThrow(
      /^the queue at redis:\/\/127\.0\.0\.1:\d+\/2 does not answer \(connect ECONNREFUSED.*\): start it, or correct "queue"/,
    )
  })
})

describe.skipIf(redisSkipReason !== null)('with Redis behind a password', () => {
  let redis: PrivateRedis
  beforeAll(async () => {
    redis = await PrivateRedis.start()
    await redis.withClient((client) => client.config('SET', 'requirepass', 'right'))
  })
  afterAll(() => redis.remove())

  it.each(['wrong', ''])('the password "%s" fails the start and is not logged', async (password) => {
    const url = redis.url.replace('//', `//:${password}@`)
    const log = recordingLog()
    const start = createBullRunner({ url, prefix: 'q', concurrency: 1, log, timing: SOON })
    await expect(start).rejects.toThrow(/WRONGPASS|NOAUTH/)
    expect(JSON.stringify(log.lines)).not.toContain('wrong@')
  })
})
