import { describe, expect, it } from 'vitest'
import type { JobRunner } from '../../../jobs/contract.js'
import { QueueUnavailableError } from '../../../jobs/errors.js'
import type { RunEnd } from '../../../src/store/contract.js'
import { CHANNEL, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { redisSkipReason } from '../../helpers/servers/private-redis.js'
import { useRedisRunners } from '../../helpers/servers/redis-runners.js'
import { openPages } from '../support/pages-fixture.js'
import { notices, sendForm } from '../support/send-form.js'

/** The end of a run that did nothing. */
const RUN_END: RunEnd = {
  ...{ requests: 0, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0 },
  ...{ outcome: 'complete', error: null },
}
const TOKENS = (['viewer', 'operator'] as const).map((role) => ({ name: role, role, token: `token of ${role}` }))
const as = (name: string) => ({ authorization: `Bearer token of ${name}` })

/** An RFQ that is past due, and the pages with a queue whose reports fail. */
async function openQueuePage(redis: JobRunner | undefined) {
  const fixture = await openChannelFixture()
  const { id = '' } = fixture.sandbox.world.addRfq(CHANNEL, { number: 1042, responseDueDate: '2026-11-20' })
  await fixture.pollRfqs()
  const pages = await openPages(fixture, { tokens: TOKENS, ...(redis && { redis }) })
  const { app, runner } = pages
  const get = (url: string, name = 'operator') => app.inject({ url, headers: as(name) })
  const jobs = async (query = '') => (await get(`/queue?format=json${query}`)).json()
  const retry = (fields: Record<string, string>, name = 'operator') => sendForm(app, '/queue', fields, as(name))
  /** The notices after retrying, once the job has ended. */
  const afterRetry = async (fields: Record<string, string>) => {
    const { statusCode, headers } = await retry(fields)
    expect(statusCode).toBe(303)
    const shown = async () => notices((await get(String(headers.location))).body).join()
    await expect.poll(shown, { interval: 20 }).not.toContain('reloads automatically')
    return shown()
  }
  const ended = (count: number) =>
    expect
      .poll(
        async () => {
          const { failed, completed } = await runner.load()
          return failed + completed
        },
        { interval: 10 },
      )
      .toBe(count)
  return { ...pages, fixture, rfqId: id, get, jobs, retry, afterRetry, ended }
}

describe.each([
  { name: 'in this process', skip: null, isRedis: false },
  { name: 'on Redis', skip: redisSkipReason, isRedis: true },
])('/queue, $name', ({ skip, isRedis }) => {
  if (skip !== null) {
    it.skip(`skipped: ${skip}`)
    return
  }
  const redis = isRedis ? useRedisRunners() : undefined
  const open = async () => openQueuePage(await redis?.open())

  it('shows failed jobs first with their error, RFQ and who added them, completed ones folded, and all in files', async () => {
    const { runner, rfqId, get, jobs, ended } = await open()
    expect((await get('/queue')).body).toContain('No jobs.')
    await runner.enqueue('poll-rfqs', { channel: KEY, cause: 'tick' }, 'poll-1')
    await runner.enqueue('rfq-report', { channel: KEY, rfqId, cause: 'page ana' }, 'report-1')
    await ended(2)
    const { body } = await get('/queue')
    expect(body).toMatch(
      /<details class="group" open.*Failed.*not used by this test.*<details class="group"><summary><h2>Completed/s,
    )
    // No page waits for the queue, so the navigation of the next one may be the first to show the count.
    await expect.poll(async () => (await get('/runs')).body).toMatch(/>Queue<span class="count"[^>]*>.*?1.*? failed</)
    expect(body).toContain(`href="/rfqs/${KEY}/1042"`)
    expect(body).toContain('Report on RFQ 1042')
    expect(body).toContain(isRedis ? 'Jobs of all processes, on Redis' : 'Jobs run in this process')
    const failed = { state: 'failed', job: 'rfq-report', channel: KEY, rfqId, cause: 'page ana', attempts: 1 }
    expect(await jobs()).toMatchObject([
      { ...failed, error: 'not used by this test', id: 'report-1' },
      { state: 'completed', job: 'poll-rfqs', cause: 'tick', error: null, id: 'poll-1' },
    ])
    expect(await jobs('&table=failed')).toMatchObject([failed])
    expect(await jobs('&state=active')).toEqual([])
    expect((await get('/queue?format=csv')).body).toContain('state,job,channel,rfqId,asOf,cause,retriedBy,addedAt')
    const one = (await get('/queue?state=completed')).body
    expect(one).toContain('Poll of RFQs')
    expect(one).not.toContain('not used by this test')
    for (const query of ['state=done', 'state=failed&page=2', 'sort=job', 'refused=x'])
      expect([query, (await get(`/queue?${query}`)).statusCode]).toEqual([query, 400])
  })

  it('reads only the jobs of one page from a queue with many', async () => {
    const { runner, get, ended } = await open()
    const count = 130
    for (let job = 0; job < count; job++)
      await runner.enqueue('channel-report', { channel: `acme/c${job}`, cause: 'tick' }, `report-${job}`)
    // Their channels are not configured: in this process they fail, on Redis they wait for a worker that has them.
    const state = isRedis ? 'delayed' : 'failed'
    if (isRedis) await expect.poll(async () => (await runner.load()).delayed).toBe(count)
    else await ended(count)
    const ranges: unknown[] = []
    const read = runner.jobs.bind(runner)
    runner.jobs = (...args) => {
      ranges.push(args)
      return read(...args)
    }
    const rows = async (url: string) => (await get(url)).body.match(/<tr>/g)?.length
    expect(await rows('/queue')).toBe(11)
    expect(await rows(`/queue?state=${state}`)).toBe(41)
    expect(await rows(`/queue?state=${state}&page=4`)).toBe(11)
    expect(ranges).toEqual([
      [state, { from: 0, to: 10 }],
      [state, { from: 0, to: 40 }],
      [state, { from: 120, to: 160 }],
    ])
    expect((await get('/queue')).body).toContain(`href="/queue?state=${state}"`)
  })

  it('retries a failed closing round for operators: it reads again, closes what qualifies, and names who retried it', async () => {
    const { fixture, runner, rfqId, get, retry, afterRetry, ended, jobs } = await open()
    const other = await fixture.store.beginRun({ channel: KEY, kind: 'close', now: fixture.now() })
    await runner.enqueue('close-expired', { channel: KEY, cause: 'api desk' }, 'close-1')
    await ended(1)
    const error = expect.stringMatching(/^skipped: /)
    expect(await jobs()).toMatchObject([{ state: 'failed', id: 'close-1', attempts: 1, error }])
    expect(fixture.posts()).toEqual([])
    await other.finish(RUN_END, fixture.now())
    const viewer = (await get('/queue', 'viewer')).body
    expect(viewer).toContain('Closing round')
    expect(viewer).not.toContain('>Retry<')
    expect((await retry({ job: 'close-1' }, 'viewer')).statusCode).toBe(403)
    expect((await get('/queue')).body).toContain('aria-label="Retry: Closing round, acme/forest"')
    expect(await afterRetry({ job: 'close-1' })).toBe('Closing round, acme/forest: completed.')
    expect(fixture.posts().map((post) => post.rfqId)).toEqual([rfqId])
    const [decision] = await fixture.store.decisions({ channel: KEY })
    expect(decision).toMatchObject({ rfqId, outcome: 'closed', evidence: { startedBy: 'page operator' } })
    const retried = { state: 'completed', cause: 'api desk', retriedBy: 'page operator', attempts: 2 }
    expect(await jobs()).toMatchObject([{ ...retried, id: 'close-1' }])
    expect((await get('/queue')).body).toContain('desk, over the API, retried by operator')
    // By a colleague whose page still shows it as failed.
    const late = await retry({ job: 'close-1' })
    expect(late.headers.location).toBe('/queue?job=close-1&refused=not-failed')
    expect(notices((await get(String(late.headers.location))).body)).toEqual([
      'The job was retried already. Closing round, acme/forest: completed.',
    ])
    expect(fixture.posts()).toHaveLength(1)
  })

  it('says why a job was not retried, and what became of one that failed again', async () => {
    const { runner, retry, afterRetry, ended } = await open()
    await runner.enqueue('channel-report', { channel: KEY, cause: 'page ana' }, 'report-1')
    await ended(1)
    expect(await afterRetry({ job: 'report-1' })).toBe(
      'Report on the channel, acme/forest: failed. not used by this test',
    )
    expect(await afterRetry({ job: 'gone' })).toBe('The job was not retried: it is no longer in the queue.')
    for (const fields of [{}, { job: 'report-1', all: 'failed' }]) expect((await retry(fields)).statusCode).toBe(400)
    runner.retry = async () => 'same-work'
    expect(await afterRetry({ job: 'report-1' })).toBe(
      'The job was not retried: another job for the same work is waiting or running.',
    )
    runner.retry = async () => {
      throw new QueueUnavailableError('no response')
    }
    expect((await retry({ job: 'report-1' })).statusCode).toBe(503)
  })

  it('retries all failed jobs, one for each work', async () => {
    const { fixture, runner, get, retry, ended, jobs } = await open()
    const fault = fixture.sandbox.faults.add({
      times: Number.POSITIVE_INFINITY,
      effect: { kind: 'status', status: 500 },
    })
    for (const [index, name] of (['poll-rfqs', 'poll-rfqs', 'poll-listings'] as const).entries()) {
      await runner.enqueue(name, { channel: KEY, cause: 'tick' }, `poll-${index}`)
      await ended(index + 1)
    }
    fault.remove()
    expect((await get('/queue')).body).toContain('Retry all 3 failed jobs')
    const { statusCode, headers } = await retry({ all: 'failed' })
    expect([statusCode, headers.location]).toEqual([303, '/queue?retried=2&left=1'])
    expect(notices((await get('/queue?retried=2&left=1')).body)).toEqual([
      '2 jobs are queued again. 1 failed job was not retried, because a job for the same work is queued already.',
    ])
    await ended(3)
    expect((await jobs()).map(({ id, state }: { id: string; state: string }) => `${id} ${state}`).sort()).toEqual([
      'poll-0 failed',
      'poll-1 completed',
      'poll-2 completed',
    ])
  })
})

it('/queue › retries nothing for a form without the token of the session', async () => {
  const { app, runner } = await openPages(await openChannelFixture())
  await runner.enqueue('channel-report', { channel: KEY, cause: 'tick' }, 'report-1')
  await expect.poll(async () => (await runner.load()).failed, { interval: 10 }).toBe(1)
  const { statusCode } = await sendForm(app, '/queue', { job: 'report-1', _csrf: 'x' })
  expect([statusCode, (await runner.job('report-1'))?.state]).toEqual([403, 'failed'])
})
