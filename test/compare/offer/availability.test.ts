import { describe, expect, it } from 'vitest'
import type { CreditClaim } from '../../../src/core/decision/recommendation.js'
import {
  type ComparisonOverrides,
  delivery,
  listing,
  listingId,
  offerId,
  RFQ_ID,
  reportOn,
  response,
  storedDocument,
  vintage,
} from '../../helpers/data/comparison-inputs.js'

type Body = Record<string, unknown>
const calendarYears = (first: number, last = first) => ({
  ...{ reportingPeriodStart: `${first}-01-01`, reportingPeriodEnd: `${last}-12-31` },
})
const credits = (period: Body, value: number | null, type = 'fixed') => ({
  creditAvailability: [{ ...period, availableVolume: { type, value } }],
})
const range = (period: Body, max: number) => ({
  availableVolume: [{ ...period, availableVolumeRange: { min: 1, max } }],
})
const offered = (period: Body, volume: number) => vintage({ ...period, volume })

const flagsOf = (scene: ComparisonOverrides) =>
  reportOn(scene).offers.flatMap(({ flags }) => flags.filter(({ code }) => code === 'beyond-availability'))

/** What is said of an offer with these vintages. */
const shortages = (vintages: Body[], of: Body, missingSince: string | null = null): string[] =>
  flagsOf({
    responses: [response(1, { offer: { scheduledDeliveries: [delivery({ vintages })] } })],
    listings: [storedDocument(listing(1, of), { missingSince })],
  }).map(({ message }) => message)

describe('the tonnes offered of a year', () => {
  const NINE = credits(calendarYears(2023), 9_000)

  it('are compared with those of the listing, where there are no more of them', () => {
    expect(shortages([offered(calendarYears(2023), 9_000)], NINE)).toEqual([])
    expect(shortages([offered(calendarYears(2023), 9_001)], NINE)).toEqual(['9,001 t of 2023; the listing has 9,000.'])
  })

  it('are the sum of its lines, and of the entries of the listing', () => {
    const lines = [offered(calendarYears(2023), 6_000), offered(calendarYears(2023), 6_000)]
    expect(shortages(lines, NINE)).toEqual(['12,000 t of 2023; the listing has 9,000.'])
    const twice = { creditAvailability: [...NINE.creditAvailability, ...NINE.creditAvailability] }
    expect(shortages(lines, twice)).toEqual([])
  })

  it('may be as many as the larger of the two figures of the listing', () => {
    const both = { ...NINE, ...range(calendarYears(2023), 9_500) }
    expect(shortages([offered(calendarYears(2023), 9_500)], both)).toEqual([])
    expect(shortages([offered(calendarYears(2023), 9_501)], both)).toEqual(['9,501 t of 2023; the listing has 9,500.'])
  })

  it('belong to the year in which their period ends, as those of the listing', () => {
    const across = { reportingPeriodStart: '2022-07-01', reportingPeriodEnd: '2023-06-30' }
    expect(shortages([offered(across, 9_001)], NINE)).toEqual(['9,001 t of 2023; the listing has 9,000.'])
    expect(shortages([offered(calendarYears(2023), 9_001)], credits(across, 9_000))).toHaveLength(1)
  })

  it('are compared together with those of the years that one entry joins', () => {
    const joined = credits(calendarYears(2021, 2023), 9_000)
    const lines = [offered(calendarYears(2021), 5_000), offered(calendarYears(2023), 4_000)]
    expect(shortages(lines, joined)).toEqual([])
    expect(shortages([...lines, offered(calendarYears(2022), 1)], joined)).toEqual([
      '9,001 t of 2021 to 2023; the listing has 9,000.',
    ])
  })

  it('are not judged without a fixed volume, an entry of the year, or a listing that is there', () => {
    const line = [offered(calendarYears(2023), 9_001)]
    expect(shortages(line, credits(calendarYears(2023), 9_000, 'estimated'))).toEqual([])
    expect(shortages(line, credits(calendarYears(2023), null))).toEqual([])
    expect(shortages(line, credits(calendarYears(2022), 9_000))).toEqual([])
    expect(shortages([offered(calendarYears(2022, 2023), 9_001)], NINE)).toEqual([])
    expect(shortages(line, NINE, '2026-03-01T00:00:00.000Z')).toEqual([])
  })
})

