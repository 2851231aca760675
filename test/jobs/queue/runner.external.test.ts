import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { JobHandler, JobRunner } from '../../../jobs/contract.js'
import { createBullRunner } from '../../../jobs/queue/bullmq-runner.js'
import { createInProcessRunner } from '../../../jobs/queue/in-process-runner.js'
import { eventually } from '../../helpers/eventually.js'
import { createGate, recordingHandlers } from '../../helpers/recording-handlers.js'
import { type RecordingLog, recordingLog } from '../../helpers/recording-log.js'
import { PrivateRedis, redisSkipReason } from '../../helpers/servers/private-redis.js'

const PAYLOAD = { channel: 'acme/forest', cause: 'tick' }
const OTHER = { channel: 'acme/peat', cause: 'tick' }
const EMPTY = { waiting: 0, active: 0, oldestWaitingSeconds: 0 }

let prefixes = 0
const environments = [
  {
    name: 'in this process',
    skip: null,
    start: async () => ({
      runner: async (log: RecordingLog): Promise<JobRunner> => createInProcessRunner({ concurrency: 2, log }),
      stop: async () => undefined,
    }),
  },
  {
    name: 'BullMQ on Redis',
    skip: redisSkipReason,
    start: async () => {
      const redis = await PrivateRedis.start()
      return {
        runner: (log: RecordingLog): Promise<JobRunner> =>
          createBullRunner({ url: redis.url, prefix: `runner_${prefixes++}`, concurrency: 2, log }),
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
  let environment: Awaited<ReturnType<typeof start>>
  let runner: JobRunner
  let log = recordingLog()
  const open = async () => {
    log = recordingLog()
    runner = await environment.runner(log)
    return runner
  }
  /** Opens a runner, and waits until its only job has begun. */
  const openBusy = async (work: JobHandler) => {
    const recorded = recordingHandlers(work)
    await open()
    await runner.work(recorded.handlers)
    const id = (await runner.enqueue('poll-rfqs', PAYLOAD)) as string
    await eventually(() => expect(recorded.begun).toEqual([id]))
    return { id, ...recorded }
  }
  beforeAll(async () => {
    environment = await start()
  })
  afterEach(() => runner.close(0))
  afterAll(() => environment.stop())

  it('runs a job with its payload, of any text, and its id', async () => {
    const { handlers, done } = recordingHandlers()
    const payload = { ...PAYLOAD, rfqId: 'nul \u0000, unpaired surrogate \ud800' }
    await open()
    const id = await runner.enqueue('rfq-report', payload)
    expect(id).not.toBeNull()
    await runner.work(handlers)
    await eventually(() => expect(done).toEqual([{ name: 'rfq-report', id, payload }]))
  })

  it('queues one job for many missed ticks, and the reports of two RFQs of one channel separately', async () => {
    const { handlers, done } = recordingHandlers()
    await open()
    const ids = [await runner.enqueue('poll-rfqs', PAYLOAD)]
    for (let tick = 2; tick <= 4; tick++) expect(await runner.enqueue('poll-rfqs', PAYLOAD)).toBeNull()
    ids.push(await runner.enqueue('poll-rfqs', OTHER), await runner.enqueue('poll-listings', PAYLOAD))
    for (const rfqId of ['r1', 'r2']) ids.push(await runner.enqueue('rfq-report', { ...PAYLOAD, rfqId }))
    await runner.work(handlers)
    await eventually(() => expect(done.map(({ id }) => id).sort()).toEqual(ids.sort()))
  })

  it('says how many jobs wait and run, how long the oldest has waited, and how each ended', async () => {
    const gate = createGate()
    await open()
    expect(await runner.load()).toEqual(EMPTY)
    const oldest = (await runner.enqueue('poll-rfqs', PAYLOAD)) as string
    await new Promise((resolve) => setTimeout(resolve, 150))
    const newest = (await runner.enqueue('poll-rfqs', OTHER)) as string
    const load = await runner.load()
    expect(load).toMatchObject({ waiting: 2, active: 0 })
    expect(load.oldestWaitingSeconds).toBeGreaterThanOrEqual(0.149)
    expect(load.oldestWaitingSeconds).toBeLessThan(60)
    expect(await runner.job(oldest)).toMatchObject({ name: 'poll-rfqs', payload: PAYLOAD, state: 'waiting' })
    const { handlers } = recordingHandlers(async () => {
      await gate.passed
      return 'one.xlsx'
    })
    await runner.work({ ...handlers, 'rfq-report': () => Promise.reject(new Error('disk full')) })
    await eventually(async () => expect(await runner.load()).toMatchObject({ waiting: 0, active: 2 }))
    expect(await runner.job(oldest)).toMatchObject({ state: 'active', finishedAt: null })
    gate.open()
    const end = { state: 'completed', report: 'one.xlsx' }
    await eventually(async () => expect(await runner.job(oldest)).toMatchObject(end))
    const report = (await runner.enqueue('rfq-report', { ...PAYLOAD, rfqId: 'r1' })) as string
    await eventually(async () =>
      expect(await runner.job(report)).toMatchObject({ state: 'failed', error: 'disk full', report: null }),
    )
    expect((await runner.job(report))?.finishedAt).toMatch(/Z$/)
    expect(await runner.job('never-added')).toBeNull()
    await eventually(async () => expect((await runner.job(newest))?.state).toBe('completed'))
    expect(await runner.load()).toEqual(EMPTY)
  })

  it('takes no job for the same work as one that waits or runs, and the next one after it has ended', async () => {
    const gate = createGate()
    const { id: first, done } = await openBusy(() => gate.passed)
    expect(await runner.enqueue('poll-rfqs', PAYLOAD)).toBeNull()
    gate.open()
    await eventually(async () => expect(await runner.job(first)).toMatchObject({ state: 'completed' }))
    const next = await runner.enqueue('poll-rfqs', PAYLOAD)
    await eventually(() => expect(done.map(({ id }) => id)).toEqual([first, next]))
  })

  it('limits how many jobs run at once', async () => {
    const gate = createGate()
    const { handlers, begun, done } = recordingHandlers(() => gate.passed)
    await open()
    await runner.work(handlers)
    for (const slug of ['a', 'b', 'c']) await runner.enqueue('poll-rfqs', { ...PAYLOAD, channel: `acme/${slug}` })
    await eventually(() => expect(begun).toHaveLength(2))
    gate.open()
    await eventually(() => expect(done).toHaveLength(3))
  })

  it('logs a failed job once, does not retry it, and continues with others', async () => {
    const { handlers, done } = recordingHandlers(async ({ channel }) => {
      if (channel === PAYLOAD.channel) throw new Error('no\u0000thing \ud800 works')
      return null
    })
    await open()
    await runner.work(handlers)
    await runner.enqueue('poll-rfqs', PAYLOAD)
    await eventually(() => expect(log.at('error')).toEqual(['job failed']))
    await runner.enqueue('poll-rfqs', OTHER)
    await eventually(() => expect(done).toHaveLength(1))
    await eventually(async () => expect(await runner.enqueue('poll-rfqs', PAYLOAD)).not.toBeNull())
    await eventually(() => expect(log.at('error')).toEqual(['job failed', 'job failed']))
  })

  it('rejects an invalid payload when it is enqueued', async () => {
    await open()
    await expect(runner.enqueue('poll-rfqs', { ...PAYLOAD, apiKey: 'k' } as never)).rejects.toThrow('apiKey')
    await expect(runner.enqueue('no-such-job' as never, PAYLOAD)).rejects.toThrow('unknown job name')
  })

  it('takes no job once it is closed', async () => {
    await open()
    await runner.close(0)
    await expect(runner.load()).rejects.toThrow('shutting down')
    await expect(runner.enqueue('poll-rfqs', PAYLOAD)).rejects.toThrow('shutting down')
  })

  it('waits for a running job when closing', async () => {
    const gate = createGate()
    const { done } = await openBusy(() => gate.passed)
    const closed = runner.close(5_000)
    gate.open()
    await closed
    expect(done).toHaveLength(1)
  })

  it.each(['obeys', 'ignores'])(
    'aborts a job that outlasts the deadline, and ends although it %s its signal',
    async (how) => {
      let isAborted = false
      await openBusy(
        (_payload, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              isAborted = true
              if (how === 'obeys') reject(new Error('stopped'))
            })
          }),
      )
      await runner.close(50)
      expect(isAborted).toBe(true)
      if (how === 'obeys') expect(log.at('warn')).toEqual([expect.stringContaining('aborted by shutdown')])
    },
  )
})
