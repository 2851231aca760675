import { Queue } from 'bullmq'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../helpers/eventually.js'
import { redisSkipReason } from '../../helpers/servers/private-redis.js'
import { openProcessFixture } from '../../helpers/servers/process-fixture.js'
import { useRedisRunners } from '../../helpers/servers/redis-runners.js'

const PAYLOAD = { channel: 'acme/forest', cause: 'tick' }
const redisIt = it.skipIf(redisSkipReason !== null)
const runners = useRedisRunners()

redisIt('a duplicated job on two workers: one worker closes while the other skips the busy channel', async () => {
  const fixture = await openProcessFixture({ more: 'closing: { reportOnClose: false }\n' })
  const queue = { url: runners.redis.url, prefix: runners.prefix }
  const [one, two] = [fixture.startWorker(queue), fixture.startWorker(queue)]
  for (const each of [one, two]) await eventually(() => expect(each.out).toContain('worker ready'))
  await (await runners.open()).enqueue('poll-rfqs', PAYLOAD)
  await fixture.waitForRows('select kind, outcome from runs', [{ kind: 'rfqs', outcome: 'complete' }])
  // Bypasses the de-duplication of jobs, like a queue that has lost its data.
  const outsider = new Queue('jobs', { connection: { url: queue.url }, prefix: queue.prefix })
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
  const posts = fixture.posts().map(({ rfqId }) => rfqId)
  expect(posts.sort()).toEqual([...fixture.rfqIds].sort())
  expect(fixture.sql('select outcome from close_decisions')).toEqual(Array(3).fill({ outcome: 'closed' }))
  expect(fixture.sql("select outcome, changed from runs where kind = 'close'")).toEqual([
    { outcome: 'complete', changed: 3 },
  ])
})
