import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { Queue } from 'bullmq'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BullRunnerOptions, createBullRunner } from '../../jobs/bullmq.js'
import type { JobRunner } from '../../jobs/contract.js'
import { build } from '../helpers/built.js'
import { door, kept } from '../helpers/handlers.js'
import { keptLog } from '../helpers/log.js'
import { freePort, noRedis, PrivateRedis } from '../helpers/redis.js'

const PAYLOAD = { channel: 'acme/forest', cause: 'tick' }
const soon = <T>(ask: () => T) => vi.waitFor(ask, { timeout: 20_000, interval: 20 })

describe.skipIf(noRedis !== null)(`with Redis in trouble${noRedis === null ? '' : ` (skipped: ${noRedis})`}`, () => {
  let redis: PrivateRedis
  let log = keptLog()
  let runners: JobRunner[] = []
  let prefixes = 0
  const open = async (options: Partial<BullRunnerOptions> = {}) => {
    const server = { kind: 'redis' as const, url: redis.url }
    const runner = await createBullRunner({ server, prefix: `p${prefixes}`, concurrency: 2, log, ...options })
    runners.push(runner)
    return runner
  }
  beforeAll(async () => {
    redis = await PrivateRedis.start()
  })
  beforeEach(() => {
    prefixes++
    log = keptLog()
    runners = []
  })
  afterEach(() => Promise.all(runners.map((runner) => runner.close(0))))
  afterAll(() => redis.end())

  it('two schedulers make one job of each tick, and each is done once', async () => {
    const { handlers, done } = kept()
    const [one, two] = [await open(), await open()]
    await Promise.all([one.work(handlers), two.work(handlers)])
    const ticks = Array.from({ length: 40 }, (_, index) => index)
    const ask = (runner: JobRunner) =>
      ticks.map((tick) => runner.enqueue('poll-rfqs', { channel: `acme/c${tick}`, cause: 'tick' }, `tick-${tick}`))
    await Promise.all([...ask(one), ...ask(two)])
    await soon(() => expect(new Set(done.map(({ id }) => id)).size).toBe(40))
    await Promise.all([...ask(two), ...ask(one)])
    expect(done).toHaveLength(40)
  })

  it('a restart is survived: a waiting job is done, new ones are taken, none twice', async () => {
    const { handlers, done } = kept()
    const scheduler = await open()
    const worker = await open()
    await worker.work(handlers)
    await scheduler.enqueue('poll-rfqs', PAYLOAD, 'before')
    await soon(() => expect(done).toHaveLength(1))

    await redis.kill()
    const asked = performance.now()
    await expect(scheduler.enqueue('poll-rfqs', PAYLOAD, 'while-away')).rejects.toThrow(
      /127\.0\.0\.1:\d+ does not answer/,
    )
    expect(performance.now() - asked).toBeLessThan(6_000)
    expect(await scheduler.ping()).toMatchObject({ ok: false })

    await redis.begin()
    const back = performance.now()
    await soon(async () => expect(await scheduler.ping()).toMatchObject({ ok: true }))
    await scheduler.enqueue('poll-rfqs', PAYLOAD, 'after')
    await soon(() => expect(done.map(({ id }) => id)).toEqual(['before', 'after']))
    expect(performance.now() - back).toBeLessThan(20_000)
    expect(await scheduler.enqueue('poll-rfqs', PAYLOAD, 'before')).toBe(false)
    expect(log.at('info')).toContain('the queue answers again')
  })

  it('a job under way during a restart is done once and kept as done', async () => {
    const gate = door()
    let begun = 0
    const { handlers, done } = kept(() => {
      begun++
      return gate.passed
    })
    const runner = await open()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
    await soon(() => expect(begun).toBe(1))
    await redis.kill()
    gate.open()
    await soon(() => expect(done).toHaveLength(1))
    await redis.begin()
    await soon(async () => expect(await runner.ping()).toMatchObject({ ok: true }))
    expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-2')).toBe(true)
    await soon(() => expect(done.map(({ id }) => id)).toEqual(['tick-1', 'tick-2']))
    expect(begun).toBe(2)
  })

  it('emptied, it goes on with the next tick', async () => {
    const gate = door()
    let begun = 0
    const { handlers, done } = kept(() => {
      begun++
      return gate.passed
    })
    const runner = await open()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
    await soon(() => expect(begun).toBe(1))
    await redis.with((client) => client.flushall())
    gate.open()
    await soon(() => expect(done).toHaveLength(1))
    expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-2')).toBe(true)
    await soon(() => expect(done.map(({ id }) => id)).toEqual(['tick-1', 'tick-2']))
  })

  it('a fail-over, while the old master only reads, is waited out', async () => {
    const { handlers, done } = kept()
    const runner = await open()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'before')
    await soon(() => expect(done).toHaveLength(1))
    await redis.with((client) => client.replicaof('127.0.0.1', 1))
    expect(await runner.ping()).toMatchObject({ ok: false })
    await expect(runner.enqueue('poll-rfqs', PAYLOAD, 'while-reading')).rejects.toThrow('does not answer')
    await redis.with((client) => client.replicaof('NO', 'ONE'))
    await soon(async () => expect(await runner.ping()).toMatchObject({ ok: true }))
    // What was refused may still have arrived, and then stands in the lane: either way the lane goes on.
    await runner.enqueue('poll-rfqs', PAYLOAD, 'after')
    await soon(() => expect(done.length).toBeGreaterThan(1))
    expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'later')).toBe(true)
    await soon(() => expect(done.map(({ id }) => id)).toContain('later'))
  })

  it('full, it is not ready; with room again it is', async () => {
    const runner = await open()
    await redis.with((client) => client.config('SET', 'maxmemory', '1'))
    expect(await runner.ping()).toMatchObject({ ok: false, message: expect.stringContaining('OOM') })
    await redis.with((client) => client.config('SET', 'maxmemory', '0'))
    expect(await runner.ping()).toMatchObject({ ok: true })
  })

  it('hanging, it lets us end within the deadline', async () => {
    const { handlers } = kept()
    const runner = await open()
    await runner.work(handlers)
    redis.signal('SIGSTOP')
    try {
      const began = performance.now()
      expect(await runner.ping()).toMatchObject({ ok: false })
      await runner.close(500)
      expect(performance.now() - began).toBeLessThan(7_000)
    } finally {
      redis.signal('SIGCONT')
    }
  })

  it('gone, it lets us end within the deadline', async () => {
    const gate = door()
    let begun = 0
    const { handlers } = kept(() => {
      begun++
      return gate.passed
    })
    const runner = await open()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
    await soon(() => expect(begun).toBe(1))
    await redis.kill()
    try {
      const began = performance.now()
      await runner.close(500)
      expect(performance.now() - began).toBeLessThan(4_000)
    } finally {
      gate.open()
      await redis.begin()
    }
  })

  it('a poisoned payload is refused, told and not tried again', async () => {
    const { handlers, done } = kept()
    const runner = await open()
    await runner.work(handlers)
    const [host, port] = ['127.0.0.1', redis.port]
    const outsider = new Queue('jobs', { connection: { host, port }, prefix: `p${prefixes}` })
    await outsider.add('poll-rfqs', { channel: 'acme/forest', cause: 'tick', apiKey: 's3cret' }, { attempts: 3 })
    await outsider.add('drop-tables', { channel: 'acme/forest', cause: 'tick' })
    await soon(async () => expect(await outsider.getFailedCount()).toBe(2))
    expect(log.at('error')).toHaveLength(2)
    expect((await outsider.getFailed()).map(({ attemptsMade }) => attemptsMade)).toEqual([1, 1])
    expect(log.at('error').join()).toMatch(/refused.*apiKey.*refused.*no job of the name "drop-tables"/)
    expect(JSON.stringify(log.lines)).not.toContain('s3cret')
    expect(done).toEqual([])
    await outsider.close()
  })

  it('a job fetched while we end is left to another worker', async () => {
    const gate = door()
    let begun = 0
    const ending = await open()
    await ending.work(
      kept(() => {
        begun++
        return gate.passed
      }).handlers,
    )
    const other = await open()
    await other.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
    await soon(() => expect(begun).toBe(1))
    const closed = ending.close(2_000)
    await other.enqueue('poll-listings', PAYLOAD, 'tick-2')
    const { handlers, done } = kept()
    await other.work(handlers)
    await soon(() => expect(done.map(({ id }) => id)).toEqual(['tick-2']))
    gate.open()
    await closed
    expect(begun).toBe(1)
  })

  it('finished jobs are bounded and leave no payload with a key', async () => {
    const { handlers, done } = kept()
    const runner = await open()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
    await soon(() => expect(done).toHaveLength(1))
    const stored = await redis.with((client) => client.hgetall(`p${prefixes}:jobs:tick-1`))
    expect(JSON.parse(stored.data ?? '')).toEqual(PAYLOAD)
  })

  it('a worker killed with -9 loses its job to another one', async () => {
    const built = await build()
    const prefix = `p${prefixes}`
    const script = resolve(import.meta.dirname, '../fixtures/stuck-worker.mjs')
    const victim = spawn(process.execPath, [script, built.folder, redis.url, prefix], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const { handlers, done } = kept()
      const runner = await open({ timing: { lock: 2_000, stalledCheck: 500 } })
      await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
      await once(victim.stdout, 'data')
      await runner.work(handlers)
      await new Promise((wait) => setTimeout(wait, 1_000))
      expect(done).toEqual([])
      victim.kill('SIGKILL')
      await soon(() => expect(done.map(({ id }) => id)).toEqual(['tick-1']))
      expect(log.at('warn')).toEqual(['the worker of this job fell silent: the job is run again'])
    } finally {
      victim.kill('SIGKILL')
      await built.remove()
    }
  })
})

