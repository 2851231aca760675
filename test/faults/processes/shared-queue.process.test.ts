import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createRunner } from '../../../jobs/service.js'
import { eventually } from '../../helpers/eventually.js'
import { recordingHandlers } from '../../helpers/recording-handlers.js'
import { recordingLog } from '../../helpers/recording-log.js'
import { PrivateRedis, redisSkipReason } from '../../helpers/servers/private-redis.js'
import { openProcessFixture } from '../../helpers/servers/process-fixture.js'
import { faultUnless } from '../fault-test.js'

const fault = faultUnless(redisSkipReason)
const ROUNDS = 3
const CLOSED = "select rfq_id as id from close_decisions where outcome = 'closed' order by 1"

async function startRedis() {
  const redis = await PrivateRedis.start()
  onTestFinished(() => redis.remove())
  return redis
}

fault(
  'a process with another database on the same Redis',
  'a job waits for the processes with its database',
  async () => {
    const { url } = await startRedis()
    const open = async (database: string) => {
      const runner = await createRunner({ kind: 'redis', url }, { database, log: recordingLog() })
      onTestFinished(() => runner.close(0))
      return runner
    }
    const [one, two] = [await open('one'), await open('two')]
    const { handlers, done } = recordingHandlers()
    const payload = { channel: 'acme/forest', cause: 'tick' }
    for (const runner of [one, two]) expect(await runner.enqueue('poll-rfqs', payload, 'tick-1')).toBe(true)
    await two.work(handlers)
    await eventually(async () => expect(await two.job('tick-1')).toMatchObject({ state: 'completed' }))
    expect(done).toHaveLength(1)
    expect(await one.job('tick-1')).toMatchObject({ state: 'waiting' })
  },
)

fault(
  'a worker whose configuration lacks the channel of a job',
  'every RFQ is closed once by the other process, also while the worker restarts',
  async () => {
    const fixture = await openProcessFixture({
      more: `queue: ${(await startRedis()).url}
schedule: { rfqs: "* * * * * *", closeExpired: "* * * * * *", channelReport: null }
closing: { reportOnClose: false }
web: { port: 0 }
`,
    })
    const other = join(fixture.folder, 'other.yaml')
    const configuration = readFileSync(join(fixture.folder, 'quotekeeper.yaml'), 'utf8')
    writeFileSync(other, configuration.replace(/channel: [^,]+,/, 'channel: elsewhere,'))
    const startWorker = async () => {
      const worker = fixture.start(['--config', other, 'work'])
      await eventually(() => expect(worker.out).toContain('quotekeeper started'))
      return worker
    }
    let worker = await startWorker()
    const service = fixture.start(['start'])
    for (let round = 0; round < ROUNDS; round++) {
      await eventually(() => expect(worker.out).toContain('job returned to the queue for another worker'))
      expect(worker.out).not.toContain('job refused')
      worker.signal('SIGTERM')
      expect(await worker.ended).toBe('exit 0')
      worker = await startWorker()
    }
    const closed = [...fixture.rfqIds].sort().map((id) => ({ id }))
    // A job that a worker held when it was restarted may stall, which the queue notices after half a minute.
    await eventually(() => expect(fixture.sql(CLOSED)).toEqual(closed))
    expect(fixture.posts()).toHaveLength(closed.length)
    expect(service.out).not.toMatch(/job (refused|failed)/)
  },
  180_000,
)
