import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { JobRunner } from '../../../jobs/contract.js'
import { jobId } from '../../../jobs/job-id.js'
import { createBullRunner } from '../../../jobs/queue/bullmq-runner.js'
import { createInProcessRunner } from '../../../jobs/queue/in-process-runner.js'
import { eventually } from '../../helpers/eventually.js'
import { createGate, recordingHandlers } from '../../helpers/recording-handlers.js'
import { recordingLog } from '../../helpers/recording-log.js'
import { PrivateRedis, redisSkipReason } from '../../helpers/servers/private-redis.js'

const PAYLOAD = { channel: 'acme/forest', cause: 'tick' }
const OTHER = { channel: 'acme/peat', cause: 'tick' }
const EMPTY = { waiting: 0, active: 0, delayed: 0, oldestWaitingSeconds: 0 }

interface Environment {
  name: string
  skip: string | null
  start(): Promise<{
    stop(): Promise<void>
    runner(log: ReturnType<typeof recordingLog>, prefix?: string): Promise<JobRunner>
  }>
}

let prefixes = 0
const environments: Environment[] = [
  {
    name: 'in this process',
    skip: null,
    start: async () => ({
      runner: async (log) => createInProcessRunner({ concurrency: 2, log }),
      stop: async () => undefined,
    }),
  },
  {
    name: 'BullMQ on Redis',
    skip: redisSkipReason,
    start: async () => {
      const redis = await PrivateRedis.start()
      return {
        runner: (log, prefix = `runner_${prefixes++}`) =>
          createBullRunner({ url: redis.url, prefix, concurrency: 2, log }),
        stop: () => redis.remove(),
      }
    },
  },
]

