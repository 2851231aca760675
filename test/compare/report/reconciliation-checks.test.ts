import { describe, expect, it } from 'vitest'
import type { DecisionAward } from '../../../src/compare/decision/decision-model.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { checksOf as checksOfFigures } from '../../../src/compare/report/reconciliation-checks.js'
import {
  type ComparisonOverrides,
  comparisonInput,
  EURO_SETTINGS,
  listing,
  listingId,
  offerId,
  response,
  sampleResponses,
  storedDocument,
  summaryOf,
} from '../../helpers/comparison-inputs.js'

const checksOf = (scene: ComparisonOverrides) => compareOffers(comparisonInput(scene)).checks
const find = (scene: ComparisonOverrides, id: string) => checksOf(scene).checks.find((check) => check.id === id)

describe('checks', () => {
  it('show both sides of every figure and pass for consistent data', () => {
    const { checks, master } = checksOf({ responses: [response(1), response(2)], settings: EURO_SETTINGS })
    expect(master).toMatchObject({ verdict: 'ok', figures: { fails: 0, unknown: 0 }, data: { fails: 0 } })
    expect(checks.filter(({ about }) => about === 'figures').length).toBeGreaterThan(15)
    expect(new Set(checks.map(({ verdict }) => verdict))).toEqual(new Set(['ok']))
  })

  it('compare the recommended award with its offers, the solved awards and the rule', () => {
    const input = comparisonInput()
    const report = compareOffers(input)
    const { recommendation } = report.decision
    const verdictsOf = (award: object) => {
      const changed = { ...recommendation, award: { ...recommendation.award, ...award } as DecisionAward }
      const { checks, master } = checksOfFigures({
        ...report,
        known: input.rfq,
        decision: { ...report.decision, recommendation: changed },
      })
      const found = checks.filter(({ id }) => id.startsWith('recommended-')).map(({ verdict }) => verdict)
      return [...found, master.verdict]
    }
    const { total = 0, tonnes = 0 } = recommendation.award ?? {}
    expect(verdictsOf({})).toEqual(['ok', 'ok', 'ok', 'ok', 'attention'])
    expect(verdictsOf({ total: total + 1 })).toEqual(['fails', 'ok', 'fails', 'fails', 'fails'])
    expect(verdictsOf({ tonnes: tonnes - 1 })).toEqual(['ok', 'fails', 'ok', 'ok', 'fails'])
  })

  it('give the master verdict attention, not fails, if marketplace data does not add up', () => {
    const { master } = checksOf({ responses: sampleResponses(), settings: EURO_SETTINGS })
    expect(master).toMatchObject({
      verdict: 'attention',
      data: { fails: 1 },
      words: expect.stringContaining("1 check on the marketplace's data fails"),
    })
  })

  it.each<[string, Record<string, unknown>, string, object]>([
    [
      'volume',
      { totalVolume: 10_200 },
      'fails',
      { left: { value: 10_200 }, right: { value: 10_000 }, difference: 200, tolerance: 0.5 },
    ],
    [
      'total',
      { totalPrice: 120_000.5 },
      'rounding',
      { left: { value: 120_000.5 }, right: { value: 120_000 }, difference: 0.5, tolerance: expect.closeTo(120, 0) },
    ],
    ['total', { totalPrice: 1 }, 'fails', { difference: -119_999, words: 'The two sides differ by −119,999.' }],
    ['total', { totalPrice: null }, 'unknown', { left: { value: null } }],
    ['volume', { scheduledDeliveries: [], totalVolume: 5 }, 'unknown', { right: { value: null } }],
  ])('compare the stated %s with the lines: %j', (id, offer, verdict, rest) => {
    const check = find({ responses: [response(1, { offer })] }, id)
    expect(check).toMatchObject({ about: 'data', offerId: offerId(1), subject: 'Developer 1', verdict, ...rest })
  })

  it('contain everything needed to derive the verdict', () => {
    const totals = [120_000, 120_000.01, 120_000.011, 120_120.12, 120_120.13, 119_000]
    const responses = totals.map((totalPrice, at) => response(at + 1, { offer: { totalPrice } }))
    const { checks } = checksOf({ responses, settings: EURO_SETTINGS })
    for (const { id, left, right, difference, exact, tolerance, oneSided, verdict } of checks) {
      if (exact === null || tolerance === null) {
        expect([id, tolerance, typeof left.value]).toEqual([id, null, 'string'])
        continue
      }
      const off = Math.round((oneSided ? (difference ?? 0) : Math.abs(difference ?? 0)) * 1e6) / 1e6
      const again = off <= exact ? 'ok' : off <= tolerance ? 'rounding' : 'fails'
      expect([id, left.value, verdict]).toEqual([id, left.value, right.value === null ? 'unknown' : again])
    }
    const stated = checks.filter(({ id }) => id === 'total')
    expect(stated.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'rounding', 'rounding', 'fails', 'fails'])
    expect(stated[0]).toMatchObject({ exact: 0.01, tolerance: 120, oneSided: false })
    expect(stated[3]).toMatchObject({ tolerance: 120.12012 })
  })

  it('fail only if the left side is larger when one-sided', () => {
    const { checks } = checksOf({ responses: sampleResponses(), settings: EURO_SETTINGS })
    const oneSided = new Set(
      checks.filter((check) => check.oneSided).map(({ id }) => id.replace(/^award-order.*/, 'award-order')),
    )
    expect(oneSided).toEqual(new Set(['award-order']))
  })

  it('compare the summary within the RFQ with the offer', () => {
    const one = response(1)
    const rfq = { responses: [{ ...summaryOf(one), totalPrice: 1 }] }
    expect(find({ responses: [one], rfq }, 'summary')).toMatchObject({
      verdict: 'fails',
      left: { value: 'submitted, forward, 10000, 1, USD' },
    })
    expect(find({ responses: [storedDocument(summaryOf(one), { shape: 'summary' })] }, 'summary')).toBeUndefined()
  })

  it('count the offers the RFQ lists', () => {
    const withdrawn = storedDocument(response(2), { missingSince: '2026-03-12T00:00:00.000Z' })
    expect(find({ responses: [response(1), withdrawn] }, 'offers-shown')).toMatchObject({
      verdict: 'ok',
      left: { value: 1 },
      right: { value: 1 },
    })
    expect(find({ responses: [response(1)], rfq: { responses: [] } }, 'offers-shown')).toMatchObject({
      verdict: 'fails',
      difference: -1,
    })
    expect(find({ responses: [response(1)], rfqStored: { shape: 'list' } }, 'offers-shown')).toMatchObject({
      verdict: 'unknown',
    })
  })

  it('find contradictory limits and invalid documents', () => {
    expect(find({ rfq: { minVolume: 9, maxVolume: 5 } }, 'rfq-limits')).toMatchObject({
      verdict: 'fails',
      difference: 1,
    })
    expect(find({ responses: [storedDocument(response(1), { valid: false })] }, 'documents-valid')).toMatchObject({
      verdict: 'fails',
      left: { value: 1 },
    })
  })

  it('compare the sum of several offers with the available volume of their listing', () => {
    const both = [1, 2].map((number) => response(number, { listingId: listingId(1) }))
    const shows = (value: number) =>
      find(
        { responses: both, listings: [listing(1, { totalAvailableVolume: { type: 'fixed', value } })] },
        'listing-volume',
      )
    expect(shows(20_000)).toMatchObject({ verdict: 'ok', subject: 'Listing Project 1', oneSided: true })
    expect(shows(21_000)).toMatchObject({ verdict: 'ok', difference: -1_000 })
    expect(shows(19_000)).toMatchObject({
      verdict: 'fails',
      difference: 1_000,
      words: 'The offers exceed the available volume by 1,000 t.',
    })
  })
})
