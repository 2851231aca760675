import { describe, expect, it } from 'vitest'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { executeIn, isPostgres } from '../../helpers/store/store-engine.js'

const DUE = '2026-11-20'
const HUGE = '12345678901234567890'

const DROP_GUARDS = isPostgres
  ? 'alter table versions disable trigger user'
  : [
      ...['immutable', 'no_delete'].map((name) => `drop trigger if exists versions_${name}`),
      // They read documents as they are written.
      ...['number', 'reference'].map((name) => `drop index if exists versions_${name}`),
    ].join('; ')

/** Somebody who can write the database rewrites texts that are stored, whatever guards them. */
const rewrite = ({ store }: ChannelFixture, from: string, to: string, table = 'versions') => {
  const column = table === 'documents' ? 'latest_body' : 'body'
  return executeIn(store, `${DROP_GUARDS}; update ${table} set ${column} = replace(${column}, '${from}', '${to}')`)
}

const answerDetails = (fixture: ChannelFixture, rfqId: string, change: (text: string) => string) =>
  fixture
    .session()
    .readRfq(rfqId)
    .then(({ value: { body } }) =>
      fixture.sandbox.faults.add({
        ...{ rfqId, operation: 'readRfq', times: Number.POSITIVE_INFINITY },
        effect: { kind: 'text', text: change(JSON.stringify(body)), contentType: 'application/json' },
      }),
    )

/**
 * RFQs that are past due: one is closed, one refused, one has lost digits, one has a key twice, one is only known by its list entry; and
 * one has a placeholder for no date.
 */
async function openDesk() {
  const fixture = await openChannelFixture({ retries: 0 })
  const add = (number: number, more = {}) =>
    fixture.sandbox.world.addRfq(CHANNEL, { number, responseDueDate: DUE, ...more } as never).id
  const ids = {
    ...{ closed: add(1), refused: add(2), lossy: add(3), twice: add(4), listed: add(5) },
    later: add(6, { responseDueDate: '0001-01-01' }),
  }
  fixture.sandbox.faults.add({ rfqId: ids.refused, operation: 'closeRfq', times: 99, effect: { kind: 'not-ok' } })
  await answerDetails(fixture, ids.lossy, (text) => text.replace(/"minVolume":[\d.]+/, `"minVolume":${HUGE}`))
  await answerDetails(fixture, ids.twice, (text) => text.replace('{', `{"extra":1,"extra":2,`))
  fixture.sandbox.faults.add({
    rfqId: ids.listed,
    operation: 'readRfq',
    times: 99,
    effect: { kind: 'status', status: 500 },
  })
  return { fixture, ids }
}

/** Six rounds, each after a poll in which something changed; a restart, and a replay of all stored documents. */
async function runRounds(fixture: ChannelFixture, later: string): Promise<void> {
  for (let round = 0; round < 6; round++) {
    fixture.sandbox.world.changeRfq(later, { title: `Round ${round}` })
    if (round === 2) await fixture.reopenStore()
    if (round === 3) await fixture.store.revalidate(fixture.now())
    await fixture.pollRfqs({ full: true })
    await fixture.closeExpired()
    fixture.advanceSeconds(3600)
  }
}

describe('the documents that decisions are based on', () => {
  it('are stored as they were, over many rounds and a restart, also those of which parsing loses something', async () => {
    const { fixture, ids } = await openDesk()
    await runRounds(fixture, ids.later)
    const decisions = await fixture.store.decisions({ channel: KEY })
    expect(new Set(decisions.map(({ rfqId }) => rfqId))).toEqual(new Set(Object.values(ids)))
    expect(new Set(decisions.map(({ outcome }) => outcome))).toEqual(new Set([null, 'closed', 'refused']))
    const { total, ...rest } = await fixture.store.verifyDecidedDocuments()
    expect(total).toBeGreaterThan(decisions.length)
    expect(rest).toEqual({ unchecked: 0, changed: [] })
  })

  it('are noticed if one is rewritten in the database, by decision, RFQ and version', async () => {
    const { fixture, ids } = await openDesk()
    await runRounds(fixture, ids.later)
    const changed = async () => {
      const { changed: rows } = await fixture.store.verifyDecidedDocuments()
      return [
        ...new Set(rows.map(({ channel, rfqId, rfqNumber, version }) => `${channel} ${rfqId} ${rfqNumber} ${version}`)),
      ].sort()
    }
    const texts: [string, string, string[]][] = [
      ['"Round 3"', '"Round X"', [`${KEY} ${ids.later} 6 4`]],
      [`"minVolume":${HUGE}`, '"minVolume":12345678901234567891', [`${KEY} ${ids.lossy} 3 1`]],
      ['"extra":1,', '"extra":3,', [`${KEY} ${ids.twice} 4 1`]],
      ['"extra":1,', '', [`${KEY} ${ids.twice} 4 1`]],
      // The last value counts for JSON.parse, the first one for queries.
      ['"number":1,', '"number":7,"number":1,', [`${KEY} ${ids.closed} 1 1`, `${KEY} ${ids.closed} 1 2`]],
      ['"number":5,', '"number":5,,', [`${KEY} ${ids.listed} 5 1`]],
    ]
    for (const [from, to, expected] of texts) {
      expect([to, await changed()]).toEqual([to, []])
      await rewrite(fixture, from, to)
      expect([to, await changed()]).toEqual([to, expected])
      // An empty text cannot be found again.
      await rewrite(fixture, to === '' ? '"extra":2' : to, to === '' ? '"extra":1,"extra":2' : from)
    }
    expect(await changed()).toEqual([])
    const [decision] = await fixture.store.decisions({ rfqId: ids.closed, outcome: 'closed' })
    await rewrite(fixture, '"state":"closed"', '"state":"open"')
    expect((await fixture.store.verifyDecidedDocuments()).changed).toEqual([
      { decision: decision?.id, channel: KEY, rfqId: ids.closed, rfqNumber: 1, version: decision?.versionAfter },
    ])
  })

  it('are compared in their content: as it was received first, and last', async () => {
    const { fixture, ids } = await openDesk()
    await fixture.pollRfqs()
    await fixture.closeExpired()
    await answerDetails(fixture, ids.later, (text) => text.replace('{', '{ '))
    fixture.advanceSeconds(3600)
    await fixture.pollRfqs({ full: true })
    await rewrite(fixture, '"number":6,', '"number" : 6.0,')
    expect(await fixture.store.verifyDecidedDocuments()).toMatchObject({ unchecked: 0, changed: [] })
    await rewrite(fixture, '"number":6,', '"number":7,', 'documents')
    expect(await fixture.store.verifyDecidedDocuments()).toMatchObject({ changed: [{ rfqId: ids.later, version: 1 }] })
  })

  it('are counted if their versions are not stored any more', async () => {
    const { fixture, ids } = await openDesk()
    await runRounds(fixture, ids.later)
    const { total } = await fixture.store.verifyDecidedDocuments()
    const unguarded = isPostgres ? DROP_GUARDS : `${DROP_GUARDS}; pragma foreign_keys = off`
    await executeIn(fixture.store, `${unguarded}; delete from versions where version > 1 and version < 4`)
    const gone = (await fixture.store.decisions({ channel: KEY })).filter(({ versionBefore }) =>
      [2, 3].includes(versionBefore ?? 0),
    )
    expect(gone.length).toBeGreaterThan(0)
    expect(await fixture.store.verifyDecidedDocuments()).toEqual({ total, unchecked: gone.length + 1, changed: [] })
  })
})