describe.each(environments)('job runner, $name', ({ skip, start }) => {
  if (skip !== null) {
    it.skip(`skipped: ${skip}`)
    return
  }
  let environment: Awaited<ReturnType<Environment['start']>>
  let runner: JobRunner
  let log = recordingLog()
  const open = async () => {
    log = recordingLog()
    runner = await environment.runner(log)
    return runner
  }
  beforeAll(async () => {
    environment = await start()
  })
  afterEach(() => runner.close(0))
  afterAll(() => environment.stop())

  it('runs a job with its payload and id', async () => {
    const { handlers, done } = recordingHandlers()
    await open()
    expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')).toBe(true)
    await runner.work(handlers)
    await eventually(() => expect(done).toEqual([{ name: 'poll-rfqs', id: 'tick-1', payload: PAYLOAD }]))
  })

  it('runs a job for an RFQ whose identifier has characters that are not text', async () => {
    const { handlers, done } = recordingHandlers()
    const payload = { ...PAYLOAD, rfqId: 'nul \u0000, unpaired surrogate \ud800' }
    await open()
    await runner.enqueue('rfq-report', payload, jobId('rfq-report', payload, new Date()))
    await runner.work(handlers)
    await eventually(() => expect(done).toMatchObject([{ name: 'rfq-report', payload }]))
  })

  it('runs a job id once, also after it has finished', async () => {
    const { handlers, done } = recordingHandlers()
    await open()
    await runner.work(handlers)
    expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')).toBe(true)
    await eventually(() => expect(done).toHaveLength(1))
    expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')).toBe(false)
    await eventually(async () => expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-2')).toBe(true))
    await eventually(() => expect(done.map(({ id }) => id)).toEqual(['tick-1', 'tick-2']))
  })

  it('queues one job for many missed ticks', async () => {
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

  it('says how many jobs wait and run, how long the oldest has waited, and how each ended', async () => {
    const gate = createGate()
    await open()
    expect(await runner.load()).toEqual(EMPTY)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'oldest-1')
    await new Promise((resolve) => setTimeout(resolve, 150))
    await runner.enqueue('poll-rfqs', OTHER, 'newest-1')
    const load = await runner.load()
    expect(load).toMatchObject({ waiting: 2, active: 0, delayed: 0 })
    expect(load.oldestWaitingSeconds).toBeGreaterThanOrEqual(0.149)
    expect(load.oldestWaitingSeconds).toBeLessThan(60)
    expect(await runner.job('oldest-1')).toMatchObject({ name: 'poll-rfqs', payload: PAYLOAD, state: 'waiting' })
    const { handlers } = recordingHandlers(async () => {
      await gate.passed
      return { report: 'one.xlsx' }
    })
    await runner.work({ ...handlers, 'rfq-report': () => Promise.reject(new Error('disk full')) })
    await eventually(async () => expect(await runner.load()).toMatchObject({ waiting: 0, active: 2 }))
    expect(await runner.job('oldest-1')).toMatchObject({ state: 'active', finishedAt: null })
    gate.open()
    const result = { report: 'one.xlsx' }
    await eventually(async () => expect(await runner.job('oldest-1')).toMatchObject({ state: 'completed', result }))
    await runner.enqueue('rfq-report', { ...PAYLOAD, rfqId: 'r1' }, 'report-1')
    await eventually(async () =>
      expect(await runner.job('report-1')).toMatchObject({ state: 'failed', error: 'disk full', result: null }),
    )
    expect((await runner.job('report-1'))?.finishedAt).toMatch(/Z$/)
    expect(await runner.job('never-added')).toBeNull()
    await eventually(async () => expect((await runner.job('newest-1'))?.state).toBe('completed'))
    expect(await runner.load()).toEqual(EMPTY)
  })

  it('takes no job with the fairness key of one that waits or runs, and the next one after it has ended', async () => {
    const gate = createGate()
    let running = 0
    const { handlers, done } = recordingHandlers(async () => {
      running++
      await gate.passed
    })
    await open()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
    await eventually(() => expect(running).toBe(1))
    expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-2')).toBe(false)
    expect(await runner.job('tick-2')).toBeNull()
    gate.open()
    await eventually(async () => expect(await runner.job('tick-1')).toMatchObject({ state: 'completed' }))
    expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-3')).toBe(true)
    await eventually(() => expect(done.map(({ id }) => id)).toEqual(['tick-1', 'tick-3']))
  })

  it('queues the reports of two RFQs of one channel separately', async () => {
    const { handlers, done } = recordingHandlers()
    await open()
    expect(await runner.enqueue('rfq-report', { ...PAYLOAD, rfqId: 'r1' }, 'report-1')).toBe(true)
    expect(await runner.enqueue('rfq-report', { ...PAYLOAD, rfqId: 'r2' }, 'report-2')).toBe(true)
    await runner.work(handlers)
    await eventually(() => expect(done).toHaveLength(2))
  })

  it('limits how many jobs run at once', async () => {
    const gate = createGate()
    let running = 0
    const { handlers, done } = recordingHandlers(async () => {
      running++
      await gate.passed
    })
    await open()
    await runner.work(handlers)
    for (const slug of ['a', 'b', 'c']) await runner.enqueue('poll-rfqs', { ...PAYLOAD, channel: `acme/${slug}` }, slug)
    await eventually(() => expect(running).toBe(2))
    gate.open()
    await eventually(() => expect(done).toHaveLength(3))
  })

  it('logs a failed job once, does not retry it, and continues with others', async () => {
    const { handlers, done } = recordingHandlers(async ({ channel }) => {
      if (channel === PAYLOAD.channel) throw new Error('no\u0000thing \ud800 works')
    })
    await open()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
    await eventually(() => expect(log.at('error')).toEqual(['job failed']))
    await runner.enqueue('poll-rfqs', OTHER, 'other-1')
    await eventually(() => expect(done).toHaveLength(1))
    await eventually(async () => expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-2')).toBe(true))
    await eventually(() => expect(log.at('error')).toEqual(['job failed', 'job failed']))
  })

  it('rejects an invalid payload when it is enqueued', async () => {
    await open()
    await expect(runner.enqueue('poll-rfqs', { ...PAYLOAD, apiKey: 'k' } as never, 'x')).rejects.toThrow('apiKey')
    await expect(runner.enqueue('no-such-job' as never, PAYLOAD, 'x')).rejects.toThrow('unknown job name')
  })

  it('answers a ping until it is closed', async () => {
    await open()
    expect(await runner.ping()).toMatchObject({ ok: true })
    await runner.close(0)
    expect(await runner.ping()).toMatchObject({ ok: false })
    await expect(runner.enqueue('poll-rfqs', PAYLOAD, 'late')).rejects.toThrow('shutting down')
  })

  it('waits for a running job when closing', async () => {
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
    expect(log.at('warn')).toEqual([expect.stringContaining('aborted by shutdown')])
  })

  it('closes within the deadline although a job ignores its signal', async () => {
    let begun = false
    const { handlers } = recordingHandlers(() => {
      begun = true
      return new Promise(() => undefined)
    })
    await open()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
    await eventually(() => expect(begun).toBe(true))
    await runner.close(50)
  })
})
