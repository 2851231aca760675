import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeChanges, describedDocument, describeNewDocument } from '../../../src/core/changes/describe-changes.js'
import { differences } from '../../../src/core/documents/document-fields.js'

const AT = '2026-11-20T10:05:07.123Z'

const line = (volume: number, unitPrice: number, year = 2025) => ({
  ...{ reportingPeriodStart: `${year}-01-01`, reportingPeriodEnd: `${year}-12-31`, mitigationTypes: ['removal'] },
  ...{ volume, unitPrice, name: null },
})
const delivery = (fulfilmentDueDate: string, ...vintages: object[]) => ({
  ...{ fulfilmentDueDate, fulfilmentMethod: 'transfer', vintages },
})
const response = (offer: object = {}, members: object = {}) => ({
  ...{ id: 'r1', listingId: 'l1', projectName: 'Mangroves', projectDeveloperName: 'Katari', status: 'submitted' },
  submittedAt: '2026-11-03T09:00:00.000Z',
  offer: {
    ...{ contractType: 'forward', currency: 'USD', prePayments: [], expiryDate: '2026-12-01' },
    scheduledDeliveries: [
      delivery('2027-03-31', line(1000, 380.9)),
      delivery('2027-03-31', line(1000, 380.9)),
      delivery('2027-09-30', line(460, 380.9)),
    ],
    ...{ totalVolume: 2460, totalPrice: 937_014 },
    ...offer,
  },
  ...members,
})
const rfq = (members: object = {}) => ({
  ...{ id: 'q1', number: 1042, title: 'Mangroves 2027', state: 'open', listingIds: ['a', 'b'] },
  ...{ minVolume: 10_000, maxVolume: 50_000, minVintageYear: 2020, maxVintageYear: 'Any' },
  ...{ contractTypes: ['spot'], pricing: { minUnitPrice: 10, maxUnitPrice: 30, currency: 'USD' } },
  ...{
    responseDueDate: '2026-12-12',
    fulfilmentDueDate: '2027-12-31',
    reasonForPurchase: 'buyToRetire',
    responses: [],
  },
  ...members,
})

type Kind = 'rfq' | 'response'
const documentOf = (kind: Kind, body: unknown) => describedDocument(kind, 'full', body)
const sentences = (kind: Kind, before: unknown, after: unknown) =>
  describeChanges(documentOf(kind, before), documentOf(kind, after), { observedAt: AT }).map(({ message }) => message)
const ofOffer = (offer: object, members?: object) => sentences('response', response(), response(offer, members))
const ofRfq = (members: object) => sentences('rfq', rfq(), rfq(members))

