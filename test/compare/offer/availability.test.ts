import { describe, expect, it } from 'vitest'
import { parseStoredListing, parseStoredResponse, parseStoredRfq } from '../../../src/compare/input/stored-documents.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { createWorld } from '../../../src/sandbox/index.js'
import {
  AS_OF,
  comparisonInput,
  delivery,
  listing,
  offerId,
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

/** What is said of an offer with these vintages. */
function shortages(vintages: Body[], of: Body, missingSince: string | null = null): string[] {
  const { offers } = compareOffers(
    comparisonInput({
      responses: [response(1, { offer: { scheduledDeliveries: [delivery({ vintages })] } })],
      listings: [storedDocument(listing(1, of), { missingSince })],
    }),
  )
  return offers.flatMap(({ flags }) =>
    flags.flatMap(({ code, message }) => (code === 'beyond-availability' ? [message] : [])),
  )
}

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

  it('beyond the listing are a condition and a question', () => {
    const { recommendation, questions } = compareOffers(
      comparisonInput({ responses: [response(1)], listings: [listing(1, NINE)] }),
    ).decision
    expect(recommendation.award?.offers.map(({ id }) => id)).toEqual([offerId(1)])
    expect(recommendation.conditions[0]).toBe('10,000 t of 2023; the listing has 9,000.')
    expect(questions[0]?.text).toContain(
      '- You offer 10,000 t of 2023; your listing has 9,000. How would you supply the rest by 2026-09-30?',
    )
  })

  it('are more than the listing has in a recommended award of the sample marketplace', () => {
    const channel = createWorld({ seed: 42, now: AS_OF }).channels.find((one) => one.channel === 'removals')
    const record = channel?.rfqs.find(({ terms }) => terms.number === 1006)
    const { recommendation } = compareOffers({
      ...comparisonInput(),
      rfq: parseStoredRfq(storedDocument(record?.singleShape())),
      responses: record?.responses.map((one) => parseStoredResponse(storedDocument(one))) ?? [],
      listings: channel?.listings.map((one) => parseStoredListing(storedDocument(one))) ?? [],
    }).decision
    expect(recommendation.conditions.join(' ')).toContain('26,100 t of 2024; the listing has 6,600.')
  })
})
