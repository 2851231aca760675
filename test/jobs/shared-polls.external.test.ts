import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { JobPayload } from '../../jobs/contract.js'
import { createHandlers, type HandlerDeps } from '../../jobs/handlers.js'
import { jobId } from '../../jobs/job-id.js'
import { eventually } from '../helpers/eventually.js'
import { ROUNDS } from '../helpers/long-tests.js'
import { redisSkipReason } from '../helpers/private-redis.js'
import { openProcessFixture } from '../helpers/process-fixture.js'
import { describeOnEachServer } from '../helpers/queue-servers.js'
import { createGate, recordingHandlers } from '../helpers/recording-handlers.js'
import { useRedisRunners } from '../helpers/redis-runners.js'
import { testConfig } from '../helpers/test-config.js'

const TICK: JobPayload = { channel: 'acme/forest', cause: 'tick' }
const BY_HAND: JobPayload = { ...TICK, cause: 'ann' }
const partOf = (run: number, number: number, slug: string): JobPayload => ({
  ...{ channel: `acme/${slug}`, cause: 'poll' },
  part: { run, number },
})

describeOnEachServer('the parts of polls', (newQueue) => {
  it('are run after all other jobs, the channels in turns, count as waiting, and are not kept', async () => {
    const queue = newQueue()
    const runner = await queue.open({}, 1)
    const names = (jobs: readonly { payload: JobPayload }[]) =>
      jobs.map(({ payload: { channel, part } }) => (part ? `${channel} ${part.number}` : channel))
    for (const [run, slug] of ['a', 'b'].entries()) {
      for (let number = 1; number <= 3; number++) {
        const part = partOf(run + 1, number, slug)
        expect(await runner.enqueue('poll-part', part, jobId('poll-part', part, new Date(0)))).toBe(true)
      }
    }
    await runner.enqueue('poll-rfqs', { ...TICK, channel: 'acme/late' }, 'late')
    expect(await runner.load()).toMatchObject({ waiting: 7, active: 0, delayed: 0 })
    expect(new Set(names(await runner.jobs(10)))).toEqual(
      new Set(['acme/late', ...['a', 'b'].flatMap((slug) => [1, 2, 3].map((number) => `acme/${slug} ${number}`))]),
    )
    expect(await runner.jobs(2)).toHaveLength(2)
    const gate = createGate()
    const { handlers, done } = recordingHandlers(async ({ part }) => {
      if (part?.number === 2) await gate.passed
    })
    await runner.work(handlers)
    await eventually(() => expect(done).toHaveLength(3))
    await runner.enqueue('poll-rfqs', { ...TICK, channel: 'acme/urgent' }, 'urgent')
    gate.open()
    await eventually(() => expect(done).toHaveLength(8))
    const [second, third] = [2, 3].map((number) => [`acme/a ${number}`, `acme/b ${number}`]) as [string[], string[]]
    expect(names(done)).toEqual([
      ...['acme/late', 'acme/a 1', 'acme/b 1', second[0]],
      ...['acme/urgent', second[1], ...third],
    ])
    await eventually(async () => expect(names(await runner.jobs(10)).sort()).toEqual(['acme/late', 'acme/urgent']))
    expect(queue.log.at('error')).toEqual([])
  })

  it('leave slots of a worker to other jobs, which begin at once, and are all read in the end', async () => {
    const queue = newQueue()
    const runner = await queue.open({ postponedPause: 100 }, 4)
    let gate = createGate()
    const read: number[] = []
    const { handlers, done } = recordingHandlers()
    const marketplace = { session: () => ({}) }
    const readPollPart: HandlerDeps['readPollPart'] = async (_context, { number }) => {
      await gate.passed
      return read.push(number)
    }
    const deps = { config: testConfig(), marketplace, readPollPart, now: () => new Date(0), log: queue.log }
    const { 'poll-part': pollPart } = createHandlers(deps as unknown as HandlerDeps)
    await runner.work({ ...handlers, 'poll-part': pollPart })
    for (let round = 0; round < ROUNDS; round++) {
      for (let number = 1; number <= 5; number++) {
        const part = partOf(round + 1, number, 'forest')
        await runner.enqueue('poll-part', part, jobId('poll-part', part, new Date(0)))
      }
      await eventually(async () => expect(await runner.load()).toEqual(expect.objectContaining({ active: 2 })))
      await runner.enqueue('close-expired', TICK, `close-${round}`)
      await runner.enqueue('poll-rfqs', TICK, `poll-${round}`)
      await eventually(() => expect(done).toHaveLength(2 * (round + 1)))
      expect(read).toHaveLength(5 * round)
      gate.open()
      await eventually(() => expect(read).toHaveLength(5 * (round + 1)))
      gate = createGate()
    }
    expect(queue.log.at('error')).toEqual([])
  })
})

