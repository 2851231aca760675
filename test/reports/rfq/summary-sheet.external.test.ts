import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cellText } from '../../../reports/layout/cell-text.js'
import { rfqSheets } from '../../../reports/rfq/workbook.js'
import type { ComparisonInput } from '../../../src/compare/input/comparison-input.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { comparisonInput, manyResponses, response, sampleResponses } from '../../helpers/data/comparison-inputs.js'
import { RFQ_CASES } from '../support/rfq-cases.js'
import { Bench, whyNoTools } from '../support/tools.js'
import { rfqWorkbook } from '../support/workbooks.js'

const sixOffers = () => comparisonInput({ responses: [...sampleResponses(), response(6)].slice(0, 6) })

/** The texts of a sheet, row by row. */
const textsOf = (input: ComparisonInput, name = 'Summary') => {
  const plan = rfqSheets(compareOffers(input))
    .map((make) => make())
    .find((sheet) => sheet.name === name)
  return [...(plan?.rows() ?? [])].map(({ cells }) => cells.map((cell) => (cell ? cellText(cell) : '')))
}

describe('the sheet Summary', () => {
  it.each(['sample', 'mixed', 'hostile', 'invalid-documents'])(
    'accounts for every offer, with the reason it has no rank: %s',
    (name) => {
      const input = (RFQ_CASES[name] as () => ComparisonInput)()
      const { offers, decision } = compareOffers(input)
      const rows = textsOf(input)
      for (const { sequence } of offers.slice(0, 12))
        expect(rows.filter((cells) => cells[1]?.startsWith(`${sequence} · `))).toHaveLength(1)
      const choices = textsOf(input, 'Choices')
      const head = choices.findIndex((cells) => cells[2] === 'Reason')
      const listed = head < 0 ? [] : choices.slice(head + 1, head + 1 + decision.excluded.length)
      expect(listed.map((cells) => cells[0])).toEqual(decision.excluded.map(({ number }) => String(number)))
      expect(listed.every((cells) => cells[2] !== '')).toBe(true)
    },
  )
})

const PRINTED: Record<string, () => ComparisonInput> = {
  'no-offers': RFQ_CASES['no-offers'] as () => ComparisonInput,
  six: sixOffers,
  twelve: () => comparisonInput({ responses: manyResponses(12, 3) }),
}

const missing = whyNoTools()
describe.skipIf(missing !== null)(`the printed workbook${missing ? ` (${missing})` : ''}`, () => {
  const pages = new Map<string, string[]>()
  let bench: Bench

  beforeAll(async () => {
    bench = new Bench()
    const files: string[] = []
    for (const [name, input] of Object.entries(PRINTED))
      files.push(bench.keep(`${name}.xlsx`, await rfqWorkbook(compareOffers(input()))))
    const printed = bench.printed(files)
    for (const [at, name] of Object.keys(PRINTED).entries()) pages.set(name, sheetsOfPages(printed[at] ?? ''))
  }, 120_000)
  afterAll(() => bench?.remove())

  it.each(Object.keys(PRINTED))('has Summary on one page: %s', (name) => {
    expect(pages.get(name)?.filter((sheet) => sheet === 'Summary')).toHaveLength(1)
  })

  it('has at most ten pages for six offers', () => {
    expect(pages.get('six')?.length, pages.get('six')?.join()).toBeLessThanOrEqual(10)
  })

  it('has no tables without offers', () => {
    expect(new Set(pages.get('no-offers'))).toEqual(new Set(['Summary', 'About']))
  })
})

/** The sheet of each printed page, from its footer. */
const sheetsOfPages = (printed: string): string[] =>
  [...printed.matchAll(/(\w+) · page \d+ of \d+/g)].map(([, sheet]) => sheet ?? '')
