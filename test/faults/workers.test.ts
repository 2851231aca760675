import { Queue } from 'bullmq'
import { expect, onTestFinished } from 'vitest'
import type { JobName } from '../../jobs/contract.js'
import { jobId } from '../../jobs/job-id.js'
import { eventually } from '../helpers/eventually.js'
import { redisSkipReason } from '../helpers/private-redis.js'
import { openProcessFixture, type ProcessFixture, type RunningProcess } from '../helpers/process-fixture.js'
import { useRedisRunners } from '../helpers/redis-runners.js'
import { faultUnless } from './fault-test.js'
import { manyItems } from './memory-exhausting-body.js'

const PAYLOAD = { channel: 'acme/forest', cause: 'test' }
const RUNS = 'select kind, outcome from runs order by id'
const CLOSED = "select count(*) as n from close_decisions where outcome = 'closed'"
const fault = faultUnless(redisSkipReason)
const runners = useRedisRunners()

/** A fixture, and how to give jobs to its workers. */
async function openWorkshop(options: Parameters<typeof openProcessFixture>[0] = {}) {
  const fixture = await openProcessFixture({ more: 'closing: { reportOnClose: false }\n', ...options })
  const runner = await runners.open()
  const place = { url: runners.redis.url, prefix: runners.prefix }
  let jobs = 0
  const enqueue = (name: JobName) => runner.enqueue(name, PAYLOAD, jobId(name, PAYLOAD, new Date(jobs++)))
  return {
    ...fixture,
    enqueue,
    hire: (worker: Parameters<ProcessFixture['startWorker']>[1] = {}) => fixture.startWorker(place, worker),
    place,
  }
}

/** A workshop whose RFQs are known. */
async function openPolled(options: Parameters<typeof openProcessFixture>[0] = {}) {
  const shop = await openWorkshop(options)
  const worker = shop.hire()
  await shop.enqueue('poll-rfqs')
  await shop.waitForRows(RUNS, [{ kind: 'rfqs', outcome: 'complete' }])
  return { ...shop, worker }
}

const says = (worker: RunningProcess, words: string) => eventually(() => expect(worker.out).toContain(words))

fault(28, 'take effect once: while one worker closes, the other one finds the channel busy', async () => {
  const { worker: one, ...shop } = await openPolled()
  const two = shop.hire()
  await says(two, 'at work')
  // Past the createGate that makes one job of equal ones, as a queue might that lost its memory.
  const outsider = new Queue('jobs', { connection: { url: shop.place.url }, prefix: shop.place.prefix })
  onTestFinished(() => outsider.close())
  const done = (jobs: number) => eventually(async () => expect(await outsider.getCompletedCount()).toBe(jobs))
  // A worker does one job at a time: what is done while one closes was done by the other.
  shop.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'call', call: () => done(1 + 3) } })
  await Promise.all([1, 2, 3, 4].map(() => outsider.add('close-expired', PAYLOAD)))
  await done(1 + 4)
  const skipped = [one, two].map(
    ({ out }) => out.split('skipped: A close run of acme/forest is in progress').length - 1,
  )
  expect(skipped.sort()).toEqual([0, 3])
  expect(
    shop
      .posts()
      .map(({ rfqId }) => rfqId)
      .sort(),
  ).toEqual([...shop.rfqIds].sort())
  expect(shop.sql(CLOSED)).toEqual([{ n: 3 }])
  expect(shop.sql("select outcome, changed from runs where kind = 'close'")).toEqual([
    { outcome: 'complete', changed: 3 },
  ])
})

fault(
  30,
  'whose worker was killed in the middle of a close is done by another, which settles it by reading',
  async () => {
    const { worker: victim, ...shop } = await openPolled()
    shop.sandbox.faults.add({
      operation: 'closeRfq',
      effect: [
        { kind: 'call', call: () => victim.signal('SIGKILL') },
        { kind: 'hang', apply: true },
      ],
    })
    await shop.enqueue('close-expired')
    expect(await victim.ended).toBe('SIGKILL')
    const survivor = shop.hire()
    await shop.waitForRows(RUNS, [
      { kind: 'rfqs', outcome: 'complete' },
      { kind: 'close', outcome: 'interrupted' },
      { kind: 'close', outcome: 'complete' },
    ])
    expect(survivor.out).toContain('job stalled; re-queued')
    expect(shop.sql(CLOSED)).toEqual([{ n: 3 }])
    expect(shop.posts()).toHaveLength(3)
  },
)

fault(30, 'whose worker was only held up is run again in vain, and harms nothing when it goes on', async () => {
  const { worker: held, ...shop } = await openPolled()
  shop.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'call', call: () => held.signal('SIGSTOP') } })
  await shop.enqueue('close-expired')
  await eventually(() => expect(shop.posts()).toHaveLength(1))
  const other = shop.hire()
  await says(other, 'skipped: A close run of acme/forest is in progress')
  held.signal('SIGCONT')
  await shop.waitForRows(RUNS, [
    { kind: 'rfqs', outcome: 'complete' },
    { kind: 'close', outcome: 'complete' },
  ])
  expect(shop.sql(CLOSED)).toEqual([{ n: 3 }])
  expect(shop.posts()).toHaveLength(3)
  await shop.enqueue('poll-rfqs')
  await shop.waitForRows("select count(*) as n from runs where kind = 'rfqs' and outcome = 'complete'", [{ n: 2 }])
})

fault(40, 'of a worker hands its job to another one', async () => {
  const shop = await openWorkshop()
  shop.sandbox.faults.add({ operation: 'listRfqs', effect: manyItems })
  const small = shop.hire({ heap: 64 })
  await shop.enqueue('poll-rfqs')
  expect(await small.ended).toBe('SIGABRT')
  expect(small.err).toContain('heap out of memory')
  shop.hire()
  await shop.waitForRows(RUNS, [
    { kind: 'rfqs', outcome: 'interrupted' },
    { kind: 'rfqs', outcome: 'complete' },
  ])
  expect(shop.sql('select count(*) as n from rfqs')).toEqual([{ n: 3 }])
})
