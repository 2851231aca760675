import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/core/decision/settings.js'
import { REVISION_KINDS } from '../../src/core/records.js'
import type { PollCheck } from '../../src/readiness/poll-freshness.js'
import { createPollChecks } from '../../src/readiness/poll-freshness.js'
import { changeFeed, changeGroups } from '../../src/tables/changes/changes.js'
import { createRulesLookup } from '../../src/tables/channels/channel-rules.js'
import { createRfqList } from '../../src/tables/rfqs/rfq-list.js'
import { today } from '../../src/tables/today/today.js'
import { countWaiting } from '../../src/tables/today/waiting.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { ROUNDS } from '../helpers/long-tests.js'
import { openAwardedRfq } from '../helpers/store/awarded-rfq.js'
import { openRecorder } from '../helpers/store/recorder.js'
import { testConfig } from '../helpers/test-config.js'
import { itemsOf, todaySource } from '../helpers/today-source.js'
import { giveUp } from '../web/support/dead-letters.js'

const RULES = { key: KEY, timeZone: 'UTC', graceHours: 0, autoClose: 'on' as const }
const listOf = ({ store }: ChannelFixture) => createRfqList({ store, channels: [RULES], settings: DEFAULT_SETTINGS })

/** Six rounds in each of which offers and RFQs appear, change, leave and return. */
async function sixRounds(fixture: ChannelFixture, afterPoll: () => Promise<void>): Promise<void> {
  const { world } = fixture.sandbox
  const ids: string[] = []
  let removed: ReturnType<typeof world.response> | null = null
  for (let round = 0; round < 6; round++) {
    fixture.advanceSeconds(8 * 3600)
    const rfq = world.addRfq(CHANNEL).id
    ids.push(rfq)
    for (let offer = 0; offer < 3; offer++) world.addResponse(rfq)
    const [first = '', second = ''] = (world.findRfq(ids[0] ?? '')?.record.responses ?? []).map(({ id }) => id)
    world.changeResponse(first, { offer: { totalPrice: 1000 + round, scheduledDeliveries: [] } })
    if (round % 2 === 1) {
      removed = world.response(second)
      world.removeResponse(second)
    } else if (removed !== null) world.putResponse(world.findRfq(ids[0] ?? '') as never, removed)
    if (round === 3) world.removeRfq(ids[1] ?? '')
    if (round === 4) world.closeRfq(ids[2] ?? '')
    await fixture.pollRfqs({ recheckClosedHours: 0 })
    await afterPoll()
  }
}

describe('the list of RFQs', () => {
  it('has no RFQ as overdue whose due date is a placeholder', async () => {
    const fixture = await openChannelFixture()
    for (const responseDueDate of ['2026-11-20', '1970-01-01'])
      fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate })
    await fixture.pollRfqs()
    const rows = await listOf(fixture).rows({ now: fixture.now() })
    const overdue = rows.filter((row) => row.overdue).map(({ responseDueDate }) => responseDueDate)
    expect(overdue).toEqual(['2026-11-20'])
  })
})

