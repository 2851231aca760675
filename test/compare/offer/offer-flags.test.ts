import { describe, expect, it } from 'vitest'
import { type Flag, OFFER_FLAGS, type OfferFlagCode, RFQ_FLAGS, type RfqFlagCode } from '../../../src/compare/flag.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import type { ListDiff } from '../../../src/core/sources/sources.js'
import {
  type ComparisonOverrides,
  comparisonInput,
  delivery,
  listing,
  offerId,
  response,
  storedDocument,
  summaryOf,
  vintage,
} from '../../helpers/data/comparison-inputs.js'

type Body = Record<string, unknown>
interface Case {
  scene: ComparisonOverrides
  /** Part of the sentence: the numbers compared. */
  message: string
  /** Values compared. */
  compared?: unknown[]
}

const offering = (offer: Body | null, of: Body = {}): ComparisonOverrides => ({
  responses: [response(1, { ...of, offer })],
})
const lines = (...vintages: Body[]): ComparisonOverrides =>
  offering({ scheduledDeliveries: [delivery({ vintages: vintages.map(vintage) })] })
const prepaying = (amount: number, paymentDueDate = '2026-10-01') =>
  offering({ prePayments: [{ amount, paymentDueDate }] })
const withListing = (of: Body): ComparisonOverrides => ({ responses: [response(1)], listings: [listing(1, of)] })

const LISTED: ListDiff = {
  at: '2026-03-16T11:00:00.000Z',
  readAt: '2026-03-16T09:30:00.000Z',
  ...{ state: null, responseDueDate: null, fulfilmentDueDate: null },
  ...{ removedOffers: [], addedOffers: [], contradicts: false, fields: [] },
}

