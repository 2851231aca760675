import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareDocuments } from '../../../src/core/changes/compare-documents.js'
import { changesOfVersion, describeChanges, MAX_SENTENCES } from '../../../src/core/changes/describe-changes.js'
import { mutated } from '../../helpers/data/mutated.js'
import { shareOf } from '../../helpers/long-tests.js'

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

const full = (body: unknown) => ({ shape: 'full' as const, body })
const sentences = (before: unknown, after: unknown) => describeChanges(full(before), full(after), AT)
const ofOffer = (offer: object, members?: object) => sentences(response(), response(offer, members))
const ofRfq = (members: object) => sentences(rfq(), rfq(members))
const version = (kind: 'rfq' | 'response', body: unknown, shape: 'full' | 'summary' = 'full') => ({
  ...{ kind, body, shape, observedAt: AT },
})
const firstOf = (...args: Parameters<typeof version>) => changesOfVersion(null, version(...args))

describe('a comparison of two documents', () => {
  const fieldsOf = (before: unknown, after: unknown) =>
    compareDocuments(full(before), full(after)).map(({ field, before: old, after: now }) => [field, old, now])
  const offerOf = (...scheduledDeliveries: object[]) => response({ scheduledDeliveries })
  const [a, b, c] = [
    delivery('2027-03-31', line(1, 2, 2024)),
    delivery('2027-03-31', line(3, 2, 2024)),
    delivery('2027-09-30', line(5, 2, 2024), line(5, 2, 2025)),
  ]

  it('has the values of fields, with their paths in the later version', () => {
    const after = response({ totalPrice: 5, isFirm: true, prePayments: null }, { status: undefined })
    expect(fieldsOf(response(), after)).toEqual([
      ['status', 'submitted', null],
      ['offer.totalPrice', 937_014, 5],
      ['offer.isFirm', null, true],
    ])
  })

  it('matches deliveries that are equal, then those of a date, then the others if there are as many', () => {
    expect(fieldsOf(offerOf(a, b, c), offerOf(b, c))).toEqual([['offer.scheduledDeliveries[0]', a, null]])
    const [price, moved] = [delivery('2027-09-30', line(5, 3, 2024)), { ...b, fulfilmentDueDate: '2027-06-30' }]
    expect(fieldsOf(offerOf(a, b, c), offerOf(price, a, moved))).toEqual([
      ['offer.scheduledDeliveries[0].vintages[0].unitPrice', 2, 3],
      ['offer.scheduledDeliveries[0].vintages[1]', line(5, 2, 2025), null],
      ['offer.scheduledDeliveries[2].fulfilmentDueDate', '2027-03-31', '2027-06-30'],
    ])
  })

  it('ignores responses, times of update, the order of values, and other forms of a text', () => {
    const [upper, composed] = ['ABCDEF00-0000-4000-8000-000000000001', 'M\u00fcller']
    const before = { listingIds: [upper, 'b'], title: composed, expiryDate: '2026-11-03T09:00:00.000Z' }
    const after = {
      listingIds: ['b', upper.toLowerCase()],
      title: composed.normalize('NFD'),
      responses: [{ id: 'r1' }],
    }
    expect(fieldsOf(before, { ...after, expiryDate: '2026-11-03T10:00:00+01:00', updatedAt: AT })).toEqual([])
    expect(fieldsOf(response(), response({ review: { source: 'crm', createdAt: AT } }))).toEqual([])
  })

  it('compares what a summary and the full document both have', () => {
    const { offer, id, status } = response()
    const summary = { shape: 'summary' as const, body: { id, status, totalPrice: 9, currency: offer.currency } }
    expect(compareDocuments(summary, full(response()))).toMatchObject([{ field: 'offer.totalPrice', before: 9 }])
  })
})