describe('the change feed', () => {
  it('lists every change of a period once, newest first, page by page, also as of a past moment', async () => {
    const fixture = await openChannelFixture()
    const moments: Date[] = []
    await sixRounds(fixture, async () => void moments.push(fixture.now()))
    const all = await changeFeed(fixture.store, { limit: 1000 })
    const events = all.entries.flatMap(({ changes }) => changes.map(({ event }) => event))
    expect(new Set(events)).toEqual(new Set(['appeared', 'changed', 'withdrawn', 'reinstated', 'closed']))
    expect(all.nextCursor).toBeNull()
    const times = all.entries.map(({ observedAt }) => observedAt)
    expect(times).toEqual([...times].sort().reverse())

    const paged: string[] = []
    let before: string | null | undefined
    do {
      const page = await changeFeed(fixture.store, { limit: 4, ...(before && { before }) })
      paged.push(...page.entries.map(({ cursor }) => cursor))
      before = page.nextCursor
    } while (before !== null)
    expect(paged).toEqual(all.entries.map(({ cursor }) => cursor))
    expect(new Set(paged).size).toBe(paged.length)

    const [, second, third, fourth] = moments as [Date, Date, Date, Date]
    const part = await changeFeed(fixture.store, { after: second, asOf: fourth, limit: 1000 })
    expect(new Set(part.entries.map(({ observedAt }) => observedAt))).toEqual(
      new Set([third, fourth].map((moment) => moment.toISOString())),
    )
    await expect(changeFeed(fixture.store, { before: 'nonsense' })).rejects.toThrow('is not a cursor')
  })

  it('groups what changed about an RFQ at one moment, and never splits a group between pages', async () => {
    const fixture = await openChannelFixture()
    await sixRounds(fixture, async () => {})
    const { entries } = await changeFeed(fixture.store, { limit: 1000 })
    const all = await changeGroups(fixture.store, { limit: 1000 })
    const keyOf = ({ observedAt, rfqId }: { observedAt: string; rfqId: string }) => `${observedAt} ${rfqId}`
    expect(all.groups.map(keyOf)).toEqual([...new Set(entries.map(keyOf))])
    expect(all.groups.flatMap((group) => group.entries.map(({ cursor }) => cursor)).sort()).toEqual(
      entries.map(({ cursor }) => cursor).sort(),
    )
    const paged: typeof all.groups = []
    let before: string | null | undefined
    do {
      const page = await changeGroups(fixture.store, { limit: 2, ...(before && { before }) })
      expect(page.groups.length).toBeLessThanOrEqual(2)
      paged.push(...page.groups)
      before = page.nextCursor
    } while (before !== null)
    expect(paged).toEqual(all.groups)
    for (const kind of REVISION_KINDS) {
      const some = await changeFeed(fixture.store, { kinds: [kind], limit: 1000 })
      expect(some.entries).toEqual(entries.filter(({ entity }) => entity === kind))
    }
  })

  it('has awards, their withdrawal, and who closed an RFQ, as of each moment', async () => {
    const fixture = await openAwardedRfq()
    await fixture.award([fixture.cheap])
    fixture.advanceSeconds(3600)
    const [award] = await fixture.store.awards({ standing: true })
    const withdrawn = { award: award?.id ?? 0, at: fixture.now().toISOString(), by: 'ben', because: 'No budget' }
    await fixture.store.withdrawAward({ ...withdrawn, programVersion: 'test' })
    const read = async (asOf?: Date) =>
      (await changeFeed(fixture.store, { kinds: ['award'], ...(asOf && { asOf }) })).entries.map(
        ({ messages }) => messages,
      )
    const [withdrawal, recorded] = await read()
    expect(withdrawal).toEqual([expect.stringMatching(/^Withdrawn by ben: .+ · .+, because “No budget”\.$/)])
    expect(recorded).toEqual([
      expect.stringMatching(/^Recorded by ana: .+ · .+, 2,000 t at 9\.00 USD\/t, 18,000 USD\. As recommended\.$/),
    ])
    expect(await read(new Date(fixture.now().getTime() - 1))).toEqual([recorded])

    fixture.setTime('2027-07-01T12:00:00.000Z')
    await fixture.pollRfqs()
    await fixture.closeExpired()
    await fixture.pollRfqs({ recheckClosedHours: 0 })
    const { entries } = await changeFeed(fixture.store, { kinds: ['rfq'] })
    expect(entries[0]?.messages).toEqual(['Closed by Quotekeeper.'])
  })
})