describe('a sentence about an offer', () => {
  it('states price and total once, first, and merges equal differences', () => {
    const scheduledDeliveries = response().offer.scheduledDeliveries.map((one) => ({
      ...one,
      vintages: one.vintages.map((each) => ({ ...each, unitPrice: 369.45 })),
    }))
    expect(ofOffer({ scheduledDeliveries, totalPrice: 908_847, expiryDate: '2026-12-12' })).toEqual([
      'Unit price 380.90 → 369.45 USD (−3 %) in all 3 deliveries; total −28,167 USD.',
      'Expires 12 Dec (was 1 Dec).',
    ])
  })

  it('states what differs between deliveries beside the price of the whole', () => {
    const [first, second, third] = response().offer.scheduledDeliveries
    const scheduledDeliveries = [first, { ...second, vintages: [line(1000, 370)] }, third]
    expect(ofOffer({ scheduledDeliveries, totalPrice: 926_114 })).toEqual([
      'Price per tonne 380.90 → 376.4691 USD (−1.2 %); total −10,900 USD.',
      'Unit price 380.90 → 370.00 USD (−2.9 %) in delivery 2.',
    ])
  })

  it('names vintages by their year, or by their place if it is not unique', () => {
    const offerOf = (...vintages: object[]) => response({ scheduledDeliveries: [delivery('2027-03-31', ...vintages)] })
    const before = offerOf(line(1, 2, 2024), line(1, 2, 2025), line(3, 2, 2025))
    expect(sentences('response', before, offerOf(line(1, 3, 2024), line(1, 2, 2025), line(3, 2, 2025)))[1]).toBe(
      'Unit price 2.00 → 3.00 USD (+50 %) in vintage 2024.',
    )
    expect(sentences('response', before, offerOf(line(1, 2, 2024), line(1, 2, 2025), line(3, 3, 2025)))[1]).toBe(
      'Unit price 2.00 → 3.00 USD (+50 %) in vintage line 3.',
    )
    expect(sentences('response', before, offerOf(line(1, 2, 2023), line(1, 2, 2025), line(3, 2, 2025)))).toEqual([
      'Vintage 2024 → 2023.',
    ])
  })

  it('tells which delivery moved, was added or removed', () => {
    const [first, second, third] = response().offer.scheduledDeliveries
    const move = { fulfilmentDueDate: '2027-06-30' }
    expect(ofOffer({ scheduledDeliveries: [first, { ...second, ...move }, third] })).toEqual([
      'Delivery 2 moved from 2027-03 to 2027-06.',
    ])
    expect(ofOffer({ scheduledDeliveries: [{ ...first, ...move }, { ...second, ...move }, third] })).toEqual([
      'Deliveries 1 and 2 moved from 2027-03 to 2027-06.',
    ])
    expect(ofOffer({ scheduledDeliveries: [first, second, { ...third, fulfilmentDueDate: '2027-09-15' }] })).toEqual([
      'Delivery 3 moved from 30 Sep 2027 to 15 Sep 2027.',
    ])
    expect(ofOffer({ scheduledDeliveries: [first, third] })).toEqual([
      'Delivery 2 removed (was 1,000 t at 380.90 USD/t, due 31 Mar 2027).',
    ])
    const added = delivery('2027-06-30', line(500, 380.9))
    expect(ofOffer({ scheduledDeliveries: [added, first, second, third] })).toEqual([
      'Delivery 1 added: 500 t at 380.90 USD/t, due 30 Jun 2027.',
    ])
  })

  it('states only the amount of a prepayment if its date is the same', () => {
    const paid = (amount: number, paymentDueDate = '2027-01-05') =>
      response({ prePayments: [{ amount, paymentDueDate }] })
    expect(sentences('response', paid(10_000), paid(9_000))).toEqual(['Prepayment 10,000 → 9,000 USD (−10 %).'])
    expect(sentences('response', paid(10_000), paid(9_000, '2026-12-24'))).toEqual([
      'Prepayment 10,000 USD due 5 Jan 2027 → 9,000 USD due 24 Dec.',
    ])
  })

  it('has amounts of two currencies without a difference', () => {
    expect(ofOffer({ currency: 'EUR' })).toEqual([
      'Price per tonne 380.90 USD → 380.90 EUR; total 937,014 USD → 937,014 EUR; currency changed: “USD” → “EUR”.',
    ])
  })

  it.each([
    [{}, { status: 'accepted' }, 'Accepted (was submitted).'],
    [{}, { status: 'parked' }, 'Status “parked” (was submitted).'],
    [{ review: { status: 'accepted' } }, {}, 'Review accepted.'],
    [{ contractType: 'spot' }, {}, 'Contract spot (was forward).'],
    [{ expiryDate: null }, {}, 'Expires: no date any more (was 1 Dec).'],
    [{ additionalNotesToBuyer: 'Two lots\nonly' }, {}, 'Notes added: “Two lots only”.'],
    [{ portOfDelivery: { cityName: 'Genoa' } }, {}, 'Port of delivery, city name added: “Genoa”.'],
    [{ isFirm: true }, {}, 'Is firm added: yes.'],
    [{}, { listingId: 'l2' }, 'Offered from another listing.'],
    [{}, { submittedAt: '2026-11-19T08:00:00.000Z' }, 'Submitted again 19 Nov.'],
    [{ totalVolume: 2500 }, {}, 'Volume 2,460 → 2,500 t (+1.6 %).'],
    [{ tags: ['a', 'b'] }, {}, 'Tags added: “a” and “b”.'],
  ])('describes %j and %j', (offer, members, expected) => {
    expect(ofOffer(offer, members)).toEqual([expected])
  })

  it('shows the part of long texts that changed', () => {
    const notes = (end: string) => ({
      additionalNotesToBuyer: `The volumes of all deliveries are subject to verification ${end}`,
    })
    expect(sentences('response', response(notes('in May')), response(notes('in June')))).toEqual([
      'Notes changed: “…verification in May” → “…verification in June”.',
    ])
  })

  it('says what was submitted', () => {
    const describe = (body: unknown, shape: 'full' | 'summary' = 'full') =>
      describeNewDocument(describedDocument('response', shape, body), AT)
    expect(describe(response())).toBe('Submitted 3 Nov: 2,460 t at 380.90 USD/t.')
    expect(describe({ totalVolume: 10, totalPrice: 50, currency: 'USD', status: 'accepted' }, 'summary')).toBe(
      'Submitted: 10 t at 5.00 USD/t; status accepted.',
    )
    expect(describe({})).toBe('Submitted: no volume and price stated.')
  })
})

