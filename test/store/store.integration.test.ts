import { describe, expect, it } from 'vitest'
import type { RfqSnapshot } from '../../src/store/contract.js'
import { observed, observedResponse, observeListing, observeResponse } from '../helpers/data/observed.js'
import { aListing, anRfq, aResponse, aSummary } from '../helpers/data/sample-documents.js'
import { at, begin, CHANNEL, noonStore, rfqSnapshot } from '../helpers/store/recording-store.js'
import { executeIn, rowsOf } from '../helpers/store/store-engine.js'

/** A new store with a run that records RFQs, each a second after it was read. */
async function recording() {
  const db = await noonStore()
  const run = await begin(db)
  const recordRead = (snapshot: RfqSnapshot) => db.recordRfq(run, snapshot, new Date(snapshot.readAt.getTime() + 1000))
  const record = (rfq: object, responses: object[], readAt: string) =>
    recordRead(rfqSnapshot(rfq, responses, at(readAt)))
  return { db, run, record, recordRead }
}
const iso = (time: string) => at(time).toISOString()

describe('recording an RFQ with its responses', () => {
  it('adds a version when content changes, and none when only the order changes', async () => {
    const { db, record } = await recording()
    const rfq = anRfq('rfq-1', { responses: [aSummary('a'), aSummary('b')] })
    const responses = [aResponse('a'), aResponse('b')]
    await record(rfq, responses, '08:00:00')
    const reordered = Object.fromEntries(Object.entries({ ...rfq, responses: rfq.responses.toReversed() }).reverse())
    expect(await record(reordered, responses, '08:05:00')).toMatchObject({ rfq: 'unchanged', rfqVersion: 1 })
    const changed = { ...rfq, title: 'Bluer' }
    expect(await record(changed, responses, '08:10:00')).toMatchObject({ rfq: 'changed', rfqVersion: 2 })
    expect((await db.rfqHistory(CHANNEL, 'rfq-1')).filter(({ kind }) => kind === 'rfq')).toMatchObject([
      { version: 1, notBefore: null, supersededAt: iso('08:10:01') },
      { version: 2, notBefore: iso('08:05:00'), observedAt: iso('08:10:01') },
    ])
  })

  it('returns versions as of a moment as they were known then: none that is newer, and not when it was superseded', async () => {
    const { db, record } = await recording()
    const recordAs = (title: string, type: string, time: string) =>
      record(anRfq('rfq-1', { title }), [aResponse('response-1', { type })], time)
    const versions = async (moment?: Date) =>
      (await db.rfqHistory(CHANNEL, 'rfq-1', moment)).map(({ kind, version, supersededAt: at }) => [kind, version, at])
    await recordAs('One', 'spot', '08:00:00')
    const first = [
      ['rfq', 1, null],
      ['response', 1, null],
    ]
    expect(await versions(at('08:00:01'))).toEqual(first)
    await recordAs('Two', 'forward', '09:00:00')
    expect(await versions(at('09:00:00'))).toEqual(first)
    for (const moment of [at('09:00:01'), undefined])
      expect(await versions(moment)).toEqual([
        ['rfq', 1, iso('09:00:01')],
        ['response', 1, iso('09:00:01')],
        ['rfq', 2, null],
        ['response', 2, null],
      ])
  })

  it('updates the validity of a version by the newest read of the same text', async () => {
    const { db, recordRead } = await recording()
    for (const [minute, valid] of [true, false, false, true].entries()) {
      const snapshot = rfqSnapshot(anRfq('rfq-1'), [], at(`08:0${minute}:00`))
      await recordRead({ ...snapshot, rfq: { ...snapshot.rfq, valid } })
      expect(await rowsOf(db, 'select version, valid from versions')).toEqual([{ version: 1, valid: Number(valid) }])
    }
  })

  it('records that a list showed RFQs whose detail was not read again', async () => {
    const { db, run, record } = await recording()
    for (const id of ['rfq-1', 'rfq-2']) await record(anRfq(id), [], '08:00:00')
    const entry = observed({ id: 'rfq-2' })
    for (const time of ['08:04:00', '08:05:00'])
      await db.recordList(run, 'rfq-entry', [entry], { whole: false, readAt: at(time) }, at(time))
    expect(await rowsOf(db, 'select id, last_observed_at at from rfqs order by id')).toEqual([
      { id: 'rfq-1', at: iso('08:00:01') },
      { id: 'rfq-2', at: iso('08:05:00') },
    ])
  })

  it('never replaces a full document by a summary or a list entry', async () => {
    const { db, record, recordRead } = await recording()
    await record(anRfq(), [aResponse()], '08:00:00')
    const responses = [observeResponse(JSON.stringify(aSummary()), { shape: 'summary' })]
    const summaryOnly = await recordRead({ ...rfqSnapshot(anRfq(), [], at('08:01:00')), responses })
    expect(summaryOnly.responses).toEqual([{ id: 'response-1', change: 'unchanged' }])
    expect((await db.rfqs({ channel: CHANNEL }))[0]?.responses[0]).toMatchObject({ version: 1, shape: 'full' })
  })

  it('keeps timestamps of a document from going back', async () => {
    const { db, record } = await recording()
    for (const [title, time] of Object.entries({ first: '08:10:30', second: '08:00:30', third: '08:11:00' }))
      await record(anRfq('rfq-1', { title }), [], time)
    expect(await rowsOf(db, 'select not_before, observed_at, superseded_at from versions order by version')).toEqual([
      { not_before: null, observed_at: iso('08:10:31'), superseded_at: iso('08:10:31') },
      { not_before: iso('08:10:30'), observed_at: iso('08:10:31'), superseded_at: iso('08:11:01') },
      { not_before: iso('08:00:30'), observed_at: iso('08:11:01'), superseded_at: null },
    ])
  })

  it('rolls back a transaction that fails midway', async () => {
    const { db, record, recordRead } = await recording()
    const broken = rfqSnapshot(anRfq(), [aResponse('a'), aResponse('b')], at('08:00:00'))
    broken.responses = [...broken.responses, observedResponse({ id: 'c' }, { hash: null as never })]
    await expect(recordRead(broken)).rejects.toThrow()
    expect(await rowsOf(db, 'select count(*) as n from versions')).toEqual([{ n: 0 }])
    await record(anRfq(), [aResponse('a')], '08:00:02')
    expect(await rowsOf(db, 'select count(*) as n from versions')).toEqual([{ n: 2 }])
  })
})

