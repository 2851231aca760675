import { describe, expect, it } from 'vitest'
import { renderRfqReport } from '../../../reports/formats.js'
import { cellText } from '../../../reports/layout/cell-text.js'
import type { RowPlan } from '../../../reports/layout/sheet-plan.js'
import { rfqSheets } from '../../../reports/rfq/workbook.js'
import type { ComparisonInput } from '../../../src/compare/comparison-input.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { comparisonInput, manyResponses } from '../../helpers/comparison-inputs.js'
import { RFQ_CASES } from '../support/rfq-cases.js'

const LONG = 'Only registry transfers are accepted, with a third-party rating. '.repeat(90).trim()

function negotiation(input: ComparisonInput) {
  const report = compareOffers(input)
  const plan = rfqSheets(report)
    .map((make) => make())
    .find(({ name }) => name === 'Negotiation')
  const rows = [...(plan?.rows() ?? [])]
  return { report, rows, texts: rows.map(textsOf) }
}
const textsOf = ({ cells }: RowPlan) => cells.map((cell) => (cell === undefined ? '' : cellText(cell)))
const mixed = () => (RFQ_CASES.mixed as NonNullable<(typeof RFQ_CASES)[string]>)()
const titleOf = ({ sequence, label }: { sequence: number; label: string }) => `${sequence} · ${label}`

describe('sheet Negotiation', () => {
  it('has one block per offer, awarded offers first, with prices, terms and questions in words', () => {
    const { report, texts } = negotiation(mixed())
    const heads = texts.filter((row) => row[3] === 'Change').map(([title]) => title)
    expect([...heads].sort()).toEqual(report.decision.negotiation.offers.map(titleOf).sort())
    const awarded = report.decision.offers
      .filter(({ awardedTonnes }) => awardedTonnes > 0)
      .map(({ sequence }) => sequence)
    expect(awarded.length).toBeGreaterThan(0)
    expect(heads.slice(0, awarded.length).map((head) => Number.parseInt(head ?? '', 10))).toEqual(awarded)
    for (const offer of report.decision.negotiation.offers) {
      const at = texts.findIndex(([title]) => title === titleOf(offer))
      const [, , first = [], enter = [], terms = [], questions = []] = texts.slice(at, at + 6)
      expect([first[4], enter[4]]).toEqual([offer.rankFirst.words, offer.enterAward.words])
      expect(first[1] === '').toBe(offer.rankFirst.pricePerTonne === null)
      for (const { words } of offer.terms) expect(terms[1]).toContain(words)
      for (const words of offer.questions) expect(questions[1]).toContain(words)
    }
  })

  it('shows prices in the own currency of an offer only if it differs from the comparison currency', () => {
    const { report, texts } = negotiation(mixed())
    const { comparison } = report.currency
    const own = report.decision.negotiation.offers.map(({ ownCurrency }) => ownCurrency)
    expect(own.some((currency) => currency !== comparison)).toBe(true)
    for (const offer of report.decision.negotiation.offers) {
      const differs = offer.ownCurrency !== null && offer.ownCurrency !== comparison
      const head = texts.find(([title]) => title === titleOf(offer))
      expect(head?.[2]).toBe(differs ? `${offer.ownCurrency}/t` : '')
    }
  })

  it('quotes the additional requirements of the RFQ in full at the top, and ends with the sign-off', () => {
    const { texts } = negotiation(comparisonInput({ rfq: { additionalRequirements: LONG } }))
    const from = texts.findIndex(([label]) => label === 'Additional requirements of the RFQ')
    const to = texts.findIndex((row) => row[3] === 'Change')
    const quoted = texts.slice(from, to).map((row) => row[1] ?? '')
    expect(from).toBeLessThan(6)
    expect(quoted.join('')).toBe(LONG)
    expect(texts.slice(-4).map(([label]) => label)).toEqual(['Sign-off', 'Decided by', 'Date', 'Remarks'])
  })

  it('begins a printed page only with a whole block, and blocks are at most as many as there are prices', () => {
    const { report, rows, texts } = negotiation(comparisonInput({ responses: manyResponses(40, 1, 3) }))
    const { limit } = report.decision.negotiation
    expect(texts.filter((row) => row[3] === 'Change')).toHaveLength(limit)
    expect(texts.flat().join()).toContain(`Shown: ${limit} of 40 offers`)
    const starts = rows.filter(({ newPage }) => newPage)
    expect(starts.length).toBeGreaterThan(3)
    for (const row of starts)
      expect([row.role, textsOf(row)[3] ?? textsOf(row)[0]]).toEqual(['head', expect.anything()])
  })

  it('says so without offers, and still has a sign-off', () => {
    const { texts } = negotiation(comparisonInput({ responses: [] }))
    expect(texts.flat()).toContain('No offers received.')
    expect(texts.flat()).toContain('Decided by')
  })

  it('is a table with one row for every offer in CSV', () => {
    const report = compareOffers(mixed())
    const csv = renderRfqReport(report, 'csv', { table: 'Negotiation' })
    expect(csv.trim().split('\r\n')).toHaveLength(report.offers.length + 1)
    expect(csv).toContain('Clarification questions')
  })
})
