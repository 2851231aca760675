import { beforeAll, describe, expect, it } from 'vitest'
import { rfqWorkbook } from '../../../reports/workbooks.js'
import { text } from '../../../reports/xlsx/cells.js'
import { buildWorkbook, type WriteSheet } from '../../../reports/xlsx/workbook.js'
import type { ComparisonInput } from '../../../src/compare/input/comparison-input.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { comparisonInput, manyResponses, sampleResponses } from '../../helpers/data/comparison-inputs.js'
import { RFQ_CASES } from '../support/rfq-cases.js'
import { printed, whyNoTools } from '../support/tools.js'

const PRINTED: Record<string, () => ComparisonInput> = {
  'no-offers': RFQ_CASES['no-offers'] as () => ComparisonInput,
  three: () => comparisonInput({ responses: sampleResponses().slice(0, 3) }),
  awarded: RFQ_CASES.awarded as () => ComparisonInput,
  twelve: () => comparisonInput({ responses: manyResponses(12, 3) }),
}

const missing = whyNoTools()
describe.skipIf(missing !== null)(`the printed workbook${missing ? ` (${missing})` : ''}`, () => {
  /** The sheets of the pages, and how the text of the first page is scaled. */
  const found = new Map<string, { pages: string[]; scale: number }>()

  beforeAll(async () => {
    const workbooks: Buffer[] = []
    for (const input of Object.values(PRINTED)) workbooks.push(await rfqWorkbook(compareOffers(input())))
    const reference: WriteSheet = (add) => void add({ widths: [10] }).add([text('Request:')])
    const identity = { title: '', subject: '', footer: '', asOf: new Date(0) }
    workbooks.push(await buildWorkbook({ One: reference }, identity))
    const results = printed(workbooks)
    const height = textHeight(results.at(-1)?.firstPage ?? '')
    for (const [at, name] of Object.keys(PRINTED).entries()) {
      const pages = sheetsOfPages(results[at]?.text ?? '')
      found.set(name, { pages, scale: textHeight(results[at]?.firstPage ?? '') / height })
    }
  }, 120_000)

  it.each(Object.keys(PRINTED))('has Summary on one page, in letters of at least 70 %: %s', (name) => {
    const { pages, scale } = found.get(name) ?? { pages: [], scale: 0 }
    expect(pages.filter((sheet) => sheet === 'Summary')).toHaveLength(1)
    expect(scale).toBeGreaterThanOrEqual(0.7)
  })

  it('has one page without offers', () => {
    expect(found.get('no-offers')?.pages).toEqual(['Summary'])
  })

  it('has at most eight pages for three offers', () => {
    expect(found.get('three')?.pages.length, found.get('three')?.pages.join()).toBeLessThanOrEqual(8)
  })
})

/** The sheet of each printed page, from its footer. */
const sheetsOfPages = (printed: string): string[] =>
  [...printed.matchAll(/(\w+) · page \d+ of \d+/g)].map(([, sheet]) => sheet ?? '')

/** The height of a word in the font of most cells. */
function textHeight(page: string): number {
  const [, top, bottom] = /yMin="([\d.]+)" xMax="[\d.]+" yMax="([\d.]+)">Request:</.exec(page) ?? []
  return Number(bottom) - Number(top)
}