describe('a sentence about an RFQ', () => {
  it.each([
    [{ responseDueDate: '2027-01-15' }, 'Responses due 15 Jan 2027 (was 12 Dec).'],
    [{ fulfilmentDueDate: '2028-01-31' }, 'Delivery by 31 Jan 2028 (was 31 Dec 2027).'],
    [{ minVolume: 20_000 }, 'Volume: 20,000–50,000 t (was 10,000–50,000 t).'],
    [{ maxVintageYear: 2026 }, 'Vintages: 2020–2026 (was from 2020).'],
    [{ pricing: { maxUnitPrice: 28, currency: 'USD' } }, 'Price limits: up to 28.00 USD/t (was 10.00–30.00 USD/t).'],
    [{ title: 'Peat' }, 'Title changed: “Mangroves 2027” → “Peat”.'],
    [{ contractTypes: ['spot', 'forward'] }, 'Contracts: spot and forward (was spot).'],
    [{ reasonForPurchase: 'buyToSell' }, 'Bought to sell (was to retire).'],
    [{ listingIds: ['c', 'a', 'd'] }, 'Invited listings: 2 added, 1 removed.'],
    [{ state: 'closed', closedAt: AT }, 'Closed.'],
    [{ number: 2042 }, 'Number 1042 → 2042.'],
    [{ updatedAt: AT }, 'Updated without another difference.'],
  ])('describes %j', (members, expected) => {
    expect(ofRfq(members)).toEqual([expected])
  })

  it('says nothing of a timestamp, a UUID or characters in another form', () => {
    const [upper, composed] = ['ABCDEF00-0000-4000-8000-000000000001', 'M\u00fcller']
    const before = rfq({ listingIds: [upper], createdAt: '2026-11-01T09:00:00.000Z', title: composed })
    const forms = { listingIds: [upper.toLowerCase()], createdAt: '2026-11-01T10:00:00+01:00' }
    expect(sentences('rfq', before, rfq({ ...forms, title: composed.normalize('NFD') }))).toEqual([])
    expect(ofOffer({}, { submittedAt: '2026-11-03T09:00:00+00:00' })).toEqual([])
  })

  it('ignores its responses and the order of listings', () => {
    expect(ofRfq({ listingIds: ['b', 'a'], responses: [{ id: 'r1' }] })).toEqual([])
  })

  it('says what is asked for', () => {
    expect(describeNewDocument(documentOf('rfq', rfq()), AT)).toBe(
      'First seen: open, 10,000–50,000 t at 10.00–30.00 USD/t, responses due 12 Dec.',
    )
  })
})

