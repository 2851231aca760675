import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cellText } from '../../../reports/layout/cell-text.js'
import { rfqLayout } from '../../../reports/rfq/layout.js'
import { sentencesOf } from '../../../reports/rfq/summary-sentences.js'
import { rfqSheets } from '../../../reports/rfq/workbook.js'
import type { ComparisonInput } from '../../../src/compare/comparison-input.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { comparisonInput, manyResponses, response, sampleResponses } from '../../helpers/comparison-inputs.js'
import { labelledCases } from '../../helpers/long-tests.js'
import { editWorkbook } from '../support/edit-workbook.js'
import { RFQ_CASES } from '../support/rfq-cases.js'
import { Bench, type ReadWorkbook, readValues, whyNoTools } from '../support/tools.js'
import { rfqWorkbook } from '../support/workbooks.js'

const sixOffers = (settings = {}) =>
  comparisonInput({ responses: [...sampleResponses(), response(6)].slice(0, 6), settings })

/** Inputs that a reader changes, and the settings of a report that has the same. */
const ALL_EDITS: Record<string, { edits: Record<string, string>; settings: object }> = {
  'best score': { edits: { AwardRule: 'best-score-compliant' }, settings: { awardRule: 'best-score-compliant' } },
  regardless: { edits: { AwardRule: 'cheapest-regardless' }, settings: { awardRule: 'cheapest-regardless' } },
  'maximum volume': { edits: { WantedBasis: 'max' }, settings: { wantedVolume: 'max' } },
  'price limits': {
    edits: { Require_priceMin: 'hard', Require_reviewAccepted: 'hard' },
    settings: { requirements: { priceMin: 'hard', reviewAccepted: 'hard' } },
  },
  'no limits': {
    edits: {
      Require_vintages: 'off',
      Require_fulfilmentDate: 'off',
      Require_contractType: 'off',
      Require_priceMax: 'off',
    },
    settings: { requirements: { vintages: 'off', fulfilmentDate: 'off', contractType: 'off', priceMax: 'off' } },
  },
  midpoint: {
    edits: { WantedBasis: 'mid', Require_volumeMax: 'off' },
    settings: { wantedVolume: 'mid', requirements: { volumeMax: 'off' } },
  },
}

/** LibreOffice needs seconds for each. */
const EDITS = labelledCases(ALL_EDITS, ['price limits'])

const PRINTED = labelledCases<() => ComparisonInput>(
  {
    'no-offers': RFQ_CASES['no-offers'] as () => ComparisonInput,
    six: sixOffers,
    eight: () => comparisonInput({ responses: manyResponses(8, 3) }),
  },
  ['no-offers', 'eight'],
)

it('the sheet Summary states no excess that is a rounding error', () => {
  const report = compareOffers(sixOffers())
  const { award } = report.decision.recommendation
  const coverageWith = (excessTonnes: number) => {
    const recommendation = { ...report.decision.recommendation, award: award && { ...award, excessTonnes } }
    const { reasons } = sentencesOf(rfqLayout({ ...report, decision: { ...report.decision, recommendation } }))
    return reasons.find(([, words]) => words.startsWith('Covers '))?.[1]
  }
  expect(coverageWith(1e-9)).toMatch(/of the wanted [\d,]+ t \([^)]*\)\.$/)
  expect(coverageWith(5)).toContain(') and 5 t more, which cost ')
})

const missing = whyNoTools()
describe.skipIf(missing !== null)(`the sheet Summary${missing ? ` (${missing})` : ''}`, () => {
  let bench: Bench
  const edited = new Map<string, ReadWorkbook>()
  const pages = new Map<string, string[]>()

  beforeAll(async () => {
    bench = new Bench()
    const bytes = await rfqWorkbook(compareOffers(sixOffers()))
    const files: string[] = []
    for (const [name, { edits }] of EDITS) files.push(bench.keep(`${name}.xlsx`, await editWorkbook(bytes, edits)))
    for (const [at, read] of readValues(bench.recalculated(files)).entries()) edited.set(EDITS[at]?.[0] ?? '', read)
    const toPrint: string[] = []
    for (const [name, input] of PRINTED)
      toPrint.push(bench.keep(`print-${name}.xlsx`, await rfqWorkbook(compareOffers(input()))))
    const printed = bench.printed(toPrint)
    for (const [at, [name]] of PRINTED.entries()) pages.set(name, pagesIn(printed[at] ?? ''))
  }, 240_000)
  afterAll(() => bench?.remove())

  it.each(EDITS)('says what a report with the changed inputs says: %s', (name, { settings }) => {
    const [summary] = rfqSheets(compareOffers(sixOffers(settings)))
    const expected = [...(summary?.().rows() ?? [])].flatMap(({ cells }) => cells.map((cell) => cell && cellText(cell)))
    const found = Object.values(edited.get(name)?.sheets.Summary ?? {}).map(({ v }) => v)
    const isAward = (words: string) => /^(Only .+ can be awarded\. )?Award /.test(words)
    const [said, wanted] = [sentencesIn(found), sentencesIn(expected)]
    // The rule “best score” has a runner-up only in a new report; the block has as many lines as before the change.
    const isKnown = !said.some((words) => /No runner-up is known|runner-up .* needs a new report/.test(words))
    const reasons = (all: string[]) => all.filter((one) => !isAward(one) && (isKnown || !one.includes('runner-up')))
    expect(reasons(said)).toEqual(reasons(wanted))
    const [award = ''] = said.filter(isAward)
    const { award: chosen } = compareOffers(sixOffers(settings)).decision.recommendation
    const numbers = chosen?.offers.map(({ sequence }) => sequence).sort() ?? []
    if (numbers.length < 2) expect(said.filter(isAward)).toEqual(wanted.filter(isAward))
    else expect(award).toContain(`Award ${numbers.length} offers (no. ${numbers.join(', ')}): `)
  })

  it.each(PRINTED)('is one page: %s', (name) => {
    expect(pages.get(name)?.filter((sheet) => sheet === 'Summary')).toHaveLength(1)
  })

  it('is the only page if there are no offers', () => {
    expect(pages.get('no-offers')).toEqual(['Summary'])
  })

  it.each(PRINTED)(
    'fits on at most six pages with Comparison, Award and Negotiation, for up to eight offers: %s',
    (name) => {
      const set = pages.get(name)?.filter((sheet) => ['Summary', 'Comparison', 'Award', 'Negotiation'].includes(sheet))
      expect(set?.length, set?.join()).toBeLessThanOrEqual(6)
    },
  )
})

/** The sheet of each printed page, from its footer. */
const pagesIn = (printed: string): string[] =>
  [...printed.matchAll(/(\w+) · page \d+ of \d+/g)].map(([, sheet]) => sheet ?? '')

/** The award and the reasons for it. */
const sentencesIn = (cells: readonly unknown[]): string[] =>
  cells
    .map(String)
    .filter((words) =>
      /^(Award |Only |No award|No offer|• (Cheapest|Best|Covers|Score|It has|The runner|No runner))/.test(words),
    )