describe('what offers for other RFQs claim of a listing', () => {
  const LISTED = { ...credits(calendarYears(2023), 11_000) }
  const claim = (of: Partial<CreditClaim> = {}): CreditClaim => ({
    ...{ listingId: listingId(1), channel: 'acme/forest', rfqId: 'rfq-6', rfqNumber: 1006, offerId: 'other' },
    ...{ kind: 'recommended', periodStart: '2023-01-01', periodEnd: '2023-12-31', volume: 1_001, ...of },
  })
  /** An offer of 10,000 t of 2023, of which the listing has 11,000. */
  const flagsBeside = (claims: CreditClaim[], of: Body = {}, listed: Body = LISTED) =>
    flagsOf({ responses: [response(1, of)], listings: [listing(1, listed)], claims })
  const messages = (claims: CreditClaim[], listed?: Body) =>
    flagsBeside(claims, {}, listed).map(({ message }) => message)

  it('is added to what the offer has of the same year', () => {
    expect(messages([claim({ volume: 1_000 })])).toEqual([])
    expect(messages([claim()])).toEqual([
      'Credits of 2023 are also recommended for RFQ 1006: together 11,001 of 11,000 t.',
    ])
    expect(messages([claim({ periodStart: '2022-01-01', periodEnd: '2022-12-31' })])).toEqual([])
    expect(messages([claim({ listingId: listingId(2) })])).toEqual([])
  })

  it('is named by RFQ and by what it is', () => {
    const claims = [
      claim({ rfqId: 'rfq-8', rfqNumber: 1008 }),
      claim({ channel: 'meridian/removals', rfqId: 'rfq-2', rfqNumber: 1002, kind: 'accepted' }),
      claim(),
      claim({ volume: 500 }),
      claim({ rfqId: 'rfq-9', rfqNumber: null, kind: 'awarded' }),
    ]
    expect(messages(claims)).toEqual([
      'Credits of 2023 are also accepted for RFQ meridian/removals/1002, awarded for RFQ rfq-9 and recommended for RFQ 1006 and 1008: together 14,504 of 11,000 t.',
    ])
    const many = [1, 2, 3, 4, 5, 6].map((number) => claim({ rfqId: `${number}`, rfqNumber: number }))
    expect(messages(many)[0]).toContain('recommended for RFQ 1, 2, 3, 4 and 2 more:')
  })

  it('counts no offer twice, and no alternative to the offer', () => {
    const own = { channel: 'acme/forest', rfqId: RFQ_ID, rfqNumber: 4711 }
    expect(messages([claim({ ...own, offerId: offerId(1), volume: 10_000 })])).toEqual([])
    expect(messages([claim({ ...own, offerId: offerId(2) })])).toEqual([])
    expect(messages([claim({ ...own, offerId: offerId(1) }), claim({ ...own, offerId: offerId(2) })])).toHaveLength(1)
  })

  it('joins years only if the listing has all of them', () => {
    const long = claim({ periodStart: '2022-01-01', periodEnd: '2023-12-31' })
    expect(messages([long])).toEqual([])
    const both = {
      creditAvailability: [...LISTED.creditAvailability, ...credits(calendarYears(2022), 1).creditAvailability],
    }
    expect(messages([long], both)).toEqual([])
    expect(messages([{ ...long, volume: 1_002 }], both)).toEqual([
      'Credits of 2022 to 2023 are also recommended for RFQ 1006: together 11,002 of 11,001 t.',
    ])
    expect(messages([long], credits(calendarYears(2023), 9_000))).toEqual(['10,000 t of 2023; the listing has 9,000.'])
    // Though 13,001 t of both years would be enough.
    const less = {
      creditAvailability: [2022, 2023].flatMap((year) => credits(calendarYears(year), 9_000).creditAvailability),
    }
    expect(messages([long], less)).toEqual(['10,000 t of 2023; the listing has 9,000.'])
  })

  it('is a quiet doubt about an offer that is accepted', () => {
    expect(flagsBeside([claim()]).map(({ loud }) => loud)).toEqual([true])
    const accepted = flagsBeside([claim({ kind: 'accepted' })], { status: 'accepted' })
    expect(accepted.map(({ loud }) => loud)).toEqual([false])
  })
})