describe('public tables and views', () => {
  it('list vintages and pre-payments of current offers, and tolerate malformed documents', async () => {
    const { db, record } = await recording()
    const odd = aResponse('odd', { offer: { scheduledDeliveries: { not: 'a list' }, prePayments: [1, null, 'x'] } })
    const odder = aResponse('odder', { offer: 'nothing' })
    await record(anRfq(), [aResponse(), odd, odder], '08:00:00')
    expect(await rowsOf(db, 'select * from offer_vintages')).toEqual([
      {
        channel: CHANNEL,
        rfq_id: 'rfq-1',
        response_id: 'response-1',
        delivery: 1,
        vintage: 1,
        fulfilment_due_date: '2027-02-01',
        fulfilment_method: 'transfer',
        reporting_period_start: '2022-01-01',
        reporting_period_end: '2022-12-31',
        name: '2022',
        volume: 1000,
        unit_price: 15,
        mitigation_types: '["removal"]',
      },
    ])
    expect(await rowsOf(db, 'select prepayment, amount, payment_due_date from offer_prepayments')).toEqual([
      { prepayment: 1, amount: 5000, payment_due_date: '2026-12-01' },
    ])
    expect(await rowsOf(db, 'select id, valid, total_price from offers order by id')).toEqual([
      { id: 'odd', valid: 0, total_price: null },
      { id: 'odder', valid: 0, total_price: null },
      { id: 'response-1', valid: 1, total_price: 15000 },
    ])
    expect(await db.problems({ entityIds: ['odder'] })).toMatchObject([
      { kind: 'response', path: 'offer', code: 'type', times: 1 },
    ])
  })

  it('store a listing with a new signed URL without adding a version', async () => {
    const db = await noonStore()
    const run = await begin(db, 'listings')
    const resigned = { url: 'https://files.example.com/a?signature=2', expires: 1_800_000_000 }
    const record = (listing: unknown, time: string) =>
      db.recordList(
        run,
        'listing',
        [observeListing(JSON.stringify(listing))],
        { whole: true, readAt: at(time) },
        at(time),
      )
    expect(await record(aListing(), '08:00:00')).toEqual([{ id: 'listing-1', change: 'inserted' }])
    const signedAgain = aListing('listing-1', { additionalDocumentation: resigned })
    expect(await record(signedAgain, '08:01:00')).toEqual([])
    const [listing] = (await rowsOf(db, 'select body, version from listings')) as { body: string; version: number }[]
    expect(listing?.version).toBe(1)
    expect(JSON.parse(listing?.body ?? '')).toMatchObject({ additionalDocumentation: resigned })
  })

  it('reject changes to history', async () => {
    const { db, record } = await recording()
    await record(anRfq(), [], '08:00:00')
    await expect(executeIn(db, `update versions set body = '{}'`)).rejects.toThrow('a version never changes')
    await expect(executeIn(db, 'delete from versions')).rejects.toThrow('history is never removed')
  })
})
