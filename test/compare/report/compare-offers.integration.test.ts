import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ComparisonInput } from '../../../src/compare/input/comparison-input.js'
import { compareOffers, type RfqReport } from '../../../src/compare/report/compare-offers.js'
import { DEFAULT_SETTINGS, PRICE_BASES } from '../../../src/core/decision/settings.js'
import {
  comparisonInput,
  EURO_SETTINGS,
  listing,
  manyResponses,
  RFQ_ID,
  reportOn,
  response,
  rfq,
  sampleResponses,
  storedDocument,
} from '../../helpers/data/comparison-inputs.js'
import { mutated } from '../../helpers/data/mutated.js'
import { shareOf } from '../../helpers/long-tests.js'

/** Properties of every report, whatever its documents contain. */
function expectSound(report: RfqReport): void {
  // Plain JSON: neither NaN nor infinity, undefined, dates or maps.
  expect(JSON.parse(JSON.stringify(report))).toStrictEqual(report)
  expectAllNamed(report)
  const competing = report.offers.filter(({ standing }) => standing === 'ranked')
  expect(competing.map(({ rank }) => rank)).toEqual(competing.map((_, at) => at + 1))
  const costs = competing.map(({ compared }) => compared.costPerTonne ?? Number.NaN)
  expect(costs).toEqual(costs.toSorted((one, other) => one - other))
  for (const { unmet, standing, why, rank, metrics } of report.offers) {
    expect(rank === null).toBe(standing !== 'ranked')
    expect(why === null).toBe(standing === 'ranked')
    if (standing === 'ranked') expect(unmet.every(({ level }) => level !== 'hard')).toBe(true)
    expect(metrics.noPrice === null).toBe(metrics.pricePerTonne !== null && metrics.presentValuePerTonne !== null)
  }
}

/** Every offer competes or is told with a reason, and every sentence is one. */
function expectAllNamed({ offers, decision }: RfqReport): void {
  const { recommendation, choices, excluded, requirements, savings } = decision
  expect(excluded).toHaveLength(offers.filter(({ rank }) => rank === null).length)
  expect(requirements).toHaveLength(Object.keys(DEFAULT_SETTINGS.requirements).length)
  const { headline, reasons, conditions, breakEven } = recommendation
  const messages = [...conditions, ...breakEven].map(({ message }) => message)
  const own = [headline, ...reasons, ...messages, ...(savings === null ? [] : [savings.message])]
  const sentences = [...own, ...excluded.map(({ message }) => message)]
  for (const message of sentences) expect(message).toMatch(/^\S.*[.”]$/s)
  expect(savings?.message ?? '').not.toMatch(/cost \.$/)
  expect(sentences.join(' ')).not.toMatch(/NaN|Infinity|undefined|null|\[object/)
  for (const { award } of choices) {
    expect(award.offers.length).toBeGreaterThan(0)
    expect([award.tonnes > 0, award.total > 0]).toEqual([true, true])
  }
}

describe('a report', () => {
  it('states its channel, time zone and as-of moment', () => {
    const { context } = reportOn({ timeZone: 'Pacific/Auckland' })
    expect(context).toMatchObject({
      asOf: '2026-03-16T12:00:00.000Z',
      asOfDate: '2026-03-17',
      timeZone: 'Pacific/Auckland',
    })
    expect(() => reportOn({ timeZone: 'Mars/Olympus' })).toThrow(RangeError)
  })

  it('does not depend on the order of its input, which it does not modify', () => {
    const input = comparisonInput({
      settings: EURO_SETTINGS,
      problems: ['number', 'title'].map((path) => {
        return { kind: 'rfq' as const, entityId: RFQ_ID, path, code: 'missing' as const, message: '' }
      }),
      responses: [...sampleResponses(), ...manyResponses(6, 2).map((body, at) => ({ ...body, id: `x${at}` }))],
    })
    const turned: ComparisonInput = { ...input }
    for (const key of ['responses', 'listings', 'problems', 'decisions'] as const) {
      Object.assign(turned, { [key]: [...input[key]].reverse() })
    }
    const before = structuredClone(input)
    expect(compareOffers(turned)).toEqual(compareOffers(input))
    expect(input).toEqual(before)
  })

  it('counts earlier decisions on the RFQ', () => {
    const decided = (decidedAt: string, rfqId = RFQ_ID) =>
      ({ rfqId, decidedAt }) as ComparisonInput['decisions'][number]
    const decisions = [
      decided('2026-03-16T11:00:00.000Z'),
      decided('2026-03-16T11:30:00.000Z'),
      decided('2026-03-17T00:00:00.000Z'),
      decided('2026-03-16T11:00:00.000Z', 'other'),
    ]
    expect(reportOn({ decisions }).closings).toBe(2)
  })
})

describe('a report on malformed documents', () => {
  it('is valid if there are no documents', () => {
    const odd = [null, 7, 'text', [], {}].map((body, at) =>
      storedDocument(body, { id: `unidentified-${at}`, valid: false }),
    )
    const report = reportOn({
      responses: odd,
      listings: odd,
    })
    expectSound(report)
    expect(report.offers).toHaveLength(5)
    expect(report.offers.every(({ source }) => !source.valid)).toBe(true)
    expectSound(reportOn({ responses: [] }))
    const nothing = comparisonInput({ responses: [response(1)] })
    expectSound(compareOffers({ ...nothing, rfq: { ...nothing.rfq, document: null, valid: false } }))
  })

  it('is valid whatever value any field of a document has', () => {
    const junk = fc.oneof(
      fc.constantFrom<unknown>(null, undefined, '', ' ', 'Any', 'USD', '=1+1', true, [], {}, [[]]),
      fc.constantFrom(0, -1, 1e-7, 1e-300, 1e15, 1e16, 1e300),
      fc.constantFrom('2026-02-30', '2026-03-16', '9999-12-31', '0001-01-01', '0000-01-01T00:00:00.000Z'),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ maxLength: 5 }),
    )
    const many = fc.integer({ min: 1, max: 1e6 }).map((seed) => manyResponses(25, 2, seed))
    const anyResponses = fc.oneof(mutated(sampleResponses(), junk, 12), many)
    const anyListings = mutated(
      [1, 2, 3].map((number) => listing(number)),
      junk,
      12,
    )
    const anyRfq = fc.oneof(mutated(rfq(), junk, 12), fc.constant(rfq()))
    const anyBasis = fc.constantFrom(...PRICE_BASES)
    fc.assert(
      fc.property(anyResponses, anyListings, anyRfq, anyBasis, (responses, listings, rfq, priceBasis) => {
        const stored = { responses: asStored(responses), listings: asStored(listings) }
        const settings = { ...EURO_SETTINGS, priceBasis, discountRate: 0.2 }
        expectSound(reportOn({ ...stored, rfq, settings }))
      }),
      { numRuns: shareOf(150) },
    )
  })
})

/** Documents as the store returns them, each with its own identifier. */
function asStored(bodies: readonly Record<string, unknown>[]) {
  const taken = new Set<unknown>()
  return bodies.map((body, at) => {
    const own = typeof body?.id === 'string' && !taken.has(body.id)
    taken.add(body?.id)
    return storedDocument(body, { id: own ? `${body.id}` : `unidentified-${at}` })
  })
}
