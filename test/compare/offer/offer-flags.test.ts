import { describe, expect, it } from 'vitest'
import type { Flag, FlagCode } from '../../../src/compare/offer/offer-report-model.js'
import type { RfqResponse } from '../../../src/core/documents/observation.js'
import {
  type ComparisonOverrides,
  lines,
  offerId,
  reportOn,
  response,
  summaryOf,
} from '../../helpers/data/comparison-inputs.js'

type Body = Record<string, unknown>

const offering = (offer: Body | null, of: Body = {}): ComparisonOverrides => ({
  responses: [response(1, { ...of, offer })],
})
const prepaying = (amount: number, paymentDueDate = '2026-05-01') =>
  offering({ prePayments: [{ amount, paymentDueDate }] })
const reviewed = {
  ...{ reviewedAt: '2026-03-08T10:00:00.000Z', changedAt: '2026-03-10T10:00:00.000Z' },
  document: response(1, { offer: lines({ volume: 9_000, unitPrice: 14 }) }) as RfqResponse,
}
const summary = { ...summaryOf(response(1)), status: 'accepted', totalPrice: 60_000 }
const across = { reportingPeriodStart: '2021-11-01', reportingPeriodEnd: '2022-10-31' }

/** What raises each flag, and its sentence or the part of it with the numbers compared. Tonnes beyond a listing: availability.test.ts. */
const CASES: Record<Exclude<FlagCode, 'beyond-availability'>, [scene: ComparisonOverrides, message: string]> = {
  'changed-since-review': [
    { responses: [response(1)], reviewed: new Map([[offerId(1), reviewed]]) },
    'Review accepted 2026-03-08; price 14.00 → 12.00, volume 9,000 t → 10,000 t on 2026-03-10.',
  ],
  'summary-differs': [
    { responses: [response(1)], rfq: { responses: [summary] } },
    'The summary in the RFQ differs from the offer itself: Total 60,000 → 120,000 USD (+100 %). Status: accepted → submitted.',
  ],
  expiring: [offering({ expiryDate: '2026-03-30' }), 'The offer expires in 14 days, on 2026-03-30.'],
  'volume-mismatch': [
    offering({ totalVolume: 10_001 }),
    '10,001 t, but the delivery lines, which count, add up to 10,000 t',
  ],
  'total-mismatch': [
    offering({ totalPrice: 130_000 }),
    '130,000 USD, but the delivery lines, which count, add up to 120,000 USD',
  ],
  'prepayment-in-full': [
    prepaying(120_000),
    'Pre-payments of 120,000 USD are due before the first delivery, on 2026-09-30; the total is 120,000 USD.',
  ],
  'begins-early': [
    { ...offering(lines(across)), rfq: { minVintageYear: 2022 } },
    'A vintage begins in 2021-11, before 2022, the earliest year asked for.',
  ],
  'price-far-below-min': [
    offering(lines({ unitPrice: 2.99 })),
    "2.99 USD/t, is 40.2 % below the RFQ's minimum of 5.00 USD/t",
  ],
}

const flagsOf = (scene: ComparisonOverrides): Flag[] => reportOn(scene).offers.flatMap(({ flags }) => flags)

describe('a flag on an offer', () => {
  it('is not raised on consistent data', () => {
    expect(flagsOf({ responses: [response(1)] })).toEqual([])
  })

  it.each(Object.entries(CASES))('%s', (code, [scene, message]) => {
    const flag = flagsOf(scene).find((one) => one.code === code)
    expect(flag?.message).toContain(message)
  })

  it('is not raised for values exactly at the limit, and beyond it is', () => {
    expect(flagsOf(offering(lines({ unitPrice: 3, volume: 50_000, reportingPeriodEnd: '2026-09-30' })))).toEqual([])
    expect(flagsOf(prepaying(119_999))).toEqual([])
    expect(flagsOf(offering({ totalVolume: 10_000.5, totalPrice: 120_120 }))).toEqual([])
    for (const stated of [{ totalVolume: 10_000.6 }, { totalVolume: 9_999.4 }, { totalPrice: 120_121 }])
      expect(flagsOf(offering(stated))).toHaveLength(1)
    expect(flagsOf(prepaying(120_000, '2026-09-30'))).toEqual([])
    expect(flagsOf(offering({ expiryDate: '2026-03-31' }))).toEqual([])
  })

  it('says that an offer expires before responses are due, and that more than the total is paid before', () => {
    const early = { ...offering({ expiryDate: '2026-04-01' }), rfq: { responseDueDate: '2026-04-02' } }
    expect(flagsOf(early).map(({ message }) => message)).toEqual(['The offer expires in 16 days, on 2026-04-01.'])
    expect(flagsOf(prepaying(120_001)).map(({ code }) => code)).toEqual(['prepayment-in-full'])
  })

  it('is sorted, loud ones first', () => {
    const flags = flagsOf(offering({ expiryDate: '2026-03-20', totalPrice: 999 }))
    expect(flags.map(({ loud }) => loud)).toEqual([true, false])
  })

  it('for expiry is not raised on an accepted offer', () => {
    expect(flagsOf(offering({ expiryDate: '2026-03-20' }, { status: 'accepted' }))).toEqual([])
  })
})
