import { expect, it } from 'vitest'
import { cellText } from '../../../reports/layout/cell-text.js'
import { rfqSheets } from '../../../reports/rfq/workbook.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { comparisonInput, response } from '../../helpers/comparison-inputs.js'

it('once an offer is accepted, what the checks found is no requirement that is not met', () => {
  const listsOf = (status: string) => {
    const responses = [response(1, { status, offer: { totalPrice: 1 } }), response(2)]
    const report = compareOffers(comparisonInput({ responses }))
    const summary = rfqSheets(report).map((make) => make())[0]
    const rows = [...(summary?.rows() ?? [])].map(({ cells }) => [0, 5, 11].map((at) => textIn(cells[at])))
    const head = rows.findIndex(([first]) => first === 'Why' || first === 'The award rule')
    const column = (at: number) => rows.slice(head, head + 6).map((row) => row[at])
    expect(report.checks.master.verdict).not.toBe('ok')
    return { middle: column(1), right: column(2), words: `• ${report.checks.master.words}` }
  }
  const open = listsOf('submitted')
  expect([open.middle, open.right[0]]).toEqual([
    expect.arrayContaining(['Conditions', open.words]),
    'What would change it',
  ])
  const accepted = listsOf('accepted')
  expect(accepted.middle[0]).toBe('Requirements not met')
  expect(accepted.middle).not.toContain(accepted.words)
  const flag = '• The stated total is 1 USD, but the delivery lines add up to 120,000 USD.'
  expect(accepted.right.slice(0, 3)).toEqual(['Checks', flag, accepted.words])
})

const textIn = (cell: Parameters<typeof cellText>[0] | undefined) => (cell === undefined ? '' : cellText(cell))
