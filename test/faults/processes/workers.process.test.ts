import { Queue } from 'bullmq'
import { expect, onTestFinished } from 'vitest'
import type { JobName } from '../../../jobs/contract.js'
import { eventually } from '../../helpers/eventually.js'
import { redisSkipReason } from '../../helpers/servers/private-redis.js'
import { openProcessFixture, type ProcessFixture, type RunningProcess } from '../../helpers/servers/process-fixture.js'
import { useRedisRunners } from '../../helpers/servers/redis-runners.js'
import { faultUnless } from '../fault-test.js'

const PAYLOAD = { channel: 'acme/forest', cause: 'tick' }
const RUNS = 'select kind, outcome from runs order by id'
const CLOSED = "select count(*) as n from close_decisions where outcome = 'closed'"
const fault = faultUnless(redisSkipReason)
const runners = useRedisRunners()

/** A process fixture with a queue for its workers. */
async function openWorkers(options: Parameters<typeof openProcessFixture>[0] = {}) {
  const fixture = await openProcessFixture({ more: 'closing: { reportOnClose: false }\n', ...options })
  const runner = await runners.open()
  const queue = { url: runners.redis.url, prefix: runners.prefix }
  const enqueue = (name: JobName) => runner.enqueue(name, PAYLOAD)
  return {
    ...fixture,
    enqueue,
    startOne: (worker: Parameters<ProcessFixture['startWorker']>[1] = {}) => fixture.startWorker(queue, worker),
    queue,
  }
}

/** The same, after a first poll. */
async function openPolled(options: Parameters<typeof openProcessFixture>[0] = {}) {
  const fixture = await openWorkers(options)
  const worker = fixture.startOne()
  await fixture.enqueue('poll-rfqs')
  await fixture.waitForRows(RUNS, [{ kind: 'rfqs', outcome: 'complete' }])
  return { ...fixture, worker }
}

const waitForOutput = (worker: RunningProcess, message: string) =>
  eventually(() => expect(worker.out).toContain(message))

fault('a duplicated job on two workers', 'one worker closes while the other skips the busy channel', async () => {
  const { worker: one, ...fixture } = await openPolled()
  const two = fixture.startOne()
  await waitForOutput(two, 'worker ready')
  // Bypasses the de-duplication of jobs, like a queue that has lost its data.
  const outsider = new Queue('jobs', { connection: { url: fixture.queue.url }, prefix: fixture.queue.prefix })
  onTestFinished(() => outsider.close())
  const done = (jobs: number) => eventually(async () => expect(await outsider.getCompletedCount()).toBe(jobs))
  // A worker runs one job at a time, so jobs completed while one worker closes were run by the other.
  fixture.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'call', call: () => done(1 + 3) } })
  await Promise.all([1, 2, 3, 4].map(() => outsider.add('close-expired', PAYLOAD)))
  await done(1 + 4)
  const skipped = [one, two].map(
    ({ out }) => out.split('skipped: a close run of acme/forest is in progress').length - 1,
  )
  expect(skipped.sort()).toEqual([0, 3])
  expect(
    fixture
      .posts()
      .map(({ rfqId }) => rfqId)
      .sort(),
  ).toEqual([...fixture.rfqIds].sort())
  expect(fixture.sql(CLOSED)).toEqual([{ n: 3 }])
  expect(fixture.sql("select outcome, changed from runs where kind = 'close'")).toEqual([
    { outcome: 'complete', changed: 3 },
  ])
})

fault('a stalled job', 'after a kill during a close, another worker settles it by a read', async () => {
  const { worker: victim, ...fixture } = await openPolled()
  fixture.sandbox.faults.add({
    operation: 'closeRfq',
    effect: [
      { kind: 'call', call: () => victim.signal('SIGKILL') },
      { kind: 'hang', apply: true },
    ],
  })
  await fixture.enqueue('close-expired')
  expect(await victim.ended).toBe('SIGKILL')
  const survivor = fixture.startOne()
  await fixture.waitForRows(RUNS, [
    { kind: 'rfqs', outcome: 'complete' },
    { kind: 'close', outcome: 'interrupted' },
    { kind: 'close', outcome: 'complete' },
  ])
  expect(survivor.out).toContain('job stalled; re-queued')
  expect(fixture.sql(CLOSED)).toEqual([{ n: 3 }])
  expect(fixture.posts()).toHaveLength(3)
})

fault('a stalled job', 'a re-run of a job whose worker was only suspended has no effect', async () => {
  const { worker: held, ...fixture } = await openPolled()
  fixture.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'call', call: () => held.signal('SIGSTOP') } })
  await fixture.enqueue('close-expired')
  await eventually(() => expect(fixture.posts()).toHaveLength(1))
  const other = fixture.startOne()
  await waitForOutput(other, 'skipped: a close run of acme/forest is in progress')
  held.signal('SIGCONT')
  await fixture.waitForRows(RUNS, [
    { kind: 'rfqs', outcome: 'complete' },
    { kind: 'close', outcome: 'complete' },
  ])
  expect(fixture.sql(CLOSED)).toEqual([{ n: 3 }])
  expect(fixture.posts()).toHaveLength(3)
  await fixture.enqueue('poll-rfqs')
  await fixture.waitForRows("select count(*) as n from runs where kind = 'rfqs' and outcome = 'complete'", [{ n: 2 }])
})
