import { describe, expect, it } from 'vitest'
import { checksSheet } from '../../../reports/rfq/checks-sheet.js'
import { rfqLayout } from '../../../reports/rfq/layout.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { comparisonInput } from '../../helpers/comparison-inputs.js'

/** The stored result of the difference column in the first row of `Checks`, for a report with this difference. */
function shownDifference(difference: number): unknown {
  const report = compareOffers(comparisonInput())
  const live = report.checks.checks.find((check) => check.difference !== null && check.tolerance !== null)
  if (live === undefined) throw new Error('the sample has no check with numbers')
  const checks = { ...report.checks, checks: [{ ...live, difference }] }
  const rows = [...checksSheet(rfqLayout({ ...report, checks })).rows()]
  const head = rows.findIndex(({ cells }) => cells.some((cell) => cell?.value === 'Difference'))
  const column = rows[head]?.cells.findIndex((cell) => cell?.value === 'Difference') ?? -1
  return rows[head + 1]?.cells[column]?.value
}

describe('the sheet Checks', () => {
  it.each([
    [1.0000005, 1.000001],
    [-1.0000005, -1.000001],
    [-2.5e-6, -3e-6],
    [0.4e-6, 0],
  ])('rounds a difference of %d as spreadsheets do, half away from zero', (difference, shown) => {
    expect(shownDifference(difference)).toBe(shown)
  })
})
