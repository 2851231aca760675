import { setTimeout as wait } from 'node:timers/promises'
import { Queue } from 'bullmq'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHandlers, type HandlerDeps } from '../../../jobs/handlers.js'
import { eventually } from '../../helpers/eventually.js'
import { longIt, ROUNDS } from '../../helpers/long-tests.js'
import { recordingHandlers } from '../../helpers/recording-handlers.js'
import { redisSkipReason } from '../../helpers/servers/private-redis.js'
import { useRedisRunners } from '../../helpers/servers/redis-runners.js'
import { channelConfig, testConfig } from '../../helpers/test-config.js'

const CHANNEL = 'acme/forest'
const report = (rfqId: string) => ({ channel: CHANNEL, rfqId, cause: 'close' })

/** The handlers of a service whose configuration has another channel only. */
const withoutChannel = () =>
  createHandlers({ config: testConfig({ channels: [channelConfig('acme/peat')] }) } as HandlerDeps)

const runners = useRedisRunners()

describe.skipIf(redisSkipReason !== null)('a job for a channel that one of two workers has,', () => {
  it('is always done once by the worker that has it, also after restarts of both', async () => {
    const { open, log } = runners
    const { handlers, done } = recordingHandlers()
    const scheduler = await open()
    const expected: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const [wrong, right] = [
        await open({ timing: { returnPause: 100, grace: 100 } }),
        await open({ timing: { grace: 100 } }),
      ]
      await wrong.work(withoutChannel())
      for (let n = 0; n < 10; n++) {
        const id = `report-${round}-${n}`
        expected.push(id)
        expect(await scheduler.enqueue('rfq-report', report(`${round}-${n}`), id)).toBe(true)
      }
      // In every second round, all jobs are returned before a worker with the channel starts.
      if (round % 2 === 1) await eventually(() => expect(log.at('debug').length).toBeGreaterThan(10 * (round - 1)))
      await right.work(handlers)
      await eventually(() => expect(done).toHaveLength(expected.length))
      await Promise.all([wrong.close(1_000), right.close(1_000)])
    }
    await wait(300)
    expect(done.map(({ id }) => id).sort()).toEqual(expected.sort())
    expect(log.at('error')).toEqual([])
    expect(log.at('info').filter((line) => line.includes(`channel ${CHANNEL} is not in`)).length).toBeGreaterThan(0)
  })

  it('waits without spinning, and keeps its id and its fairness key', async () => {
    const { open, log } = runners
    const { handlers, done } = recordingHandlers()
    const wrong = await open({ timing: { returnPause: 1_000 } })
    await wrong.work(withoutChannel())
    await wrong.enqueue('rfq-report', report('1'), 'first')
    await eventually(() => expect(log.at('info')).toHaveLength(1))
    await wait(500)
    expect([...log.at('info'), ...log.at('debug')]).toHaveLength(1)
    expect(await wrong.enqueue('rfq-report', report('1'), 'first')).toBe(false)
    expect(await wrong.enqueue('rfq-report', report('1'), 'second')).toBe(false)
    // Otherwise chance decides at every pause which of the two takes it.
    await wrong.close(1_000)
    await (await open()).work(handlers)
    await eventually(() => expect(done).toEqual([{ name: 'rfq-report', id: 'first', payload: report('1') }]))
  })

  longIt('fails after an hour of returns with an error that names the channel, if no worker has it', async () => {
    const { open, log } = runners
    const worker = await open({ timing: { returnPause: 20, returnFor: 200 } })
    await worker.work(withoutChannel())
    for (let round = 0; round < ROUNDS; round++) {
      expect(await worker.enqueue('poll-rfqs', { channel: CHANNEL, cause: 'tick' }, `tick-${round}`)).toBe(true)
      await eventually(() => expect(log.at('error')).toHaveLength(round + 1))
    }
    for (const refused of log.at('error')) expect(refused).toMatch(/refused: channel .*of no worker.*an hour/)
    expect(log.at('info').length + log.at('debug').length).toBe(9 * ROUNDS)
  })
})

describe.skipIf(redisSkipReason !== null)('a returned job', () => {
  it('is not counted as failed in Redis', async () => {
    const { redis, prefix, log } = runners
    const runner = await runners.open({ timing: { returnPause: 20 } })
    const queue = new Queue('jobs', { connection: { url: redis.url }, prefix })
    onTestFinished(() => queue.close())
    await runner.work(withoutChannel())
    await runner.enqueue('rfq-report', report('1'), 'first')
    await eventually(() => expect(log.at('debug').length).toBeGreaterThan(ROUNDS))
    expect(await queue.getFailedCount()).toBe(0)
    expect((await queue.getJob('first'))?.attemptsMade).toBe(0)
  })
})