describe('a sentence about an offer', () => {
  it('states price, volume and total of the offer first, and the price of lines where it differs', () => {
    const withPrice = (unitPrice: number, from = 0) =>
      response().offer.scheduledDeliveries.map((one, at) =>
        at < from ? one : { ...one, vintages: one.vintages.map((each) => ({ ...each, unitPrice })) },
      )
    expect(ofOffer({ scheduledDeliveries: withPrice(369.45), totalPrice: 908_847, expiryDate: '2026-12-12' })).toEqual([
      'Price per tonne 380.90 → 369.45 USD (−3 %).',
      'Total 937,014 → 908,847 USD (−3 %).',
      'Expiry date 1 Dec → 12 Dec.',
    ])
    expect(ofOffer({ scheduledDeliveries: withPrice(370, 1), totalPrice: 921_100 })).toEqual([
      'Price per tonne 380.90 → 374.4309 USD (−1.7 %).',
      'Total 937,014 → 921,100 USD (−1.7 %).',
      'Unit price 380.90 → 370.00 USD (−2.9 %) in delivery 2 and delivery 3.',
    ])
  })

  it('names vintages by their year, or by their number if it is not unique', () => {
    const offerOf = (...vintages: object[]) => response({ scheduledDeliveries: [delivery('2027-03-31', ...vintages)] })
    const [first, second, third] = [line(1, 2, 2024), line(1, 2, 2025), line(3, 2, 2025)]
    const before = offerOf(first, second, third)
    expect(sentences(before, offerOf(line(1, 3, 2024), second, third))).toContain(
      'Unit price 2.00 → 3.00 USD (+50 %) in vintage 2024.',
    )
    expect(sentences(before, offerOf(first, second, line(3, 3, 2025)))).toContain(
      'Unit price 2.00 → 3.00 USD (+50 %) in vintage 3.',
    )
    expect(sentences(before, offerOf(line(1, 2, 2023), second, third))).toEqual(['Vintage 2024 → 2023.'])
    expect(sentences(before, offerOf(first, second))).toContain('Vintage 3 removed (was 3 t at 2.00 USD/t).')
  })

  it('tells which delivery moved, was added or removed', () => {
    const [first, second, third] = response().offer.scheduledDeliveries
    const move = { fulfilmentDueDate: '2027-06-30' }
    expect(ofOffer({ scheduledDeliveries: [first, { ...second, ...move }, third] })).toEqual([
      'Due date 31 Mar 2027 → 30 Jun 2027 in delivery 2.',
    ])
    expect(ofOffer({ scheduledDeliveries: [first, third] })).toEqual([
      'Delivery 2 removed (was 1,000 t at 380.90 USD/t, due 31 Mar 2027).',
    ])
    const added = delivery('2027-06-30', line(500, 380.9))
    expect(ofOffer({ scheduledDeliveries: [added, first, second, third] })).toEqual([
      'Delivery 1 added: 500 t at 380.90 USD/t, due 30 Jun 2027.',
    ])
  })

  it('tells which prepayment differs', () => {
    const paid = (...payments: [amount: number, paymentDueDate: string][]) =>
      response({ prePayments: payments.map(([amount, paymentDueDate]) => ({ amount, paymentDueDate })) })
    const [one, other] = [[10_000, '2027-01-05'] as const, [500, '2027-06-05'] as const]
    expect(sentences(paid([...one]), paid([9_000, one[1]]))).toEqual(['Prepayment 10,000 → 9,000 USD (−10 %).'])
    expect(sentences(paid([...one]), paid([9_000, '2026-12-24']))).toEqual([
      'Prepayment 10,000 → 9,000 USD (−10 %).',
      'Prepayment due date 5 Jan 2027 → 24 Dec.',
    ])
    expect(sentences(paid(), paid([...one]))).toEqual(['Prepayment added: 10,000 USD, due 5 Jan 2027.'])
    expect(sentences(paid([...one], [...other]), paid([...one]))).toEqual([
      'Prepayment 2 removed (was 500 USD, due 5 Jun 2027).',
    ])
  })

  it('has amounts of two currencies without a percentage', () => {
    expect(ofOffer({ currency: 'EUR', totalPrice: 900_000 })).toEqual([
      'Total 937,014 USD → 900,000 EUR.',
      'Currency: USD → EUR.',
    ])
  })

  it.each([
    [{}, { status: 'accepted' }, 'Status: submitted → accepted.'],
    [{ review: { status: 'accepted' } }, {}, 'Review added: accepted.'],
    [{ expiryDate: null }, {}, 'Expiry date removed (was 1 Dec).'],
    [{ additionalNotesToBuyer: 'Two lots\nonly' }, {}, 'Notes added: “Two lots only”.'],
    [{ portOfDelivery: { cityName: 'Genoa' } }, {}, 'Port of delivery, city name added: “Genoa”.'],
    [{ isFirm: true }, {}, 'Is firm added: yes.'],
    [{}, { listingId: 'l2' }, 'Offered from another listing.'],
    [{}, { submittedAt: '2026-11-19T08:00:00.000Z' }, 'Time of submission 3 Nov → 19 Nov.'],
    [{ totalVolume: 2500 }, {}, 'Volume 2,460 → 2,500 t (+1.6 %).'],
    [{ tags: ['b', 'a'] }, {}, 'Tags added: “a, b”.'],
    [{ files: [{ name: 'x.pdf', size: 3 }] }, {}, 'Files 1 added: “x.pdf” and 3.'],
  ])('describes %j and %j', (offer, members, expected) => {
    expect(ofOffer(offer, members)).toEqual([expected])
  })

  it('shows the part of long texts that changed', () => {
    const notes = (end: string) => ({
      additionalNotesToBuyer: `The volumes of all deliveries are subject to verification ${end}`,
    })
    expect(sentences(response(notes('in May')), response(notes('in June')))).toEqual([
      'Notes: “…verification in May” → “…verification in June”.',
    ])
  })

  it('says what was submitted', () => {
    expect(firstOf('response', response())).toEqual(['Submitted 3 Nov: 2,460 t at 380.90 USD/t.'])
    const summary = { id: 'r1', totalVolume: 10, totalPrice: 50, currency: 'USD', status: 'accepted' }
    expect(firstOf('response', summary, 'summary')).toEqual(['Submitted: 10 t at 5.00 USD/t; status accepted.'])
    expect(firstOf('response', {})).toEqual(['Submitted: without details.'])
  })

  it('says that it was read in full', () => {
    const { offer, ...own } = response()
    const summary = version('response', { ...own, ...offer, totalPrice: 930_000 }, 'summary')
    expect(changesOfVersion(summary, version('response', response()))).toEqual([
      'Read in full; before, only part of it was known.',
      'Price per tonne 378.0488 → 380.90 USD (+0.8 %).',
      'Total 930,000 → 937,014 USD (+0.8 %).',
    ])
  })
})