describe('without Redis', () => {
  it('a start fails within seconds, in one sentence with the remedy', async () => {
    const url = `redis://user:s3cret@127.0.0.1:${await freePort()}/2`
    const began = performance.now()
    const start = createBullRunner({
      server: { kind: 'redis', url },
      concurrency: 1,
      log: keptLog(),
      timing: { start: 1_000 },
    })
    await expect(start).rejects.toThrow(
      /^the queue at redis:\/\/127\.0\.0\.1:\d+\/2 does not answer \(connect ECONNREFUSED.*\): start it, or correct "queue"/,
    )
    expect(performance.now() - began).toBeLessThan(3_000)
  })
})

describe.skipIf(noRedis !== null)('with Redis behind a password', () => {
  let redis: PrivateRedis
  beforeAll(async () => {
    redis = await PrivateRedis.start()
    await redis.with((client) => client.config('SET', 'requirepass', 'right'))
  })
  afterAll(() => redis.end())

  it.each(['wrong', ''])('the password "%s" fails the start, and is not told', async (password) => {
    const url = redis.url.replace('//', `//:${password}@`)
    const log = keptLog()
    const start = createBullRunner({ server: { kind: 'redis', url }, concurrency: 1, log, timing: { start: 1_000 } })
    await expect(start).rejects.toThrow(/WRONGPASS|NOAUTH/)
    expect(JSON.stringify(log.lines)).not.toContain('wrong@')
  })
})
