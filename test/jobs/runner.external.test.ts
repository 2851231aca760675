import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createBullRunner } from '../../jobs/bullmq-runner.js'
import type { JobRunner } from '../../jobs/contract.js'
import { createInProcessRunner } from '../../jobs/in-process-runner.js'
import { PrivatePostgres, postgresSkipReason } from '../helpers/private-postgres.js'
import { PrivateRedis, redisSkipReason } from '../helpers/private-redis.js'
import { createGate, recordingHandlers } from '../helpers/recording-handlers.js'
import { recordingLog } from '../helpers/recording-log.js'

const PAYLOAD = { channel: 'acme/forest', cause: 'tick' }
const OTHER = { channel: 'acme/peat', cause: 'tick' }
const eventually = <T>(ask: () => T) => vi.waitFor(ask, { timeout: 10_000, interval: 10 })

interface Place {
  name: string
  skip: string | null
  begin(): Promise<{ end(): Promise<void>; runner(log: ReturnType<typeof recordingLog>): Promise<JobRunner> }>
}

let prefixes = 0
const bull = (kind: 'redis' | 'postgres', url: string) => ({
  runner: (log: ReturnType<typeof recordingLog>) =>
    createBullRunner({ server: { kind, url }, prefix: `runner_${prefixes++}`, concurrency: 2, log }),
})
const places: Place[] = [
  {
    name: 'in this process',
    skip: null,
    begin: async () => ({
      runner: async (log) => createInProcessRunner({ concurrency: 2, log }),
      end: async () => undefined,
    }),
  },
  {
    name: 'BullMQ on Redis',
    skip: redisSkipReason,
    begin: async () => {
      const redis = await PrivateRedis.start()
      return { ...bull('redis', redis.url), end: () => redis.remove() }
    },
  },
  {
    name: 'BullMQ on PostgreSQL',
    skip: postgresSkipReason,
    begin: async () => {
      const postgres = await PrivatePostgres.start()
      return { ...bull('postgres', postgres.url), end: () => postgres.remove() }
    },
  },
]