describe('a sentence about an RFQ', () => {
  it.each([
    [{ responseDueDate: '2027-01-15' }, 'Response due date 12 Dec → 15 Jan 2027.'],
    [{ minVolume: 20_000 }, 'Minimum volume 10,000 → 20,000 t (+100 %).'],
    [{ maxVintageYear: 2026 }, 'Maximum vintage year: any → 2026.'],
    [{ pricing: { ...rfq().pricing, maxUnitPrice: 28 } }, 'Maximum unit price 30.00 → 28.00 USD (−6.7 %).'],
    [{ title: 'Peat' }, 'Title: “Mangroves 2027” → “Peat”.'],
    [{ contractTypes: ['spot', 'forward'] }, 'Contract types: spot → forward, spot.'],
    [{ reasonForPurchase: 'buyToSell' }, 'Reason for purchase: buy to retire → buy to sell.'],
    [{ listingIds: ['c', 'a', 'd'] }, 'Invited listings changed.'],
  ])('describes %j', (members, expected) => {
    expect(ofRfq(members)).toEqual([expected])
  })

  it('says who closed it, and that it was opened again', () => {
    const [open, closed] = [version('rfq', rfq()), version('rfq', rfq({ state: 'closed', closedAt: AT }))]
    expect(changesOfVersion(open, closed)).toEqual(['Closed.'])
    expect(changesOfVersion(open, closed, true)).toEqual(['Closed by Quotekeeper.'])
    expect(changesOfVersion(closed, open)).toEqual(['Opened again.'])
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
  const FORBIDDEN = /null|undefined|NaN|\[object|\[\d+\]|\b[a-z]+\.[a-z]+|[a-z][A-Z]|\d:\d\d:\d\d|[\n“]{2}|\.\.$/

  it.each([
    ['response', response({ review: { status: 'accepted', comment: 'As found.' } }, { more: null })],
    ['rfq', rfq({ more: null, updatedAt: '2026-11-02T10:00:00.000Z' })],
  ] as const)('of a %s say something about every difference in plain words', (kind, document) => {
    const documents = mutated<object>(document, anything, 6)
    fc.assert(
      fc.property(documents, documents, (before, after) => {
        const messages = sentences(before, after)
        const changes = compareDocuments(full(before), full(after))
        expect(messages.length === 0).toBe(changes.length === 0)
        expect(changes.every((each) => each.before !== each.after)).toBe(true)
        for (const message of [...messages, ...firstOf(kind, after)]) {
          expect(message.replace(/“[^”]*”/g, '“”')).not.toMatch(FORBIDDEN)
          expect(message).toMatch(/^\P{Ll}.*([.…]|[.!?]”)$/su)
          expect(message.length).toBeLessThan(1000)
        }
        expect(new Set(messages).size).toBe(messages.length)
      }),
      { numRuns: shareOf(6000) },
    )
  })

  it('tolerate bodies that are not documents, are deeply nested or contain infinity', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`) as unknown
    const odd = [null, 7, 'text', [1], deep, JSON.parse('{"totalVolume":1e999}')]
    const found = odd.slice(1).flatMap((body, at) => sentences(odd[at], body))
    expect(found).toContain('Total volume added: “Infinity”.')
  })

  it('count the differences beyond the limit instead of naming them', () => {
    const many = (value: number) => Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`f${at}`, value]))
    const found = sentences(many(1), many(2))
    expect(found).toHaveLength(MAX_SENTENCES + 1)
    expect(found.at(-1)).toBe('670 more differences.')
  })
})
