import { describe, expect, it, onTestFinished } from 'vitest'
import { ChannelError } from '../../src/marketplace/errors.js'
import type { PartClaim } from '../../src/store/contract.js'
import type { PollResult, PollSharing } from '../../src/sync/contract.js'
import { readPart, readPollPart } from '../../src/sync/read-part.js'
import { keepAsking } from '../../src/sync/share-poll.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { ROUNDS } from '../helpers/long-tests.js'
import { openAgain, rowsOf } from '../helpers/store-engine.js'

const RFQS = 52
const WRONG_KEY = { ...CHANNEL, apiKey: 'a wrong key' }

/** A marketplace with a channel that is worth sharing, and a second process on the same database. */
async function openShared({ rfqs = RFQS, responsesPerRfq = 1 } = {}) {
  const fixture = await openChannelFixture({ rfqs, responsesPerRfq })
  /** Opens the database as another process, whose clock may be ahead. */
  const open = async (aheadSeconds: number) => {
    const clock = () => new Date(fixture.now().getTime() + aheadSeconds * 1_000)
    const store = await openAgain(fixture.store.name, { clock })
    onTestFinished(() => store.close())
    return store
  }
  const other = await open(0)
  const helped: (number | null)[] = []
  /** Lets the other process read parts, as a worker that takes their jobs would. */
  const help = async (
    run: number,
    parts: number,
    { signal, channel }: { signal?: AbortSignal; channel?: typeof WRONG_KEY } = {},
  ) => {
    for (let number = 1; number < parts; number++) {
      const session = fixture.session(signal, channel)
      const context = { session, store: other, now: fixture.now, ...(signal && { signal }) }
      helped.push(await readPollPart(context, { run, number }, { concurrency: 4 }))
    }
  }
  return { fixture, open, help, helped }
}

const withHelp = (
  work: (run: number, parts: number) => Promise<unknown>,
): { sharing: PollSharing; done: Promise<unknown>[] } => {
  const done: Promise<unknown>[] = []
  return { done, sharing: { askForHelp: ({ run, to }) => void done.push(work(run, to)) } }
}

/** How often each RFQ was requested since the last call. */
function requestsByRfq({ sandbox }: ChannelFixture): number[] {
  const counts = new Map<string, number>()
  for (const { operation, rfqId } of sandbox.requests)
    if (operation === 'readRfq' && rfqId) counts.set(rfqId, (counts.get(rfqId) ?? 0) + 1)
  sandbox.log.reset()
  return [...counts.values()]
}

/** What a run found and recorded. */
async function recordOf(fixture: ChannelFixture) {
  const rows = (query: string) => rowsOf(fixture.store, query)
  return {
    versions: await rows(
      'select kind, rfq_id, id, version, content_hash, run_id, shape, valid from versions order by kind, rfq_id, id, version',
    ),
    absences: await rows('select kind, rfq_id, id, run_id, missing_since, returned_at from absences order by id'),
    events: await rows(
      'select kind, rfq_id, offer_id, run_id, count, summary from events order by kind, rfq_id, offer_id, run_id',
    ),
  }
}

/** The result of a poll, whatever its order and the port of the marketplace. */
function comparable({ run, failures }: PollResult) {
  const anyPort = (text: string | null) => text?.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST') ?? null
  return {
    run: {
      ...run,
      error: anyPort(run.error)
        ?.split(/ (?=RFQ )/)
        .sort(),
    },
    failures: failures.map(({ id, message }) => `${id} ${anyPort(message)}`).sort(),
  }
}

/** With requests for everything. */
const planning = (fixture: ChannelFixture) => ({
  ...{ budget: 1_000, usualBudget: 1_000, intervalMs: 300_000, offersMaxAgeMinutes: 10, urgentHours: 24 },
  nextPollAt: new Date(fixture.now().getTime() + 300_000),
})

