import { describe, expect, it } from 'vitest'
import type { HistoryVersion } from '../../../src/compare/input/comparison-input.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import type { Change } from '../../../src/compare/report/document-changes.js'
import type { Absence } from '../../../src/core/records.js'
import {
  comparisonInput,
  delivery,
  offer,
  offerId,
  pastVersion,
  RFQ_ID,
  response,
  rfq,
  summaryOf,
  vintage,
} from '../../helpers/data/comparison-inputs.js'

const T1 = '2026-03-10T10:00:00.000Z'
const T2 = '2026-03-11T10:00:00.000Z'
const T3 = '2026-03-12T10:00:00.000Z'

function changes(versions: HistoryVersion[], absences: Absence[] = []): Change[] {
  return compareOffers(comparisonInput({ responses: [response(1)], versions, absences })).changes
}
const second = (body: unknown, of: Partial<HistoryVersion> = {}) =>
  pastVersion('response', body, { version: 2, notBefore: T1, observedAt: T2, ...of })
const fieldsOf = (list: Change[]) =>
  list.map(({ event, field, before, value, difference }) => ({ event, field, before, value, difference }))

describe('changes between observations', () => {
  it('give the time, field, values before and after, and difference', () => {
    const before = response(1)
    const after = {
      ...before,
      offer: offer({
        expiryDate: '2026-07-15',
        scheduledDeliveries: [delivery({ vintages: [vintage({ unitPrice: 11.5 })] })],
      }),
    }
    const list = changes([pastVersion('response', before), second(after)])
    expect(list[0]).toMatchObject({
      event: 'appeared',
      after: null,
      seenBy: T1,
      label: 'Developer 1',
      value: 'submitted',
    })
    expect(fieldsOf(list.slice(1))).toEqual([
      {
        event: 'changed',
        field: 'offer.scheduledDeliveries[0].vintages[0].unitPrice',
        before: 12,
        value: 11.5,
        difference: -0.5,
      },
      { event: 'changed', field: 'offer.totalPrice', before: 120_000, value: 115_000, difference: -5000 },
      { event: 'changed', field: 'offer.expiryDate', before: '2026-06-30', value: '2026-07-15', difference: 15 },
    ])
    expect(list[1]).toMatchObject({
      after: T1,
      seenBy: T2,
      version: 2,
      entity: 'offer',
      id: offerId(1),
      unit: 'number',
    })
    expect(list[3]).toMatchObject({
      unit: 'days',
      message: 'Developer 1: offer.expiryDate 2026-06-30 → 2026-07-15 (+15 days).',
    })
  })

  it.each([
    [{ status: 'accepted' }, 'accepted'],
    [{ status: 'rejected' }, 'rejected'],
    [{ status: 'parked' }, 'status'],
    [{ offer: offer({ review: { status: 'accepted' } }) }, 'review'],
    [{ projectName: 'Renamed' }, 'changed'],
  ])('name the event: %j', (of, event) => {
    const list = changes([pastVersion('response', response(1)), second({ ...response(1), ...of })])
    expect(list.map((change) => change.event)).toEqual(['appeared', event])
  })

  it('include RFQ state and terms, but not its responses', () => {
    const bodies = [
      rfq(),
      rfq({ state: 'closed', responses: [summaryOf(response(1))], updatedAt: T2 }),
      rfq({ state: 'open', minVolume: 20_000 }),
    ]
    const versions = bodies.map((body, at) =>
      pastVersion('rfq', body, { version: at + 1, observedAt: [T1, T2, T3][at] ?? T3 }),
    )
    expect(fieldsOf(changes(versions))).toEqual([
      { event: 'appeared', field: null, before: null, value: 'open', difference: null },
      { event: 'closed', field: 'state', before: 'open', value: 'closed', difference: null },
      { event: 'opened', field: 'state', before: 'closed', value: 'open', difference: null },
      { event: 'changed', field: 'minVolume', before: 10_000, value: 20_000, difference: 10_000 },
    ])
  })

  it('ignore the order of listings, and include a document of which only the update time changed', () => {
    const listingIds = [...(rfq().listingIds as string[])].reverse()
    const versions = [
      pastVersion('rfq', rfq()),
      pastVersion('rfq', rfq({ listingIds, updatedAt: T2 }), { version: 2, observedAt: T2 }),
    ]
    expect(changes(versions).map((change) => change.field)).toEqual([null, 'updatedAt'])
  })

  it('include added and removed parts', () => {
    const more = { ...response(1), offer: offer({ prePayments: [{ amount: 5, paymentDueDate: '2026-04-01' }] }) }
    const added = { event: 'changed', field: 'offer.prePayments[0].amount', before: null, value: 5, difference: null }
    expect(fieldsOf(changes([pastVersion('response', response(1)), second(more)]))).toContainEqual(added)
    expect(fieldsOf(changes([pastVersion('response', more), second(response(1))]))).toContainEqual({
      ...added,
      before: 5,
      value: null,
    })
  })

  it('include fields in which a full document differs from the summary, not fields it adds', () => {
    const summary = pastVersion('response', summaryOf(response(1)), { shape: 'summary' })
    const full = second({ ...response(1), offer: { ...offer(), totalPrice: 119_000 } })
    expect(changes([summary, full])[1]?.message).toContain('was read in full; before, only part of it was known')
    expect(fieldsOf(changes([summary, full]))).toEqual([
      { event: 'appeared', field: null, before: null, value: 'submitted', difference: null },
      { event: 'detail', field: null, before: 'summary', value: 'full', difference: null },
      { event: 'changed', field: 'offer.totalPrice', before: 120_000, value: 119_000, difference: -1000 },
    ])
  })

  it('include withdrawn and reinstated offers', () => {
    const absence = { kind: 'response', id: offerId(1), notBefore: T1, missingSince: T2, returnedAt: T3 } as const
    const [, withdrawn, reinstated] = changes([pastVersion('response', response(1))], [absence])
    expect(withdrawn).toMatchObject({
      event: 'withdrawn',
      after: T1,
      seenBy: T2,
      version: null,
      message: 'The RFQ no longer listed Developer 1.',
    })
    expect(reinstated).toMatchObject({ event: 'reinstated', after: T2, seenBy: T3 })
    const [, only, none] = changes(
      [pastVersion('rfq', rfq())],
      [{ ...absence, kind: 'rfq', id: RFQ_ID, returnedAt: '2027-01-01T00:00:00.000Z' }],
    )
    expect([only?.event, none]).toEqual(['withdrawn', undefined])
  })

  it('are in order of observation, and none is later than as-of', () => {
    const late = second(response(1, { status: 'accepted' }), { version: 3, observedAt: '2026-03-16T12:00:00.001Z' })
    const list = changes([
      late,
      second(response(1, { status: 'rejected' })),
      pastVersion('response', response(1)),
      pastVersion('rfq', rfq(), { observedAt: T3 }),
    ])
    expect(list.map(({ event, seenBy }) => [event, seenBy])).toEqual([
      ['appeared', T1],
      ['rejected', T2],
      ['appeared', T3],
    ])
  })

  it('tolerate bodies that are not documents, are deeply nested or contain infinity', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`) as unknown
    const odd = [null, 7, 'text', [1], deep, JSON.parse('{"totalVolume":1e999}')]
    const versions = odd.map((body, at) =>
      pastVersion('response', body, { id: offerId(1), version: at + 1, observedAt: T2 }),
    )
    const list = changes(versions)
    expect(JSON.parse(JSON.stringify(list))).toEqual(list)
    expect(list).toContainEqual(expect.objectContaining({ field: 'totalVolume', value: 'Infinity' }))
  })

  it('count the fields beyond the limit instead of listing them', () => {
    const many = (value: number) => ({
      id: offerId(1),
      ...Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`f${at}`, value])),
    })
    const list = changes([pastVersion('response', many(1)), second(many(2))])
    expect(list).toHaveLength(1 + 500 + 1)
    expect(list.at(-1)).toMatchObject({ message: 'Developer 1: 200 more fields changed.', value: 200 })
  })
})