describe.skipIf(redisSkipReason !== null)('a poll of a large channel', () => {
  const runners = useRedisRunners()

  /** Two workers and 100 RFQs, of which each takes a while to send. */
  async function openTwoWorkers(delayMs: number) {
    const fixture = await openProcessFixture({ rfqs: 100, more: `queue: ${runners.redis.url}\n` })
    const runner = await runners.open()
    const queue = { url: runners.redis.url, prefix: runners.prefix }
    const one = fixture.startWorker(queue)
    const two = fixture.startWorker(queue)
    for (const worker of [one, two]) await eventually(() => expect(worker.out).toContain('worker ready'))
    const times = Number.POSITIVE_INFINITY
    const slow = fixture.sandbox.faults.add({ operation: 'readRfq', times, effect: { kind: 'delay', ms: delayMs } })
    const poll = (tick: number) => runner.enqueue('poll-rfqs', BY_HAND, jobId('poll-rfqs', BY_HAND, new Date(tick)))
    const requested = () => {
      const ids = fixture.sandbox.requests.flatMap(({ operation, rfqId }) => (operation === 'readRfq' ? [rfqId] : []))
      fixture.sandbox.log.reset()
      return ids
    }
    return { ...fixture, one, two, slow, poll, requested }
  }
  const RUNS = 'select outcome, seen, inserted, changed, unchanged, missing, requests from runs order by id'
  const COMPLETE = { outcome: 'complete', seen: 300, missing: 0, changed: 0 }

  it('is read by all workers, each RFQ once, and recorded as one run', async () => {
    const { poll, requested, waitForRows, one, two, sql, rfqIds } = await openTwoWorkers(20)
    const first = { ...COMPLETE, inserted: 300, unchanged: 0, requests: 301 }
    const later = { ...COMPLETE, inserted: 0, unchanged: 300, requests: 301 }
    for (let round = 0; round < 6; round++) {
      await poll(round)
      await waitForRows(RUNS, [first, ...Array.from({ length: round }, () => later)])
      expect(requested().sort()).toEqual([...rfqIds].sort())
    }
    const helped = [one, two].map(({ out }) => out.split('read a part of a poll').length - 1)
    expect(helped.reduce((sum, each) => sum + each)).toBeGreaterThanOrEqual(6)
    expect(sql('select * from poll_parts')).toEqual([])
    expect(one.err + two.err).toBe('')
  })

  it('is complete, and its counts are exact, although a worker that helps is killed in a part', async () => {
    const { poll, waitForRows, one, two, slow, sql, database } = await openTwoWorkers(250)
    await poll(0)
    const holder = () => (sql('select holder from runs') as { holder: string }[] | null)?.[0]?.holder
    await eventually(() => expect(holder()).toBeDefined())
    const [beginner, helper] = JSON.parse(holder() ?? '{}').pid === one.pid ? [one, two] : [two, one]
    const ofHelper = 'number = 1 and claimed_by is not null and result is null'
    await eventually(() => expect(sql(`select number from poll_parts where ${ofHelper}`)).toEqual([{ number: 1 }]))
    const content = (sql('select content from poll_parts where number = 1') as { content: string }[])[0]?.content ?? ''
    const ids: string[] = JSON.parse(content).rfqs.map(({ id }: { id: string }) => id)
    const recorded = () => sql(`select id from entities where kind = 'rfq' and id in ('${ids.join("','")}')`)?.length
    await eventually(() => expect(recorded()).toBeGreaterThan(0))
    helper.signal('SIGKILL')
    expect(await helper.ended).toBe('SIGKILL')
    slow.remove()
    expect(recorded()).toBeLessThan(25)
    // As if 30 seconds had passed.
    const db = new Database(database)
    db.exec(`update poll_parts set claimed_until = '2000-01-01T00:00:00.000Z' where ${ofHelper}`)
    db.close()
    await waitForRows('select outcome, seen, inserted, changed, unchanged, missing from runs', [
      { ...COMPLETE, inserted: 300, unchanged: 0 },
    ])
    expect(sql('select count(*) as n from versions')).toEqual([{ n: 300 }])
    expect(beginner.err).toBe('')
  })
})