const OFFER_CASES: Record<OfferFlagCode, Case> = {
  'no-offer': { scene: offering(null), message: 'no readable offer' },
  'invalid-document': {
    scene: {
      responses: [storedDocument(response(1), { valid: false })],
      problems: ['a', 'b'].map((path) => ({
        kind: 'response',
        entityId: String(response(1).id),
        path,
        code: 'type',
        message: '',
        firstSeenAt: '2026-03-10T10:00:00.000Z',
      })),
    },
    message: '2 problems',
    compared: [2],
  },
  'summary-differs': {
    scene: {
      responses: [response(1)],
      rfq: { responses: [{ ...summaryOf(response(1)), status: 'accepted', totalPrice: 60_000 }] },
      newerSummaries: {
        rfqReadAt: '2026-03-16T11:00:00.000Z',
        offers: [{ id: offerId(1), readAt: '2026-03-16T09:30:00.000Z' }],
      },
    },
    message:
      'The RFQ, read at 2026-03-16 11:00 UTC, says accepted, total 60,000 USD; the offer itself, read at 09:30, says submitted, total 120,000 USD.',
    compared: ['submitted', 'accepted', 120_000, 60_000],
  },
  withdrawn: {
    scene: { responses: [storedDocument(response(1), { missingSince: '2026-03-12T00:00:00.000Z' })] },
    message: '2026-03-12T00:00:00.000Z',
  },
  'not-listed': {
    scene: {
      responses: [response(1)],
      listed: { ...LISTED, removedOffers: [{ id: offerId(1), name: 'Developer 1' }] },
    },
    message: 'list of 2026-03-16 11:00 UTC no longer has this offer; its RFQ was last read at 09:30.',
  },
  'unknown-status': {
    scene: offering({}, { status: 'parked' }),
    message: '"parked"',
    compared: ['parked', 'submitted, accepted, rejected'],
  },
  'review-not-accepted': {
    scene: offering({ review: { status: 'pending' } }),
    message: '"pending"',
    compared: ['pending', 'accepted'],
  },
  expired: {
    scene: offering({ expiryDate: '2026-03-15' }),
    message: '2026-03-15, 1 day before the as-of date 2026-03-16',
    compared: ['2026-03-15', '2026-03-16'],
  },
  expiring: { scene: offering({ expiryDate: '2026-03-30' }), message: 'in 14 days', compared: [14, 14] },
  'no-expiry': { scene: offering({ expiryDate: null }), message: 'no expiry date' },
  'late-submission': {
    scene: { ...offering({}, { submittedAt: '2026-03-15T00:30:00.000Z' }), rfq: { responseDueDate: '2026-03-14' } },
    message: '2026-03-14',
    compared: ['2026-03-15T00:30:00.000Z', '2026-03-14'],
  },
  'price-above-max': {
    scene: lines({ unitPrice: 15.01 }),
    message: '15.01 USD/t, is above the maximum of the RFQ, 15.00 USD/t',
    compared: [15.01, 15],
  },
  'price-below-min': {
    scene: lines({ unitPrice: 4.99 }),
    message: '4.99 USD/t, is below the minimum of the RFQ, 5.00 USD/t',
    compared: [4.99, 5],
  },
  'volume-below-min': {
    scene: lines({ volume: 9_999 }),
    message: '9,999 t, is below the minimum of the RFQ, 10,000 t',
    compared: [9_999, 10_000],
  },
  'volume-above-max': {
    scene: lines({ volume: 50_001 }),
    message: '50,001 t, is above the maximum of the RFQ, 50,000 t',
    compared: [50_001, 50_000],
  },
  'vintage-too-old': {
    scene: lines({ reportingPeriodStart: '2020-07-01', reportingPeriodEnd: '2021-06-30' }),
    message: '2020, is before the earliest year of the RFQ, 2021',
    compared: [2020, 2021],
  },
  'vintage-too-new': {
    scene: lines({ reportingPeriodStart: '2026-07-01', reportingPeriodEnd: '2027-06-30' }),
    message: '2027, is after the latest year of the RFQ, 2026',
    compared: [2027, 2026],
  },
  'vintage-after-delivery': {
    scene: lines({ reportingPeriodStart: '2026-01-01', reportingPeriodEnd: '2026-12-31' }),
    message: 'delivery on 2026-09-30, period until 2026-12-31',
    compared: ['2026-09-30', '2026-12-31'],
  },
  'delivery-after-due': {
    scene: offering({ scheduledDeliveries: [delivery(), delivery({ fulfilmentDueDate: '2027-01-01' })] }),
    message: '2027-01-01, is after the fulfilment due date, 2026-12-31',
    compared: ['2027-01-01', '2026-12-31'],
  },
  'delivery-past': {
    scene: offering({ scheduledDeliveries: [delivery({ fulfilmentDueDate: '2026-03-15' })] }),
    message: '2026-03-15',
    compared: ['2026-03-15', '2026-03-16'],
  },
  'contract-type-not-asked': {
    scene: { ...offering({ contractType: 'forward' }), rfq: { contractTypes: ['spot'] } },
    message: 'forward, is not among those asked for, spot',
    compared: ['forward', 'spot'],
  },
  'no-currency': { scene: offering({ currency: 'dollar' }), message: '"dollar"', compared: ['dollar'] },
  'no-exchange-rate': {
    scene: offering({ currency: 'EUR' }),
    message: 'No exchange rate into USD',
    compared: ['EUR', 'USD'],
  },
  'volume-mismatch': {
    scene: offering({ totalVolume: 10_001 }),
    message: '10,001 t, but the delivery lines add up to 10,000 t',
    compared: [10_001, 10_000, 0.5],
  },
  'total-mismatch': {
    scene: offering({ totalPrice: 130_000 }),
    message: '130,000 USD, but the delivery lines add up to 120,000 USD',
    compared: [130_000, 120_000],
  },
  'summary-only': {
    scene: { responses: [storedDocument(summaryOf(response(1)), { shape: 'summary' })] },
    message: 'Only the summary within the RFQ is known (the offer itself was not read yet)',
  },
  'no-volume': { scene: lines({ volume: 0 }), message: 'a volume above 0', compared: [0, 0] },
  'implausible-numbers': {
    scene: offering({
      scheduledDeliveries: [delivery({ vintages: [vintage({ volume: -5 }), vintage({ volume: 1e16 })] })],
      totalVolume: 1,
      totalPrice: 1,
    }),
    message: 'volume of a line -5, and 1 other',
    compared: [-5, 1e16],
  },
  'prepayment-share': {
    scene: prepaying(36_600),
    message: '30.5 % of the total (flagged above 30 %)',
    compared: [30.5, 30],
  },
  'prepayment-in-full': {
    scene: prepaying(120_000),
    message: 'Pre-payments are the whole total, 120,000 USD.',
    compared: [120_000, 120_000],
  },
  'prepayment-above-total': {
    scene: prepaying(120_001),
    message: '120,001 USD exceed the total of 120,000 USD',
    compared: [120_001, 120_000],
  },
  'listing-unknown': { scene: { responses: [response(1)], listings: [] }, message: 'never been observed' },
  'listing-missing': {
    scene: {
      responses: [response(1)],
      listings: [storedDocument(listing(1), { missingSince: '2026-03-01T00:00:00.000Z' })],
    },
    message: '2026-03-01T00:00:00.000Z',
  },
  'listing-not-asked': {
    scene: { responses: [response(1)], rfq: { listingIds: ['other'] } },
    message: 'does not request (it names 1 listing)',
    compared: [String(response(1).listingId), 1],
  },
  'beyond-availability': {
    scene: withListing({
      creditAvailability: [
        {
          ...{ reportingPeriodStart: '2023-01-01', reportingPeriodEnd: '2023-12-31' },
          availableVolume: { type: 'fixed', value: 9_000 },
        },
      ],
    }),
    message: '10,000 t of 2023; the listing has 9,000.',
    compared: [10_000, 9_000],
  },
}