describe.each(places)('a runner, $name', ({ skip, begin }) => {
  if (skip !== null) {
    it.skip(`skipped: ${skip}`)
    return
  }
  let place: Awaited<ReturnType<Place['begin']>>
  let runner: JobRunner
  let log = recordingLog()
  const open = async () => {
    log = recordingLog()
    runner = await place.runner(log)
    return runner
  }
  beforeAll(async () => {
    place = await begin()
  }, 60_000)
  afterEach(() => runner.close(0))
  afterAll(() => place.end())

  it('does a job with its payload and id', async () => {
    const { handlers, done } = recordingHandlers()
    await open()
    expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')).toBe(true)
    await runner.work(handlers)
    await eventually(() => expect(done).toEqual([{ name: 'poll-rfqs', id: 'tick-1', payload: PAYLOAD }]))
  })

  it('makes one job of equal ids, also after it is done', async () => {
    const { handlers, done } = recordingHandlers()
    await open()
    await runner.work(handlers)
    expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')).toBe(true)
    await eventually(() => expect(done).toHaveLength(1))
    expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')).toBe(false)
    expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-2')).toBe(true)
    await eventually(() => expect(done.map(({ id }) => id)).toEqual(['tick-1', 'tick-2']))
  })

  it('makes one job of many ticks that were missed', async () => {
    const { handlers, done } = recordingHandlers()
    await open()
    const added: boolean[] = []
    for (const tick of ['1', '2', '3', '4']) added.push(await runner.enqueue('poll-rfqs', PAYLOAD, `tick-${tick}`))
    expect(added).toEqual([true, false, false, false])
    expect(await runner.enqueue('poll-rfqs', OTHER, 'other-1')).toBe(true)
    expect(await runner.enqueue('poll-listings', PAYLOAD, 'listings-1')).toBe(true)
    await runner.work(handlers)
    await eventually(() => expect(done.map(({ id }) => id).sort()).toEqual(['listings-1', 'other-1', 'tick-1']))
  })

  it('never runs two of a lane side by side, and remembers one more', async () => {
    const gate = createGate()
    let most = 0
    let now = 0
    const { handlers, done } = recordingHandlers(async () => {
      most = Math.max(most, ++now)
      await gate.passed
      now--
    })
    await open()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
    await eventually(() => expect(now).toBe(1))
    expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-2')).toBe(true)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-3')
    expect(now).toBe(1)
    gate.open()
    await eventually(() => expect(done).toHaveLength(2))
    expect(most).toBe(1)
  })

  it('writes the reports of two RFQs of one channel', async () => {
    const { handlers, done } = recordingHandlers()
    await open()
    expect(await runner.enqueue('rfq-report', { ...PAYLOAD, rfqId: 'r1' }, 'report-1')).toBe(true)
    expect(await runner.enqueue('rfq-report', { ...PAYLOAD, rfqId: 'r2' }, 'report-2')).toBe(true)
    await runner.work(handlers)
    await eventually(() => expect(done).toHaveLength(2))
  })

  it('does no more jobs at once than asked', async () => {
    const gate = createGate()
    let now = 0
    const { handlers, done } = recordingHandlers(async () => {
      now++
      await gate.passed
    })
    await open()
    await runner.work(handlers)
    for (const slug of ['a', 'b', 'c']) await runner.enqueue('poll-rfqs', { ...PAYLOAD, channel: `acme/${slug}` }, slug)
    await eventually(() => expect(now).toBe(2))
    gate.open()
    await eventually(() => expect(done).toHaveLength(3))
  })

  it('goes on after a job that fails, tells it once, and does not try it again', async () => {
    const { handlers, done } = recordingHandlers(async ({ channel }) => {
      if (channel === PAYLOAD.channel) throw new Error('no\u0000thing \ud800 works')
    })
    await open()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
    await eventually(() => expect(log.at('error')).toEqual(['job failed']))
    await runner.enqueue('poll-rfqs', OTHER, 'other-1')
    await eventually(() => expect(done).toHaveLength(1))
    expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-2')).toBe(true)
    await eventually(() => expect(log.at('error')).toEqual(['job failed', 'job failed']))
  })

  it('refuses a payload at the createGate', async () => {
    await open()
    await expect(runner.enqueue('poll-rfqs', { ...PAYLOAD, apiKey: 'k' } as never, 'x')).rejects.toThrow('apiKey')
    await expect(runner.enqueue('no-such-job' as never, PAYLOAD, 'x')).rejects.toThrow('unknown job name')
  })

  it('answers a ping, and not after it is closed', async () => {
    await open()
    expect(await runner.ping()).toMatchObject({ ok: true })
    await runner.close(0)
    expect(await runner.ping()).toMatchObject({ ok: false })
    await expect(runner.enqueue('poll-rfqs', PAYLOAD, 'late')).rejects.toThrow('shutting down')
  })

  it('waits at its end for the job under way', async () => {
    const gate = createGate()
    let begun = false
    const { handlers, done } = recordingHandlers(async () => {
      begun = true
      await gate.passed
    })
    await open()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
    await eventually(() => expect(begun).toBe(true))
    const closed = runner.close(5_000)
    gate.open()
    await closed
    expect(done).toHaveLength(1)
  })

  it('aborts a job that outlasts the deadline', async () => {
    let begun = false
    let aborted = false
    const { handlers } = recordingHandlers(
      (_payload, { signal }) =>
        new Promise((_resolve, reject) => {
          begun = true
          signal.addEventListener('abort', () => {
            aborted = true
            reject(new Error('stopped'))
          })
        }),
    )
    await open()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
    await eventually(() => expect(begun).toBe(true))
    await runner.close(50)
    expect(aborted).toBe(true)
    expect(log.at('warn')).toEqual(['job aborted by shutdown; the next tick continues'])
  })

  it('ends within the deadline although a job does not let go', async () => {
    let begun = false
    const { handlers } = recordingHandlers(() => {
      begun = true
      return new Promise(() => undefined)
    })
    await open()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
    await eventually(() => expect(begun).toBe(true))
    const began = performance.now()
    await runner.close(50)
    expect(performance.now() - began).toBeLessThan(4_000)
  })
})
