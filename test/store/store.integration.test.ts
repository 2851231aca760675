import { describe, expect, it } from 'vitest'
import type { RfqSnapshot } from '../../src/store/contract.js'
import { observed, observedResponse, observeListing, observeResponse } from '../helpers/data/observed.js'
import { aListing, anRfq, aResponse, aSummary } from '../helpers/data/sample-documents.js'
import { at, begin, CHANNEL, noonStore, rfqSnapshot } from '../helpers/store/recording-store.js'
import { executeIn, rowsOf } from '../helpers/store/store-engine.js'

describe('recording an RFQ with its responses', () => {
  it('adds a version when content changes, and none when only the order changes', async () => {
    const db = await noonStore()
    const run = await begin(db)
    const rfq = anRfq('rfq-1', { responses: [aSummary('a'), aSummary('b')] })
    const responses = [aResponse('a'), aResponse('b')]
    await db.recordRfq(run, rfqSnapshot(rfq, responses, at('08:00:00')), at('08:00:01'))
    const reordered = Object.fromEntries(
      Object.entries(anRfq('rfq-1', { responses: [aSummary('b'), aSummary('a')] })).reverse(),
    )
    const again = await db.recordRfq(run, rfqSnapshot(reordered, responses, at('08:05:00')), at('08:05:01'))
    expect(again).toMatchObject({ rfq: 'unchanged', rfqVersion: 1 })
    const changed = await db.recordRfq(
      run,
      rfqSnapshot(anRfq('rfq-1', { title: 'Bluer', responses: rfq.responses }), responses, at('08:10:00')),
      at('08:10:01'),
    )
    expect(changed).toMatchObject({ rfq: 'changed', rfqVersion: 2 })
    const [first, second] = (await db.rfqHistory(CHANNEL, 'rfq-1')).filter((version) => version.kind === 'rfq')
    expect(first).toMatchObject({ version: 1, notBefore: null, supersededAt: '2026-11-21T08:10:01.000Z' })
    expect(second).toMatchObject({
      version: 2,
      notBefore: '2026-11-21T08:05:00.000Z',
      observedAt: '2026-11-21T08:10:01.000Z',
    })
  })

  it('returns versions as of a moment as they were known then: none that is newer, and not when it was superseded', async () => {
    const db = await noonStore()
    const run = await begin(db)
    const record = (title: string, type: string, time: string) =>
      db.recordRfq(run, rfqSnapshot(anRfq('rfq-1', { title }), [aResponse('response-1', { type })], at(time)), at(time))
    await record('One', 'spot', '08:00:00')
    const first = await db.rfqHistory(CHANNEL, 'rfq-1', at('08:00:00'))
    expect(first.map(({ kind, supersededAt }) => [kind, supersededAt])).toEqual([
      ['rfq', null],
      ['response', null],
    ])
    await record('Two', 'forward', '09:00:00')
    expect(await db.rfqHistory(CHANNEL, 'rfq-1', at('08:59:59'))).toEqual(first)
    const ninth = '2026-11-21T09:00:00.000Z'
    for (const moment of [at('09:00:00'), undefined]) {
      const versions = await db.rfqHistory(CHANNEL, 'rfq-1', moment)
      expect(versions.map(({ kind, version, supersededAt }) => [kind, version, supersededAt])).toEqual([
        ['rfq', 1, ninth],
        ['response', 1, ninth],
        ['rfq', 2, null],
        ['response', 2, null],
      ])
    }
  })

  it('updates the validity of a version by the newest read of the same text', async () => {
    const db = await noonStore()
    const run = await begin(db)
    const snapshot = rfqSnapshot(anRfq('rfq-1'), [], at('08:00:00'))
    for (const [minute, valid] of [true, false, false, true].entries()) {
      const readAt = at(`08:0${minute}:00`)
      await db.recordRfq(run, { ...snapshot, rfq: { ...snapshot.rfq, valid }, readAt }, readAt)
      expect(await rowsOf(db, 'select version, valid from versions')).toEqual([{ version: 1, valid: Number(valid) }])
    }
  })

  it('records that a list showed RFQs whose detail was not read again', async () => {
    const db = await noonStore()
    const run = await begin(db)
    for (const id of ['rfq-1', 'rfq-2'])
      await db.recordRfq(run, rfqSnapshot(anRfq(id), [], at('08:00:00')), at('08:00:00'))
    const entry = observed({ id: 'rfq-2' })
    for (const time of ['08:04:00', '08:05:00'])
      await db.recordList(run, 'rfq-entry', [entry], { whole: false, readAt: at(time) }, at(time))
    expect(await rowsOf(db, 'select id, last_observed_at at from rfqs order by id')).toEqual([
      { id: 'rfq-1', at: '2026-11-21T08:00:00.000Z' },
      { id: 'rfq-2', at: '2026-11-21T08:05:00.000Z' },
    ])
  })

  it('never replaces a full document by a summary or a list entry', async () => {
    const db = await noonStore()
    const run = await begin(db)
    await db.recordRfq(run, rfqSnapshot(anRfq(), [aResponse()], at('08:00:00')), at('08:00:01'))
    const summaryOnly: RfqSnapshot = {
      ...rfqSnapshot(anRfq(), [], at('08:01:00')),
      responses: [observeResponse(JSON.stringify(aSummary()), { shape: 'summary' })],
    }
    expect((await db.recordRfq(run, summaryOnly, at('08:01:01'))).responses).toEqual([
      { id: 'response-1', change: 'unchanged' },
    ])
    expect((await db.rfqs({ channel: CHANNEL }))[0]?.responses[0]).toMatchObject({ version: 1, shape: 'full' })
  })

  it('keeps timestamps of a document from going back', async () => {
    const db = await noonStore()
    const run = await begin(db)
    const record = (title: string, time: string) =>
      db.recordRfq(run, rfqSnapshot(anRfq('rfq-1', { title }), [], at(time)), at(time))
    await record('first', '08:10:30')
    await record('second', '08:00:30')
    await record('third', '08:11:00')
    const iso = (time: string) => at(time).toISOString()
    expect(await rowsOf(db, 'select not_before, observed_at, superseded_at from versions order by version')).toEqual([
      { not_before: null, observed_at: iso('08:10:30'), superseded_at: iso('08:10:30') },
      { not_before: iso('08:10:30'), observed_at: iso('08:10:30'), superseded_at: iso('08:11:00') },
      { not_before: iso('08:00:30'), observed_at: iso('08:11:00'), superseded_at: null },
    ])
  })

  it('rolls back a transaction that fails midway', async () => {
    const db = await noonStore()
    const run = await begin(db)
    const broken = rfqSnapshot(anRfq(), [aResponse('a'), aResponse('b')], at('08:00:00'))
    broken.responses = [...broken.responses, observedResponse({ id: 'c' }, { hash: null as never })]
    await expect(db.recordRfq(run, broken, at('08:00:01'))).rejects.toThrow()
    expect(await rowsOf(db, 'select count(*) as n from versions')).toEqual([{ n: 0 }])
    await db.recordRfq(run, rfqSnapshot(anRfq(), [aResponse('a')], at('08:00:02')), at('08:00:03'))
    expect(await rowsOf(db, 'select count(*) as n from versions')).toEqual([{ n: 2 }])
  })
})

describe('public tables and views', () => {
  it('list vintages and pre-payments of current offers, and tolerate malformed documents', async () => {
    const db = await noonStore()
    const run = await begin(db)
    const odd = aResponse('odd', { offer: { scheduledDeliveries: { not: 'a list' }, prePayments: [1, null, 'x'] } })
    const odder = aResponse('odder', { offer: 'nothing' })
    const snapshot = rfqSnapshot(anRfq(), [aResponse(), odd, odder], at('08:00:00'))
    await db.recordRfq(run, snapshot, at('08:00:01'))
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
    const db = await noonStore()
    const run = await begin(db)
    await db.recordRfq(run, rfqSnapshot(anRfq(), [], at('08:00:00')), at('08:00:01'))
    await expect(executeIn(db, `update versions set body = '{}'`)).rejects.toThrow('a version never changes')
    await expect(executeIn(db, 'delete from versions')).rejects.toThrow('history is never removed')
  })
})