describe('today', () => {
  const BEHIND: PollCheck = {
    channel: KEY,
    kind: 'rfqs',
    ok: false,
    message: 'no complete poll yet',
    completeAt: null,
    lostEntriesAt: null,
  }

  it('says that a list may not be whole, poll after poll, until it is accepted or they are back', async () => {
    const fixture = await openChannelFixture({ rfqs: 12 })
    const { faults } = fixture.sandbox
    const schedule = { ...testConfig().schedule, rfqs: '*/5 * * * *' }
    const pollChecks = createPollChecks(testConfig({ schedule }), fixture.store)
    const behind = async () => {
      const source = { ...todaySource(fixture.store, [RULES]), pollChecks }
      const items = itemsOf(await today(source, { now: fixture.now(), since: fixture.now() }))
      return items.filter(({ kind }) => kind === 'behind').map(({ message }) => message)
    }
    await fixture.pollRfqs()
    expect(await behind()).toEqual([])
    for (let round = 0; round < ROUNDS; round++) {
      fixture.advanceSeconds(300)
      faults.add({ operation: 'listRfqs', effect: { kind: 'empty' } })
      await fixture.pollRfqs()
      expect(await behind()).toEqual([expect.stringMatching(/^The list of RFQs may not be whole: none/)])
    }
    fixture.advanceSeconds(300)
    await fixture.pollRfqs()
    expect(await behind()).toEqual([])
  })

  it('has one row for each RFQ, most urgent first, each with its next step; closings and the system apart', async () => {
    const fixture = await openChannelFixture()
    const { world, faults } = fixture.sandbox
    const add = (number: number, responseDueDate: string) => world.addRfq(CHANNEL, { number, responseDueDate }).id
    add(1, '2026-11-22')
    const later = add(2, '2026-11-26')
    const changed = world.addResponse(later).id
    add(3, '2027-01-31')
    add(4, '2026-11-20')
    await fixture.pollRfqs()
    faults.add({ operation: 'closeRfq', effect: { kind: 'status', status: 400 } })
    await fixture.closeExpired()
    const recorder = openRecorder({ ...fixture, store: fixture.store, timeZone: RULES.timeZone })
    await recorder.round()
    fixture.advanceSeconds(20 * 3600)
    const since = new Date(fixture.now().getTime() - 3600_000)
    world.addResponse(later)
    world.changeResponse(changed, { status: 'accepted' })
    world.changeRfq(world.channel(CHANNEL)?.rfqs[2]?.terms.id ?? '', { minVolume: 'many' as never })
    await fixture.pollRfqs()
    fixture.setTime('2026-11-23T00:30:00.000Z')

    const source = {
      store: fixture.store,
      rfqs: listOf(fixture),
      channels: [RULES],
      settings: DEFAULT_SETTINGS,
      config: { closing: { maxPerRun: 25 } },
      pollChecks: async () => [BEHIND],
      findClosingBlocker: async () => null,
      findClockSkewBlock: async () => null,
    }
    await recorder.round()
    const found = await today(source, { now: fixture.now(), since })
    expect(itemsOf(found).map(({ kind, severity, rfqNumber }) => [kind, severity, rfqNumber])).toEqual([
      ['overdue', 'high', 1],
      ['due', 'medium', 2],
      ['problems', 'medium', 3],
      ['refused', 'high', 4],
      ['behind', 'high', null],
      ['problems', 'low', null],
    ])
    const [overdue, due, invalid] = found.rfqs
    expect(overdue?.action).toEqual({
      message: 'Close now',
      command: 'quotekeeper close-expired --channel acme/forest',
      path: '/rfqs/acme/forest/1/closing',
    })
    expect(due).toMatchObject({
      kinds: ['due', 'recommendation', 'offers'],
      daysToDue: 3,
      award: { source: 'accepted', offers: [expect.any(String)] },
      changes: [
        expect.stringMatching(/^no award → .+, because the offer of .+ was accepted$/),
        '1 new offer, 1 changed',
      ],
      message: expect.stringMatching(/^Due Thu 26 Nov\. Accepted: .+: [\d,]+ t/),
    })
    expect(invalid).toMatchObject({
      kinds: ['problems', 'rfqs'],
      changes: [expect.stringMatching(/^Minimum volume [\d,.]+ → “many”$/)],
      note: 'Its document is not valid, so nothing closes it.',
    })
    expect(found.summary).toMatchObject({ due: 1, overdue: 2, waiting: 5 })
    await giveUp(fixture, ['crm'])
    // The RFQ whose close was refused is overdue, too.
    const counted = { rfqs: 4, closings: 1, notifications: 1 }
    const waiting = (now: Date) => countWaiting({ store: fixture.store, rulesOf: createRulesLookup([RULES]) }, now)
    expect(await waiting(fixture.now())).toEqual(counted)
    expect(await waiting(new Date('2027-01-24T12:00:00.000Z'))).toEqual(counted)
    expect((await today(source, { now: fixture.now(), since, channel: KEY })).system[1]).toMatchObject({
      kind: 'undelivered',
      severity: 'medium',
      message: expect.stringMatching(/^1 notification .*: 1 for crm\.$/),
    })
    const quiet = { ...source, pollChecks: async () => [], findClosingBlocker: async () => null }
    const nothing = await today(quiet, {
      now: fixture.now(),
      since: fixture.now(),
      dueWithinDays: 2,
      channel: 'acme/blue',
    })
    expect(itemsOf(nothing)).toEqual([])
    expect(nothing.summary).toEqual({ open: 0, values: [], due: 0, overdue: 0, waiting: 0 })
  })

  it('tells what is new or changed since of each RFQ, and nothing of what the first poll found', async () => {
    const fixture = await openChannelFixture()
    const { world } = fixture.sandbox
    const [first = '', second = ''] = [1, 2].map(
      (number) => world.addRfq(CHANNEL, { number, responseDueDate: '2027-01-31' }).id,
    )
    const changed = world.addResponse(first).id
    for (let offer = 0; offer < 3; offer++) world.addResponse(second)
    fixture.advanceSeconds(60)
    const before = new Date(fixture.now().getTime() - 1)
    await fixture.pollRfqs()
    const source = todaySource(fixture.store, [RULES])
    const news = async (since: Date) => {
      const { rfqs } = await today(source, { now: fixture.now(), since, channel: KEY })
      return rfqs.map(({ rfqNumber, changes }) => `${rfqNumber}: ${changes.join('; ')}`).sort()
    }
    expect(await news(before)).toEqual([])
    const added = world.addRfq(CHANNEL, { number: 3, responseDueDate: '2027-01-31' }).id
    for (let round = 1; round <= 6; round++) {
      fixture.advanceSeconds(3600)
      world.addResponse(added)
      world.changeResponse(changed, { status: round % 2 === 1 ? 'accepted' : 'submitted' })
      await fixture.pollRfqs()
      const offers = `${round} new ${round === 1 ? 'offer' : 'offers'}`
      expect(await news(before)).toEqual(['1: 1 changed offer', `3: New RFQ; ${offers}`])
      const later = round === 1 ? '3: New RFQ; 1 new offer' : '3: 1 new offer'
      expect(await news(new Date(fixture.now().getTime() - 1))).toEqual(['1: 1 changed offer', later])
    }
  })

  it('has a row for each RFQ that is new, changed, gone or closed, and none for the rest, round after round', async () => {
    const fixture = await openChannelFixture()
    const { world } = fixture.sandbox
    const add = (number: number) => world.addRfq(CHANNEL, { number, responseDueDate: '2027-01-31' }).id
    const [same = '', changing = ''] = [1, 2].map(add)
    const offer = world.addResponse(same).id
    add(3)
    await fixture.pollRfqs()
    const source = todaySource(fixture.store, [RULES])
    const linesSince = async (since: Date) => {
      const { rfqs } = await today(source, { now: fixture.now(), since })
      return rfqs
        .map(
          ({ kind, rfqNumber, changes, moreChanges }) => `${kind} ${rfqNumber} ${changes.join('; ')} +${moreChanges}`,
        )
        .sort()
    }
    for (let round = 1; round <= 6; round++) {
      const since = fixture.now()
      fixture.advanceSeconds(3600)
      const added = add(10 + round)
      world.changeRfq(changing, { title: `Title ${round}`, maxVolume: 5000 + round, reference: `R-${round}` })
      world.changeResponse(offer, { offer: { totalPrice: 1000 + round } })
      await fixture.pollRfqs()
      expect(await linesSince(since)).toEqual([
        'offers 1 1 changed offer +0',
        `rfqs ${10 + round} New RFQ +0`,
        expect.stringMatching(/^rfqs 2 Volume: .+; Title changed: .+ → .+ \+1$/),
      ])
      world.removeRfq(added)
      fixture.advanceSeconds(60)
      await fixture.pollRfqs()
      expect(await linesSince(new Date(fixture.now().getTime() - 1))).toEqual([
        `rfqs ${10 + round} No longer listed +0`,
      ])
    }
    fixture.advanceSeconds(60)
    world.closeRfq(changing)
    await fixture.pollRfqs()
    expect(await linesSince(new Date(fixture.now().getTime() - 1))).toEqual(['rfqs 2 Closed +0'])
  })

  it('shows a held round instead of its RFQs, and names nothing that a dry-run channel will not close as urgent', async () => {
    const fixture = await openChannelFixture()
    for (const number of [1, 2, 3]) fixture.sandbox.world.addRfq(CHANNEL, { number, responseDueDate: '2026-11-20' })
    await fixture.pollRfqs()
    const { approvalPlan } = await fixture.closeExpired({ maxPerRun: 2 })
    const todayWith = (autoClose: 'on' | 'dry-run') =>
      today(todaySource(fixture.store, [{ ...RULES, autoClose }]), { now: fixture.now(), since: fixture.now() })
    expect(itemsOf(await todayWith('on'))).toMatchObject([
      { kind: 'blocked', severity: 'high', action: { command: expect.stringContaining(`--approve ${approvalPlan}`) } },
    ])
    await fixture.store.supersedePlans(KEY, fixture.now())
    expect(itemsOf(await todayWith('dry-run'))).toMatchObject([
      { kind: 'overdue', severity: 'high', rfqNumber: 3 },
      { kind: 'overdue', severity: 'high', rfqNumber: 2 },
      { kind: 'overdue', severity: 'high', rfqNumber: 1 },
    ])
  })
})