describe('sentences about any two documents', () => {
  const number = fc.oneof(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.constantFrom(0, -1, 1e300))
  const date = fc.constantFrom('2026-12-01', '2027-03-31', '2027-06-30', '2026-11-02T10:00:00.000Z', 'soon', '')
  const scalar = fc.oneof(number, date, fc.boolean(), fc.constant(null), fc.constantFrom('some text', 'a b', '1e999'))
  const name = fc.constantFrom('extraInfo', 'portOfDelivery', 'x1', 'URLOfPDF', 'name[2]', 'a.b', '')
  const anything = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    ),
  })).value
  const or = <T>(usual: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: anything })
  const lines = or(
    fc.array(
      or(
        fc.record(
          { volume: or(number), unitPrice: or(number), reportingPeriodStart: or(date), more: anything },
          { requiredKeys: [] },
        ),
      ),
      { maxLength: 3 },
    ),
  )
  const anOffer = fc.record(
    {
      ...{ id: fc.constant('r1'), status: or(fc.constantFrom('submitted', 'accepted')), submittedAt: or(date) },
      offer: or(
        fc.record(
          {
            ...{ currency: or(fc.constantFrom('USD', 'EUR')), totalVolume: or(number), totalPrice: or(number) },
            ...{ expiryDate: or(date), additionalNotesToBuyer: scalar, extraInfo: anything },
            review: or(fc.record({ status: scalar, comment: scalar, updatedAt: date }, { requiredKeys: [] })),
            prePayments: or(
              fc.array(or(fc.record({ amount: or(number), paymentDueDate: or(date) })), { maxLength: 3 }),
            ),
            scheduledDeliveries: or(
              fc.array(or(fc.record({ fulfilmentDueDate: or(date), vintages: lines }, { requiredKeys: [] })), {
                maxLength: 4,
              }),
            ),
          },
          { requiredKeys: [] },
        ),
      ),
      more: anything,
    },
    { requiredKeys: [] },
  )
  const anRfq = fc.record(
    {
      ...{ state: or(fc.constantFrom('open', 'closed')), title: scalar, number: or(number), updatedAt: date },
      ...{
        minVolume: or(number),
        maxVolume: or(number),
        minVintageYear: or(fc.constant('Any')),
        responseDueDate: or(date),
      },
      pricing: or(fc.record({ minUnitPrice: or(number), currency: or(fc.constant('USD')) })),
      ...{ listingIds: or(fc.array(fc.constantFrom('a', 'b', 'c'))), contractTypes: or(fc.array(fc.constant('spot'))) },
      ...{ responses: anything, more: anything },
    },
    { requiredKeys: [] },
  )
  const FORBIDDEN = /null|undefined|NaN|\[object|\[\d+\]|\b[a-z]+\.[a-z]+|[a-z][A-Z]|\d:\d\d:\d\d|[\n“]{2}|\.\.$/

  it.each([
    ['response', anOffer],
    ['rfq', anRfq],
  ] as const)('of a %s say something about every difference in plain words', (kind, documents) => {
    fc.assert(
      fc.property(documents, documents, (before, after) => {
        const [old, now] = [documentOf(kind, before), documentOf(kind, after)]
        const changes = describeChanges(old, now, { observedAt: AT })
        const differ = differences(old.fields, now.fields)
        expect(changes.length === 0).toBe(differ.length === 0)
        for (const { message, fields } of changes) {
          expect(message.replace(/“[^”]*”/g, '“”')).not.toMatch(FORBIDDEN)
          expect(message).toMatch(/^\P{Ll}.*([.…]|[.!?]”)$/su)
          expect(message.length).toBeLessThan(1000)
          expect(fields.every((each) => each.before !== each.after)).toBe(true)
        }
        expect(new Set(changes.map(({ message }) => message)).size).toBe(changes.length)
        expect(describeNewDocument(now, AT).replace(/“[^”]*”/g, '“”')).not.toMatch(FORBIDDEN)
      }),
      { numRuns: 2000 },
    )
  })
})
