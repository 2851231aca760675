import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { eventually } from '../../helpers/eventually.js'
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

fault(52, 'start, work and check name both databases, as often as they are run, and write nothing', async () => {
  const more = `queue: ${(await startRedis()).url}\nweb: { port: 0 }\n`
  const [one, two] = [await openProcessFixture({ more }), await openProcessFixture({ more })]
  for (let round = 0; round < ROUNDS; round++) {
    const service = one.start(['start'])
    await eventually(() => expect(service.out).toContain('quotekeeper started'))
    for (const command of ['work', 'start']) {
      const process = two.start([command])
      expect(await process.ended).toBe('exit 1')
      expect(process.err.trim().split('\n')).toHaveLength(1)
      expect(process.err).toContain(`belongs to the database ${one.database}`)
      expect(process.err).toContain(`this process uses ${two.database}`)
      expect(process.err).toContain('--adopt-queue')
    }
    service.signal('SIGTERM')
    expect(await service.ended).toBe('exit 0')
  }
  const check = two.start(['check'])
  expect(await check.ended).toBe('exit 1')
  expect(check.out).toMatch(/queue +FAILED/)
  expect(check.out.replaceAll(/\s+/g, '')).toContain(`belongstothedatabase${one.database}`)
  expect(two.sql('select count(*) as n from runs')).toEqual([{ n: 0 }])
})

fault(
  53,
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
