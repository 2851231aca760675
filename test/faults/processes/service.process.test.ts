import { Queue } from 'bullmq'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../helpers/eventually.js'
import { PrivateRedis, redisSkipReason } from '../../helpers/servers/private-redis.js'
import { addPastDueRfq, openProcessFixture, type ProcessFixture } from '../../helpers/servers/process-fixture.js'

const redisIt = it.skipIf(redisSkipReason !== null)
const COMPLETE = "select count(*) as n from runs where kind = 'rfqs' and outcome = 'complete'"

/** A private Redis and the configuration of a service on it that polls and closes every second. */
async function openService(rfqs = 2) {
  const redis = await PrivateRedis.start()
  onTestFinished(() => redis.remove())
  const more = `queue: ${redis.url}
schedule: { rfqs: "* * * * * *", closeExpired: "* * * * * *", channelReport: null }
closing: { reportOnClose: false }
web: { port: 0 }
`
  return { ...(await openProcessFixture({ rfqs, more })), redis }
}

const urlIn = (out: string) => /"url":"([^"]+)"/.exec(out)?.[1]

/** Starts the service and waits until it is ready. */
async function startReady(fixture: ProcessFixture) {
  const service = fixture.start(['start'])
  await eventually(() => expect(service.out).toContain('"url"'))
  const url = urlIn(service.out)
  const get = (path: string) => fetch(`${url}${path}`)
  const readiness = async () => {
    const response = await get('/readyz')
    const { checks } = (await response.json()) as { checks: { name: string; ok: boolean; message: string }[] }
    return { status: response.status, failing: checks.filter(({ ok }) => !ok) }
  }
  const waitForStatus = (status: number) => eventually(async () => expect(await readiness()).toMatchObject({ status }))
  await waitForStatus(200)
  return { service, readiness, waitForStatus, healthz: () => get('/healthz').then(({ status }) => status) }
}

/** Waits for two more polls, because the first of them may have begun earlier. */
async function waitForNextPoll(fixture: ProcessFixture): Promise<void> {
  const polls = () => (fixture.sql(COMPLETE) as { n: number }[])[0]?.n ?? 0
  const before = polls()
  await eventually(() => expect(polls()).toBeGreaterThan(before + 1))
}

/** Waits until these RFQs are closed, with one POST each. */
const waitForClosedOnce = (fixture: ProcessFixture, ids: string[]) =>
  eventually(() => {
    expect(fixture.sql("select rfq_id as id from close_decisions where outcome = 'closed' order by 1")).toEqual(
      [...ids].sort().map((id) => ({ id })),
    )
    expect(fixture.posts()).toHaveLength(ids.length)
  })

redisIt('Redis killed and restarted: the service stays alive, becomes not ready, and recovers by itself', async () => {
  const fixture = await openService()
  const { waitForStatus, healthz } = await startReady(fixture)
  await waitForClosedOnce(fixture, fixture.rfqIds)
  fixture.sandbox.faults.add({
    operation: 'closeRfq',
    effect: [
      { kind: 'call', call: () => fixture.redis.kill() },
      { kind: 'delay', ms: 500 },
    ],
  })
  const during = addPastDueRfq(fixture.sandbox)
  await waitForStatus(503)
  expect(await healthz()).toBe(200)
  const after = addPastDueRfq(fixture.sandbox)
  await fixture.redis.launch()
  await waitForStatus(200)
  await waitForNextPoll(fixture)
  await waitForClosedOnce(fixture, [...fixture.rfqIds, during, after])
})

redisIt('Redis emptied: the service continues to poll and closes nothing twice', async () => {
  const fixture = await openService()
  const { waitForStatus } = await startReady(fixture)
  const later: string[] = []
  for (let round = 0; round < 2; round++) {
    later.push(addPastDueRfq(fixture.sandbox))
    await fixture.redis.withClient((client) => client.flushall())
    await waitForNextPoll(fixture)
  }
  await waitForStatus(200)
  await waitForClosedOnce(fixture, [...fixture.rfqIds, ...later])
})

redisIt('Redis out of memory: the service reports why it is not ready, and recovers when there is room', async () => {
  const fixture = await openService()
  const { waitForStatus, readiness } = await startReady(fixture)
  await fixture.redis.withClient((client) => client.config('SET', 'maxmemory', '1'))
  await waitForStatus(503)
  expect((await readiness()).failing).toEqual([{ name: 'queue', ok: false, message: expect.stringContaining('OOM') }])
  const meanwhile = addPastDueRfq(fixture.sandbox)
  await fixture.redis.withClient((client) => client.config('SET', 'maxmemory', '0'))
  await waitForStatus(200)
  await waitForNextPoll(fixture)
  await waitForClosedOnce(fixture, [...fixture.rfqIds, meanwhile])
})

redisIt('two schedulers: with three workers, each tick runs once and each RFQ is closed once', async () => {
  const fixture = await openService(4)
  const debug = ['--log-level', 'debug']
  const all = [['start'], ['start'], ['work', '--port', '0']].map((args) => fixture.start([...debug, ...args]))
  // Either of the two may be the first at each tick.
  await eventually(() => expect(all.map(({ out }) => out).join('')).toContain('such a job waits or runs'))
  await waitForNextPoll(fixture)
  await waitForClosedOnce(fixture, fixture.rfqIds)
  for (const { out } of all) expect((await fetch(`${urlIn(out)}/readyz`)).status).toBe(200)
  for (const each of all) each.signal('SIGTERM')
  expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(['exit 0', 'exit 0', 'exit 0'])
  const [{ id }] = fixture.sql("select value as id from meta where key = 'database_id'") as [{ id: string }]
  const queue = new Queue('jobs', { connection: { url: fixture.redis.url }, prefix: `{quotekeeper}:${id}` })
  onTestFinished(() => queue.close())
  const jobs = (await queue.getCompleted()).filter(({ name }) => name === 'poll-rfqs').map(({ id }) => id)
  expect(fixture.sql("select count(*) as n from runs where kind = 'rfqs'")).toEqual([{ n: jobs.length }])
})
