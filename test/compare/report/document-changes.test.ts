import { describe, expect, it } from 'vitest'
import { changesOfVersion, type HistoryVersion } from '../../../src/compare/report/document-changes.js'
import { MAX_SENTENCES } from '../../../src/core/changes/describe-changes.js'
import type { Sentence } from '../../../src/core/changes/document-difference.js'
import { delivery, offer, offerId, response, rfq, summaryOf, vintage } from '../../helpers/data/comparison-inputs.js'

const T1 = '2026-03-10T10:00:00.000Z'
const T2 = '2026-03-11T10:00:00.000Z'

const version = (kind: HistoryVersion['kind'], body: unknown, of: Partial<HistoryVersion> = {}): HistoryVersion => ({
  ...{ kind, body, version: 1, observedAt: T1, shape: 'full' },
  ...of,
})
const second = (body: unknown, of: Partial<HistoryVersion> = {}) =>
  version('response', body, { version: 2, observedAt: T2, ...of })
/** What each version changed, the first one too. */
const changes = (versions: readonly HistoryVersion[]): Sentence[] =>
  versions.flatMap((one, at) => changesOfVersion(versions[at - 1] ?? null, one))
const sentencesOf = (list: readonly Sentence[]) => list.map(({ event, message }) => [event, message])

describe('changes between observations', () => {
  it('have one sentence for equal differences, with the fields that it covers', () => {
    const before = response(1)
    const after = {
      ...before,
      offer: offer({
        expiryDate: '2026-07-15',
        scheduledDeliveries: [delivery({ vintages: [vintage({ unitPrice: 11.5 })] })],
      }),
    }
    const list = changes([version('response', before), second(after)])
    expect(list[0]).toMatchObject({ event: 'appeared', fields: [] })
    expect(list[0]?.message).toMatch(/^Submitted .+: 10,000 t at 12\.00 USD\/t\.$/)
    expect(sentencesOf(list.slice(1))).toEqual([
      ['changed', 'Unit price 12.00 → 11.50 USD (−4.2 %); total −5,000 USD.'],
      ['changed', 'Expires 15 Jul (was 30 Jun).'],
    ])
    expect(list[1]).toMatchObject({
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
    const list = changes([version('response', response(1)), second({ ...response(1), ...of })])
    expect(list.map((change) => change.event)).toEqual(['appeared', event])
  })

  it('include RFQ state and terms, but not its responses', () => {
    const bodies = [
      rfq(),
      rfq({ state: 'closed', responses: [summaryOf(response(1))], updatedAt: T2 }),
      rfq({ state: 'open', minVolume: 20_000 }),
    ]
    const versions = bodies.map((body, at) => version('rfq', body, { version: at + 1 }))
    expect(sentencesOf(changes(versions)).slice(1)).toEqual([
      ['closed', 'Closed.'],
      ['opened', 'Opened again.'],
      ['changed', 'Volume: 20,000–50,000 t (was 10,000–50,000 t).'],
    ])
  })

  it('name Quotekeeper if it closed the RFQ', () => {
    const [open, closed] = [version('rfq', rfq()), version('rfq', rfq({ state: 'closed' }), { version: 2 })]
    expect(sentencesOf(changesOfVersion(open, closed, true))).toEqual([['closed', 'Closed by Quotekeeper.']])
  })

  it('ignore the order of listings, and include a document of which only the update time changed', () => {
    const listingIds = [...(rfq().listingIds as string[])].reverse()
    const versions = [version('rfq', rfq()), version('rfq', rfq({ listingIds, updatedAt: T2 }), { version: 2 })]
    expect(sentencesOf(changes(versions))[1]).toEqual(['changed', 'Updated without another difference.'])
  })

  it('include added and removed parts', () => {
    const more = { ...response(1), offer: offer({ prePayments: [{ amount: 5, paymentDueDate: '2026-04-01' }] }) }
    const added = sentencesOf(changes([version('response', response(1)), second(more)]))
    expect(added).toContainEqual(['changed', 'Prepayment added: 5 USD due 1 Apr.'])
    const removed = sentencesOf(changes([version('response', more), second(response(1))]))
    expect(removed).toContainEqual(['changed', 'Prepayment removed (was 5 USD due 1 Apr).'])
  })

  it('include fields in which a full document differs from the summary, not fields it adds', () => {
    const summary = version('response', summaryOf(response(1)), { shape: 'summary' })
    const full = second({ ...response(1), offer: { ...offer(), totalPrice: 119_000 } })
    const [appeared, ...later] = sentencesOf(changes([summary, full]))
    expect(appeared?.[0]).toBe('appeared')
    expect(later).toEqual([
      ['detail', 'Read in full; before, only part of it was known.'],
      ['changed', 'Price per tonne 12.00 → 11.90 USD (−0.8 %); total −1,000 USD.'],
    ])
  })

  it('tolerate bodies that are not documents, are deeply nested or contain infinity', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`) as unknown
    const odd = [null, 7, 'text', [1], deep, JSON.parse('{"totalVolume":1e999}')]
    const versions = odd.map((body, at) => version('response', body, { version: at + 1, observedAt: T2 }))
    const list = changes(versions)
    expect(JSON.parse(JSON.stringify(list))).toEqual(list)
    expect(list.map(({ message }) => message)).toContain('Total volume added: “Infinity”.')
  })

  it('count the fields beyond the limit instead of naming them', () => {
    const many = (value: number) => ({
      id: offerId(1),
      ...Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`f${at}`, value])),
    })
    const list = changes([version('response', many(1)), second(many(2))])
    expect(list).toHaveLength(1 + MAX_SENTENCES + 1)
    expect(list.at(-1)?.message).toBe('670 more fields changed.')
    expect(list.at(-1)?.fields).toHaveLength(500)
  })
})
