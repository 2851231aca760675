import { describe, expect, it } from 'vitest'
import type { HistoryVersion } from '../../../src/compare/input/comparison-input.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { type Change, changesOf } from '../../../src/compare/report/document-changes.js'
import { MAX_SENTENCES } from '../../../src/core/changes/describe-changes.js'
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
const sentencesOf = (list: Change[]) => list.map(({ event, message }) => [event, message])

describe('changes between observations', () => {
  it('give the times, one sentence for equal differences, and the fields that it covers', () => {
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
      notBefore: null,
      observedAt: T1,
      label: 'Developer 1',
      fields: [],
    })
    expect(list[0]?.message).toMatch(/^Submitted .+: 10,000 t at 12\.00 USD\/t\.$/)
    expect(sentencesOf(list.slice(1))).toEqual([
      ['changed', 'Unit price 12.00 → 11.50 USD (−4.2 %); total −5,000 USD.'],
      ['changed', 'Expires 15 Jul (was 30 Jun).'],
    ])
    expect(list[1]).toMatchObject({
      ...{ notBefore: T1, observedAt: T2, version: 2, entity: 'offer', id: offerId(1) },
      fields: [
        { field: 'offer.scheduledDeliveries[0].vintages[0].unitPrice', before: 12, after: 11.5 },
        { field: 'offer.totalPrice', before: 120_000, after: 115_000 },
      ],
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
    expect(sentencesOf(changes(versions)).slice(1)).toEqual([
      ['closed', 'Closed.'],
      ['opened', 'Opened again.'],
      ['changed', 'Volume: 20,000–50,000 t (was 10,000–50,000 t).'],
    ])
  })

  it('name Quotekeeper if it closed the RFQ', () => {
    const versions = [
      pastVersion('rfq', rfq()),
      pastVersion('rfq', rfq({ state: 'closed' }), { version: 2, notBefore: T1, observedAt: T2 }),
    ]
    const context = { labels: new Map<string, string>(), asOf: T3 }
    expect(changesOf(versions, [], { ...context, closedVersions: new Set([2]) })[1]?.message).toBe(
      'Closed by Quotekeeper.',
    )
    expect(changesOf(versions, [], { ...context, closedVersions: new Set([1]) })[1]?.message).toBe('Closed.')
  })

  it('ignore the order of listings, and include a document of which only the update time changed', () => {
    const listingIds = [...(rfq().listingIds as string[])].reverse()
    const versions = [
      pastVersion('rfq', rfq()),
      pastVersion('rfq', rfq({ listingIds, updatedAt: T2 }), { version: 2, observedAt: T2 }),
    ]
    expect(sentencesOf(changes(versions))[1]).toEqual(['changed', 'Updated without another difference.'])
  })

  it('include added and removed parts', () => {
    const more = { ...response(1), offer: offer({ prePayments: [{ amount: 5, paymentDueDate: '2026-04-01' }] }) }
    const added = sentencesOf(changes([pastVersion('response', response(1)), second(more)]))
    expect(added).toContainEqual(['changed', 'Prepayment added: 5 USD due 1 Apr.'])
    const removed = sentencesOf(changes([pastVersion('response', more), second(response(1))]))
    expect(removed).toContainEqual(['changed', 'Prepayment removed (was 5 USD due 1 Apr).'])
  })

  it('include fields in which a full document differs from the summary, not fields it adds', () => {
    const summary = pastVersion('response', summaryOf(response(1)), { shape: 'summary' })
    const full = second({ ...response(1), offer: { ...offer(), totalPrice: 119_000 } })
    const [appeared, ...later] = sentencesOf(changes([summary, full]))
    expect(appeared?.[0]).toBe('appeared')
    expect(later).toEqual([
      ['detail', 'Read in full; before, only part of it was known.'],
      ['changed', 'Price per tonne 12.00 → 11.90 USD (−0.8 %); total −1,000 USD.'],
    ])
  })

  it('include withdrawn and reinstated offers', () => {
    const absence = { kind: 'response', id: offerId(1), notBefore: T1, missingSince: T2, returnedAt: T3 } as const
    const [, withdrawn, reinstated] = changes([pastVersion('response', response(1))], [absence])
    expect(withdrawn).toMatchObject({
      event: 'withdrawn',
      notBefore: T1,
      observedAt: T2,
      version: null,
      message: 'No longer listed.',
    })
    expect(reinstated).toMatchObject({ event: 'reinstated', notBefore: T2, observedAt: T3 })
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
    expect(list.map(({ event, observedAt }) => [event, observedAt])).toEqual([
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
    expect(list.map(({ message }) => message)).toContain('Total volume added: “Infinity”.')
  })

  it('count the fields beyond the limit instead of naming them', () => {
    const many = (value: number) => ({
      id: offerId(1),
      ...Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`f${at}`, value])),
    })
    const list = changes([pastVersion('response', many(1)), second(many(2))])
    expect(list).toHaveLength(1 + MAX_SENTENCES + 1)
    expect(list.at(-1)?.message).toBe('670 more fields changed.')
    expect(list.at(-1)?.fields).toHaveLength(500)
  })
})