/** Changes the marketplace in the same way whichever fixture it is of. */
async function changeWorld({ sandbox, store }: ChannelFixture, round: number): Promise<void> {
  const { world, faults } = sandbox
  const ids = (await store.presentIds(KEY, 'rfq')).sort()
  const rfq = (index: number) => world.rfq(ids[(index + round) % ids.length] as string)
  for (const index of [1, 20, 40]) world.changeRfq(rfq(index).id, { title: `Title ${round}` })
  const offers = ids.flatMap((id) => world.rfq(id).responses)
  world.removeResponse(offers[round]?.id ?? '')
  world.addResponse(rfq(30).id)
  world.removeRfq(rfq(10).id)
  faults.add({ operation: 'readRfq', rfqId: rfq(50).id, effect: { kind: 'status', status: 404 } })
  const added = world.addRfq(CHANNEL)
  if (round % 2 === 0) faults.add({ operation: 'readRfq', rfqId: added.id, effect: { kind: 'status', status: 404 } })
}

describe('a shared poll', () => {
  it('records and counts what a poll by one process does, and requests each RFQ once, poll after poll', async () => {
    const alone = await openChannelFixture({ rfqs: 60, responsesPerRfq: 1 })
    const { fixture, help, helped } = await openShared({ rfqs: 60 })
    for (let round = 0; round < 6; round++) {
      const poll = withHelp(help)
      const options = round < 3 ? {} : { planning: planning(fixture) }
      const expected = await alone.pollRfqs(options)
      const shared = await fixture.pollRfqs({ ...options, sharing: poll.sharing })
      await Promise.all(poll.done)
      expect(comparable(shared)).toEqual(comparable(expected))
      expect(shared.changes).toEqual([])
      expect(await recordOf(fixture)).toEqual(await recordOf(alone))
      expect(requestsByRfq(fixture).filter((count) => count !== 1)).toEqual([])
      for (const each of [alone, fixture]) {
        each.advanceSeconds(300)
        await changeWorld(each, round)
      }
    }
    expect(helped.filter((documents) => documents !== null).length).toBeGreaterThan(5)
    expect(await rowsOf(fixture.store, 'select * from poll_parts')).toEqual([])
  })

  it('is complete although nobody helps or can be asked, and small ones are not shared', async () => {
    const { fixture } = await openShared()
    const asked: number[] = []
    const sharing = { askForHelp: ({ from, to }: { from: number; to: number }) => void asked.push(from, to) }
    expect((await fixture.pollRfqs({ sharing })).run).toMatchObject({ outcome: 'complete', inserted: 2 * RFQS })
    expect(asked).toEqual([1, 3])
    const small = await openShared({ rfqs: 49 })
    await small.fixture.pollRfqs({ sharing })
    expect(asked).toEqual([1, 3])
  })

  it('counts exactly what is new although a process died after it had recorded half of a part, again and again', async () => {
    const { fixture, open } = await openShared({ responsesPerRfq: 0 })
    const { world } = fixture.sandbox
    const [dead, aMinuteAgo] = [await open(0), await open(-60)]
    for (let round = 0; round < ROUNDS; round++) {
      const poll = withHelp(async (runId) => {
        const claim = (await dead.claimPollPart({ runId, number: 1 })) as PartClaim
        const context = { session: fixture.session(), store: dead, now: fixture.now }
        const content = JSON.parse(claim.content)
        const half = JSON.stringify({ ...content, rfqs: content.rfqs.slice(0, 12) })
        const { error } = await readPart(context, { ...claim, content: half }, { concurrency: 4, sent: () => 0 })
        expect(error).toBeNull()
        // As if it had renewed its claim a minute ago for the last time.
        expect(await aMinuteAgo.renewPollPart(claim, 0)).toBe(true)
      })
      const { run } = await fixture.pollRfqs({ sharing: poll.sharing })
      await Promise.all(poll.done)
      const isFirst = round === 0
      expect(run).toMatchObject({
        ...{ outcome: 'complete', seen: RFQS, missing: 0, error: null },
        ...{ inserted: isFirst ? RFQS : 0, changed: isFirst ? 0 : RFQS, unchanged: 0 },
      })
      expect(requestsByRfq(fixture).filter((count) => count === 2)).toHaveLength(12)
      fixture.advanceSeconds(300)
      for (const id of await fixture.store.presentIds(KEY, 'rfq')) world.changeRfq(id, { title: `Title ${round}` })
    }
  })

  it('goes on with a part at once that was given back by a process that is stopped', async () => {
    const { fixture, help } = await openShared({ responsesPerRfq: 0 })
    const stopped: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const stop = new AbortController()
      // It may have read its parts before.
      const poll = withHelp((run, parts) =>
        help(run, parts, { signal: stop.signal }).catch(({ message }: Error) => stopped.push(message)),
      )
      fixture.sandbox.faults.add({ operation: 'readRfq', skip: 30, effect: { kind: 'call', call: () => stop.abort() } })
      const { run } = await fixture.pollRfqs({ sharing: poll.sharing, full: true })
      await Promise.all(poll.done)
      expect(run).toMatchObject({
        outcome: 'complete',
        failedItems: 0,
        seen: RFQS,
        unchanged: round === 0 ? 0 : RFQS,
      })
      fixture.advanceSeconds(300)
    }
    // Between two requests, or during one.
    expect(new Set(stopped.map((message) => /stopped/.test(message)))).toEqual(new Set([true]))
  })

  it('is partial and counts what all processes recorded if the process that began it is stopped', async () => {
    const { fixture, help } = await openShared({ rfqs: 60 })
    for (let round = 0; round < ROUNDS; round++) {
      const stop = new AbortController()
      const poll = withHelp(help)
      const skip = 10 * round
      fixture.sandbox.faults.add({ operation: 'readRfq', skip, effect: { kind: 'call', call: () => stop.abort() } })
      const { run } = await fixture.pollRfqs({ sharing: poll.sharing, full: true, signal: stop.signal })
      await Promise.all(poll.done)
      expect(run).toMatchObject({ outcome: 'partial', error: expect.stringContaining('stopped') })
      const versions = `select count(*) as n from versions where run_id = ${run.id} and version = 1`
      expect(await rowsOf(fixture.store, versions)).toEqual([{ n: run.inserted }])
      fixture.advanceSeconds(300)
    }
    const { run } = await fixture.pollRfqs({ sharing: withHelp(help).sharing, full: true })
    expect(run).toMatchObject({ outcome: 'complete', seen: 120, changed: 0 })
  })

  it('counts what is unchanged right if the process that began it is stopped while another one holds a part, poll after poll', async () => {
    const { fixture, open } = await openShared({ responsesPerRfq: 0 })
    const helper = await open(0)
    for (let round = 0; round < ROUNDS; round++) {
      const stop = new AbortController()
      let ofHelper: string[] = []
      const poll = withHelp(async (runId) => {
        const claim = (await helper.claimPollPart({ runId, number: 1 })) as PartClaim
        const context = { session: fixture.session(), store: helper, now: fixture.now }
        const content = JSON.parse(claim.content)
        const rfqs: { id: string }[] = content.rfqs.slice(0, 12)
        ofHelper = rfqs.map(({ id }) => id)
        const half = { ...claim, content: JSON.stringify({ ...content, rfqs }) }
        expect((await readPart(context, half, { concurrency: 4, sent: () => 0 })).error).toBeNull()
        stop.abort()
      })
      const { run } = await fixture.pollRfqs({ sharing: poll.sharing, full: true, signal: stop.signal })
      await Promise.all(poll.done)
      const count = async (query: string) =>
        ((await rowsOf(fixture.store, `select count(*) as n from ${query}`))[0] as { n: number }).n
      const ids = ofHelper.map((id) => `'${id}'`).join()
      const read = `entities where last_observed_at = '${fixture.now().toISOString()}' and id not in (${ids})`
      const found = `versions where run_id = ${run.id}`
      const ofBeginner = `${found} and id not in (${ids})`
      const unchanged = `(select id from ${read} except select id from ${ofBeginner}) unchanged`
      expect(run.outcome).toBe('partial')
      expect(run.inserted + run.changed).toBe(await count(found))
      expect(run.unchanged).toBe(await count(unchanged))
      expect(await count(`${found} and id in (${ids})`)).toBeGreaterThan(0)
      fixture.advanceSeconds(300)
      const known = await fixture.store.presentIds(KEY, 'rfq')
      for (const id of known.filter((_, at) => at % 2 === 0))
        fixture.sandbox.world.changeRfq(id, { title: `Title ${round}` })
    }
  })

  it('is complete although the marketplace refuses a process that helps, poll after poll', async () => {
    const { fixture, help } = await openShared({ responsesPerRfq: 0 })
    for (let round = 0; round < ROUNDS; round++) {
      const refused = (run: number, parts: number) => help(run, parts, { channel: WRONG_KEY })
      const poll = withHelp((run, parts) => expect(refused(run, parts)).rejects.toThrow(ChannelError))
      const { run } = await fixture.pollRfqs({ sharing: poll.sharing, full: true })
      await Promise.all(poll.done)
      expect(run).toMatchObject({ outcome: 'complete', seen: RFQS, error: null })
      fixture.advanceSeconds(300)
    }
    expect(await rowsOf(fixture.store, `select kind from events where kind = 'channel.key-refused'`)).toEqual([])
  })

  it('ends as a whole with the pause that the marketplace asks another process for', async () => {
    const { fixture, help, helped } = await openShared({ responsesPerRfq: 0 })
    const poll = withHelp(async (run, parts) => {
      const [part] = (await rowsOf(fixture.store, 'select content from poll_parts where number = 1')) as [PartClaim]
      const rfqId = JSON.parse(part.content).rfqs[0].id
      const effect = { kind: 'status', status: 429, headers: { 'Retry-After': '3600' } } as const
      fixture.sandbox.faults.add({ operation: 'readRfq', rfqId, effect })
      await help(run, parts)
    })
    const { run } = await fixture.pollRfqs({ sharing: poll.sharing })
    await Promise.all(poll.done)
    expect(run).toMatchObject({ outcome: 'partial', failedItems: null, notBefore: expect.any(String) })
    expect(helped).toEqual([null, null])
  })

  it('asks for help with the next 50 parts, and with more as parts are finished', async () => {
    const unfinished = [200, 200, 160, 160, 30]
    const store = {
      pollPartsLeft: async () => ({ unfinished: unfinished.shift() ?? 0, free: 0, ended: false }),
    }
    const asked: number[][] = []
    const askForHelp: PollSharing['askForHelp'] = ({ run, from, to }) => void asked.push([run, from, to])
    const { signal } = new AbortController()
    const run = { id: 7 }
    await keepAsking({ context: { store }, run }, { parts: 200, askForHelp, signal, intervalMs: 1 })
    expect(asked).toEqual([
      [7, 1, 51],
      [7, 51, 91],
      [7, 91, 200],
    ])
  })

  it('is no longer read by helpers once its run has ended, which is no error', async () => {
    const { fixture, open, help, helped } = await openShared()
    const later = await open(60)
    let taken: Promise<unknown> | null = null
    const takeOver = () => {
      taken ??= later.beginRun({ channel: KEY, kind: 'rfqs', now: fixture.now() })
      return taken
    }
    const poll = withHelp(help)
    // Every further request waits for it.
    const times = Number.POSITIVE_INFINITY
    fixture.sandbox.faults.add({ operation: 'readRfq', skip: 5, times, effect: { kind: 'call', call: takeOver } })
    await expect(fixture.pollRfqs({ sharing: poll.sharing })).rejects.toThrow('taken over')
    await Promise.all(poll.done)
    expect(helped.filter((documents) => documents !== null)).toEqual([])
  })
})