const flagsOf = (scene: ComparisonOverrides): Flag[] =>
  compareOffers(comparisonInput(scene)).offers.flatMap(({ flags }) => flags)
const values = (flag: Flag | undefined) => flag?.compared.map(({ value }) => value)

describe('a flag on an offer', () => {
  it('is not raised on consistent data', () => {
    expect(flagsOf({ responses: [response(1)] })).toEqual([])
  })

  it.each(OFFER_FLAGS)('%s', (code) => {
    const { scene, message, compared } = OFFER_CASES[code]
    const flag = flagsOf(scene).find((one) => one.code === code)
    expect(flag?.message).toContain(message)
    if (compared !== undefined) expect(values(flag)).toEqual(compared)
  })

  it('is not raised for values exactly at the limit', () => {
    const atLimit = lines({
      unitPrice: 15,
      volume: 10_000,
      reportingPeriodStart: '2021-01-01',
      reportingPeriodEnd: '2021-12-31',
    })
    expect(flagsOf(atLimit)).toEqual([])
    expect(flagsOf(lines({ unitPrice: 5, volume: 50_000, reportingPeriodEnd: '2026-09-30' }))).toEqual([])
    expect(flagsOf(prepaying(36_000))).toEqual([])
    expect(flagsOf({ ...prepaying(120_000), settings: { prepaymentShareLimit: 1 } })).toEqual([])
    expect(flagsOf(offering({}, { submittedAt: '2026-03-20T23:59:59.999Z' }))).toEqual([])
    expect(flagsOf(offering({ expiryDate: '2026-03-31' }))).toEqual([])
  })

  it('needs no price if it is about a volume, and no volume if it is about a total', () => {
    const codes = (offer: Body, scene: ComparisonOverrides = {}) =>
      flagsOf({ ...offering({ prePayments: [], ...offer }), ...scene }).map(({ code }) => code)
    const unpriced = (volume: number) => ({
      scheduledDeliveries: [delivery({ vintages: [vintage({ volume, unitPrice: null })] })],
      ...{ totalVolume: volume, totalPrice: null },
    })
    expect(codes(unpriced(9_999))).toContain('volume-below-min')
    expect(codes({ ...unpriced(9_999), totalVolume: null })).toContain('volume-below-min')
    expect(codes({ ...unpriced(9_999), scheduledDeliveries: [] })).toContain('volume-below-min')
    expect(codes(unpriced(10_000))).not.toContain('volume-below-min')
    expect(codes(unpriced(50_001))).toContain('volume-above-max')
    // What the other lines state is not all.
    const partly = [vintage({ volume: 9_999, unitPrice: null }), vintage({ volume: null, unitPrice: null })]
    const incomplete = { scheduledDeliveries: [delivery({ vintages: partly })], totalVolume: null, totalPrice: null }
    expect(codes(incomplete)).not.toContain('volume-below-min')

    const unmeasured = (amount: number) => ({
      ...{ scheduledDeliveries: [], totalVolume: null, totalPrice: 1_000 },
      prePayments: [{ amount, paymentDueDate: '2026-10-01' }],
    })
    expect(codes(unmeasured(300))).not.toContain('prepayment-share')
    expect(codes(unmeasured(301))).toContain('prepayment-share')
    expect(codes(unmeasured(1_000))).toContain('prepayment-in-full')
    expect(codes(unmeasured(1_001))).toContain('prepayment-above-total')
  })

  it('determines lateness in the channel’s time zone', () => {
    const scene = (submittedAt: string): ComparisonOverrides => ({
      ...offering({}, { submittedAt }),
      timeZone: 'America/New_York',
    })
    expect(flagsOf(scene('2026-03-21T03:59:00.000Z'))).toEqual([])
    expect(flagsOf(scene('2026-03-21T04:00:00.000Z')).map(({ code }) => code)).toEqual(['late-submission'])
  })

  it('is sorted by severity, highest first', () => {
    const severities = flagsOf(offering({ expiryDate: null, totalPrice: 999, currency: 'EUR' })).map(
      ({ severity }) => severity,
    )
    expect(severities).toEqual(
      [...severities].sort((a, b) => ['high', 'medium', 'low'].indexOf(a) - ['high', 'medium', 'low'].indexOf(b)),
    )
    expect(new Set(severities).size).toBeGreaterThan(1)
  })

  it('for expiry is not raised on an accepted offer', () => {
    expect(flagsOf(offering({ expiryDate: '2026-01-01' }, { status: 'accepted' }))).toEqual([])
    expect(flagsOf(offering({ expiryDate: null }, { status: 'accepted' }))).toEqual([])
  })
})

