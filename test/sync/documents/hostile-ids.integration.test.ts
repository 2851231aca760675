import { describe, expect, it } from 'vitest'
import { createReadiness } from '../../../src/readiness/readiness.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { ROUNDS } from '../../helpers/long-tests.js'
import { rowsOf } from '../../helpers/store/store-engine.js'
import { testConfig } from '../../helpers/test-config.js'

/** Documents, their versions, absences, problems and decisions. */
const counts = async ({ store }: ChannelFixture) => {
  const tables = [
    `documents where kind <> 'rfq-entry'`,
    `versions where kind <> 'rfq-entry' and bodies > 0`,
    'versions where bodies = 0',
    'problems',
    'close_decisions',
  ]
  return Promise.all(tables.map(async (table) => (await rowsOf(store, `select 1 as one from ${table}`)).length))
}
const storedIds = async ({ store }: ChannelFixture) =>
  ((await rowsOf(store, `select id from documents where kind <> 'rfq-entry' order by id`)) as { id: string }[]).map(
    ({ id }) => id,
  )

/** Identifiers that UTF-8, SQLite's functions or PostgreSQL cannot express. */
const UNSTORABLE = ['\ud800', '\udc00', 'a\ud800b', 'a\ud801b', 'a\0b', 'a\0c']
const IDS = ['a\ufffdb', 'a\\ud800b', 'a', 'a\\u0000b', '.', '..', ' ']
const ALL_IDS = [...UNSTORABLE, ...IDS]

describe('listings with any identifiers', () => {
  it('are kept apart, and nothing grows or goes missing over six polls and a restart', async () => {
    const fixture = await openChannelFixture()
    fixture.always(
      { operation: 'listListings' },
      {
        kind: 'transform',
        change: (body) => ({
          items: ALL_IDS.map((id) => ({
            ...body.items[0],
            id,
            projectName: JSON.stringify(id),
            additionalDocumentation: null,
          })),
        }),
      },
    )
    let before: unknown
    for (let poll = 0; poll < 6; poll++) {
      fixture.advanceSeconds(600)
      const { run } = await fixture.pollListings()
      expect(run).toMatchObject({
        outcome: 'complete',
        error: null,
        inserted: poll === 0 ? ALL_IDS.length : 0,
        missing: 0,
      })
      before ??= await counts(fixture)
      expect(await counts(fixture)).toEqual(before)
      if (poll === 2) await fixture.reopenStore()
    }
    const known = await fixture.store.listings({ channel: KEY })
    const isUsable = (id: string) => !id.startsWith('unidentified-')
    const ids = known.map(({ id }) => id)
    expect(ids.filter(isUsable).sort()).toEqual([...IDS].sort())
    expect(ids).toHaveLength(ALL_IDS.length)
    for (const { id, body, valid } of known) {
      const sent = (body as { id: string }).id
      expect([ALL_IDS.includes(sent), valid]).toEqual([true, isUsable(id)])
      expect(body).toMatchObject({ id: isUsable(id) ? id : sent, projectName: JSON.stringify(sent) })
    }
  })
})

it('RFQs without a usable identifier stay one each over polls and a restart while their text is the same', async () => {
  const long = 'i'.repeat(1001)
  const identities = [{ id: `${long}a` }, { id: `${long}b` }, { id: 17 }, {}, { id: null }]
  const all = identities.length
  const fixture = await openChannelFixture({ listings: 1 })
  fixture.sandbox.world.addRfq(CHANNEL, { state: 'closed' })
  let poll = 0
  const change = ({ items: [item] }: { items: object[] }) => {
    const { id: _, ...rest } = item as { id: string }
    const title = poll >= 3 ? { title: 'Renamed' } : {}
    const items = identities.map((identity, number) => ({ ...rest, ...title, number, ...identity }))
    // The order of a list has no meaning.
    return { items: poll % 2 ? items : items.reverse() }
  }
  fixture.always({ operation: 'listRfqs' }, { kind: 'transform', change })
  for (; poll < 6; poll++) {
    fixture.advanceSeconds(600)
    const { run } = await fixture.pollRfqs()
    const isOther = poll === 3
    expect(run).toMatchObject({ outcome: 'complete', inserted: isOther || poll === 0 ? all : 0, failedItems: 0 })
    expect(run.missing).toBe(isOther ? all : 0)
    const known = poll < 3 ? all : 2 * all
    expect((await counts(fixture)).slice(0, 3)).toEqual([known, known, known - all])
    if (poll === 2) await fixture.reopenStore()
  }
  for (const id of await storedIds(fixture)) expect(id).toMatch(/^unidentified-/)
})

describe('an RFQ whose identifier cannot be part of a URL', () => {
  const UNADDRESSABLE = ['.', '..']

  it('is recorded from its list entry with a problem; the poll is complete, and sends no request for it', async () => {
    const fixture = await openChannelFixture()
    const good = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' })
    for (const id of UNADDRESSABLE) fixture.sandbox.world.addRfq(CHANNEL, { id, responseDueDate: '2026-11-20' })
    let before: unknown
    for (let poll = 0; poll < 6; poll++) {
      fixture.advanceSeconds(600)
      const { run, failures } = await fixture.pollRfqs({ ...(poll === 5 && { recheckClosedHours: 0 }) })
      expect(run).toMatchObject({ outcome: 'complete', error: null, requests: 2, changed: 0, missing: 0 })
      expect(failures).toEqual([])
      before ??= await counts(fixture)
      expect(await counts(fixture)).toEqual(before)
      if (poll === 2) await fixture.reopenStore()
    }
    const known = await fixture.store.rfqs({ channel: KEY })
    const unread = known.filter(({ rfq }) => rfq.shape === 'list').map(({ rfq }) => rfq.id)
    expect(unread.sort()).toEqual([...UNADDRESSABLE].sort())
    const problems = await fixture.store.problems({ entityIds: UNADDRESSABLE })
    expect(problems).toMatchObject(UNADDRESSABLE.map(() => ({ path: 'id', code: 'unaddressable', times: 6 })))
    const schedule = { listings: null, rfqs: '*/5 * * * *', closeExpired: null, channelReport: null }
    const config = testConfig({ schedule })
    const runner = { load: async () => ({ waiting: 0, active: 0, oldestWaitingSeconds: 0 }) }
    const checks = await createReadiness({ config, store: fixture.store, runner, now: fixture.now })()
    expect(checks.find(({ name }) => name.startsWith('rfqs'))).toMatchObject({ ok: true })
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
    expect(fixture.posts()[0]?.path).toContain(good.id)
    expect(await fixture.store.verifyDecisions()).toMatchObject({ brokenAt: null, decisions: 3 })
  })

  it('is not read at every poll because a response of it has such an identifier, once it is closed', async () => {
    const fixture = await openChannelFixture()
    const rfq = fixture.sandbox.world.addRfq(CHANNEL)
    fixture.sandbox.world.addResponse(rfq.id, { id: '..' })
    fixture.sandbox.world.closeRfq(rfq.id)
    for (let poll = 0; poll < ROUNDS; poll++) {
      fixture.advanceSeconds(600)
      expect((await fixture.pollRfqs()).run).toMatchObject({
        outcome: 'complete',
        requests: poll === 0 ? 2 : 1,
        missing: 0,
      })
      if (poll === 2) await fixture.reopenStore()
    }
    const [known] = await fixture.store.rfqs({ channel: KEY })
    expect(known?.responses.map(({ id, shape }) => [id, shape])).toEqual([['..', 'summary']])
  })
})