const RFQ_CASES: Record<RfqFlagCode, Case> = {
  'rfq-invalid': {
    scene: { rfq: { title: 7 }, rfqStored: { valid: false } },
    message: 'does not match the documented format',
  },
  'rfq-missing': { scene: { rfqStored: { missingSince: '2026-03-11T00:00:00.000Z' } }, message: '2026-03-11' },
  'rfq-list-differs': {
    scene: { listed: { ...LISTED, state: 'closed' } },
    message: 'The list of 2026-03-16 11:00 UTC says closed; this RFQ was last read at 09:30.',
  },
  'rfq-overdue': {
    scene: { rfq: { responseDueDate: '2026-03-14' } },
    message: '2 days after',
    compared: ['2026-03-16', '2026-03-14'],
  },
  'rfq-state-conflict': {
    scene: { rfq: { closedAt: '2026-03-10T09:00:00.000Z' } },
    message: 'open, although it states a closing time, 2026-03-10',
    compared: ['open', '2026-03-10T09:00:00.000Z'],
  },
  'rfq-no-due-date': { scene: { rfq: { responseDueDate: null } }, message: 'no response due date' },
  'rfq-no-offers': { scene: { responses: [] }, message: 'no offers', compared: [0] },
  'rfq-offers-unread': {
    scene: { rfq: { responses: [{ id: 'a' }, { id: 'b' }] }, rfqStored: { shape: 'list' }, responses: [] },
    message: '2 offers, not read yet',
    compared: [2],
  },
  'rfq-no-volume': {
    scene: { rfq: { minVolume: 0, maxVolume: null } },
    message: 'no minimum volume',
    compared: [0, null],
  },
  'rfq-no-price-limit': { scene: { rfq: { pricing: { currency: 'USD' } } }, message: 'no maximum price' },
  'rfq-limits-crossed': {
    scene: { rfq: { minVolume: 9, maxVolume: 5 } },
    message: 'volume of the RFQ, 9, is above its maximum, 5',
    compared: [9, 5],
  },
}

describe('a flag on the RFQ', () => {
  it('is not raised on consistent data', () => {
    expect(compareOffers(comparisonInput()).rfq.flags).toEqual([])
  })

  it.each(RFQ_FLAGS)('%s', (code) => {
    const { scene, message, compared } = RFQ_CASES[code]
    const flag = compareOffers(comparisonInput(scene)).rfq.flags.find((one) => one.code === code)
    expect(flag?.message).toContain(message)
    if (compared !== undefined) expect(values(flag)).toEqual(compared)
  })
})
