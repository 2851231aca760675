import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rfqLayout } from '../../../reports/rfq/layout.js'
import { rfqSheets } from '../../../reports/rfq/workbook.js'
import type { OfferReport } from '../../../src/compare/offer/offer-report-model.js'
import { ranksOf } from '../../../src/compare/offer/ranking.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import type { RfqReport } from '../../../src/compare/report/rfq-report-model.js'
import { CRITERIA } from '../../../src/core/decision/settings.js'
import { labelledCases } from '../../helpers/long-tests.js'
import { editWorkbook } from '../support/edit-workbook.js'
import {
  generatedEdits,
  type InputChanges,
  type InputEdit,
  inputCells,
  NAMED_EDITS,
  settingsWith,
} from '../support/input-edits.js'
import { Bench, type ReadWorkbook, readValues, whyNoTools } from '../support/tools.js'
import { rfqWorkbook } from '../support/workbooks.js'

/** One edit of a workbook by its reader, and the results. */
interface AppliedEdit {
  changes: InputChanges
  /** The report the file was written from. */
  written: RfqReport
  /** The report for the changed inputs. */
  expected: RfqReport
  /** The edited file as LibreOffice computes it. */
  after: ReadWorkbook
}

/** LibreOffice needs seconds for each edited file. */
const GENERATED = 8
const byName = (edits: readonly InputEdit[]) => Object.fromEntries(edits.map((edit) => [edit.name, edit]))
const QUICK = ['own tonnes', 'exchange rate', 'everything at once', 'generated 1']
const cases = labelledCases(byName([...NAMED_EDITS, ...generatedEdits(GENERATED, 7)]), QUICK)

const missing = whyNoTools()
describe.skipIf(missing !== null)(`a workbook whose inputs a reader changed${missing ? ` (${missing})` : ''}`, () => {
  const edits = new Map<string, AppliedEdit>()
  const invalid: ReadWorkbook[] = []
  const appliedEdit = (name: string): AppliedEdit => edits.get(name) as AppliedEdit

  beforeAll(async () => {
    const bench = new Bench()
    const made: Omit<AppliedEdit, 'after'>[] = []
    const files: string[] = []
    for (const [index, [, { input, changes: wanted }]] of cases.entries()) {
      const written = compareOffers(input)
      const changes = withExistingRates(wanted, written)
      made.push({
        changes,
        written,
        expected: compareOffers({ ...input, settings: settingsWith(input.settings, changes) }),
      })
      const bytes = await rfqWorkbook(written)
      const own = Object.entries(changes.own ?? {}).map(([id, tonnes]) => [ownRow(written, id).address, tonnes])
      files.push(bench.keep(`${index}.xlsx`, await editWorkbook(bytes, inputCells(changes), Object.fromEntries(own))))
    }
    const [first] = made
    const bytes = await rfqWorkbook((first as AppliedEdit).written)
    files.push(bench.keep('invalid.xlsx', await editWorkbook(bytes, { DiscountRate: 'much', Weight_price: -1 })))
    const after = readValues(bench.recalculated(files))
    for (const [index, one] of made.entries())
      edits.set(cases[index]?.[0] ?? '', { ...one, after: after[index] as ReadWorkbook })
    invalid.push(after.at(-1) as ReadWorkbook)
    bench.remove()
  }, 240_000)
  afterAll(() => edits.clear())

  it.each(cases)('has the figures of a report with these inputs: %s', (name) => {
    const { after, written, expected } = appliedEdit(name)
    const { offers } = rfqLayout(written)
    const compared = new Map(expected.offers.map((offer) => [offer.id, offer]))
    for (const [index, { id, label }] of written.offers.entries()) {
      const of = compared.get(id) as OfferReport
      const found = FIGURES.map(([key]) => valueAt(after, offers.cell(key, index)))
      const wanted = FIGURES.map(([, figure]) => figure(of) ?? '–')
      expect({ label, figures: found.map(rounded) }).toEqual({ label, figures: wanted.map(rounded) })
    }
  })

  it.each(cases)(
    'has the scores and ranks of a report with these inputs, among the offers that competed: %s',
    (name) => {
      const { after, written, expected } = appliedEdit(name)
      const { scoring, offers } = rfqLayout(written)
      const compared = new Map(expected.offers.map((offer) => [offer.id, offer]))
      const competing = written.offers.filter(({ standing }) => standing === 'ranked')
      const byScore = expected.settings.awardRule === 'best-score'
      const scored = (of: RfqReport) => of.offers.flatMap(({ id, scores }) => (scores === null ? [] : [id])).sort()
      // An offer that a rate makes comparable has scores in a new report only.
      const hasSameScores = scored(written).join() === scored(expected).join()
      const totals = new Map(written.offers.map(({ id }, at) => [id, valueAt(after, scoring.cell('total', at))]))
      const ranks = ranksOf(competing, ({ id }) =>
        byScore ? -Number(totals.get(id)) : (compared.get(id)?.compared.costPerTonne ?? 0),
      )
      for (const [index, { id, scores }] of written.offers.entries()) {
        const own = compared.get(id)?.scores
        if (hasSameScores && scores !== null) {
          const found = [...CRITERIA.map((one) => scoring.cell(`score-${one}`, index)), scoring.cell('total', index)]
          const wanted = [...CRITERIA.map((one) => own?.[one]), own?.total]
          expect(found.map((cell) => rounded(valueAt(after, cell)))).toEqual(wanted.map(rounded))
        }
        const at = competing.findIndex((offer) => offer.id === id)
        expect(valueAt(after, offers.cell('rank', index))).toBe(at < 0 ? '–' : ranks[at])
      }
    },
  )

  it.each(cases)('computes what the tonnes entered on Choices cost: %s', (name) => {
    const { after, changes, written, expected } = appliedEdit(name)
    const own = Object.entries(changes.own ?? {}).filter(([, tonnes]) => tonnes > 0)
    const lines = own.map(([id, tonnes]) => {
      const { compared } = expected.offers.find((offer) => offer.id === id) as OfferReport
      return { tonnes, total: tonnes * (compared.pricePerTonne ?? 0), cost: tonnes * (compared.costPerTonne ?? 0) }
    })
    const sum = (key: 'tonnes' | 'total' | 'cost') => lines.reduce((all, line) => all + line[key], 0)
    const row = ownRow(written, null).row
    const found = ['G', 'H', 'I'].map((column) => valueAt(after, `'Choices'!$${column}$${row}`))
    expect(found.map(rounded)).toEqual([sum('tonnes'), sum('total'), sum('cost')].map(rounded))
    const perTonne = ['E', 'F'].map((column) => valueAt(after, `'Choices'!$${column}$${row}`))
    const wanted = lines.length === 0 ? ['', ''] : [sum('total') / sum('tonnes'), sum('cost') / sum('tonnes')]
    expect(perTonne.map(rounded)).toEqual(wanted.map(rounded))
  })

  it.each(cases)(
    'says on Summary whether inputs were changed, with the command for a report with these: %s',
    (name) => {
      const { after, changes, written } = appliedEdit(name)
      const cells = inputCells(changes)
      // A generated value can be that of the report.
      const counted = Number(valueAt(after, "'Inputs'!$B$4"))
      expect(counted).toBeLessThanOrEqual(Object.keys(cells).length)
      const texts = Object.values(after.sheets.Summary ?? {}).map(({ v }) => String(v))
      const banner = texts.filter((text) => text.includes('changed on Inputs'))
      expect(banner).toHaveLength(counted > 0 ? 1 : 0)
      if (counted > 0) {
        expect(banner[0]).toMatch(
          /^\d+ inputs? (was|were) changed .*recommendation and choices are those of the report/,
        )
        expect(banner[0]).toContain(`${written.decision.command} --set `)
        if (changes.volume !== undefined) expect(banner[0]).toContain(` --set volume=${changes.volume}`)
      }
      // The recommendation stays that of the report.
      expect(texts).toContain(written.decision.recommendation.headline)
    },
  )

  it('says so if an input is invalid, and shows no figure that depends on it', () => {
    const [read] = invalid
    const texts = Object.values(read?.sheets.Summary ?? {}).map(({ v }) => String(v))
    expect(texts.filter((text) => text.startsWith('An input is invalid'))).toHaveLength(1)
    expect(texts).toContain('check Inputs')
    const all = Object.values(read?.sheets ?? {}).flatMap((sheet) => Object.values(sheet).map(({ v }) => String(v)))
    expect(all.filter((text) => /^#[A-Z]/.test(text) && text !== '#N/A')).toEqual([])
  })
})

type Key = Parameters<ReturnType<typeof rfqLayout>['offers']['cell']>[0]
const FIGURES: readonly [Key, (offer: OfferReport) => number | null][] = [
  ['volume', ({ metrics }) => metrics.volume],
  ['coverage', ({ metrics }) => metrics.coverage],
  ['total', ({ metrics }) => metrics.total],
  ['pricePerTonne', ({ metrics }) => metrics.pricePerTonne],
  ['prepaidShare', ({ metrics }) => metrics.prepaidShare],
  ['presentValue', ({ metrics }) => metrics.presentValue],
  ['riskPrice', ({ metrics }) => metrics.riskAdjustedPrice],
  ['meanWait', ({ metrics }) => metrics.meanWaitDays],
  ['onTimeShare', ({ metrics }) => metrics.onTimeShare],
  ['rate', ({ compared }) => compared.rate],
  ['comparedTotal', ({ compared }) => compared.total],
  ['comparedPricePerTonne', ({ compared }) => compared.pricePerTonne],
  ['comparedPrice', ({ compared }) => compared.price],
  ['cost', ({ compared }) => compared.cost],
  ['costPerTonne', ({ compared }) => compared.costPerTonne],
]

/** Without rates of currencies that have no cell on `Inputs`. */
function withExistingRates(changes: InputChanges, { currency }: RfqReport): InputChanges {
  const known = new Set(currency.rates.map((rate) => rate.currency))
  const rates = Object.entries(changes.rates ?? {}).filter(([code]) => known.has(code))
  return { ...changes, rates: Object.fromEntries(rates) }
}

/** The cell of tonnes of an offer on `Choices`, or the row of their sum. */
function ownRow(report: RfqReport, id: string | null): { row: number; address: string } {
  const comparable = report.offers.filter(({ metrics, compared }) => metrics.volume !== null && compared.cost !== null)
  const { rows } = choicesPlan(report)
  const head = rows.findIndex((cells) => cells.includes('Your tonnes'))
  const at = id === null ? comparable.length : comparable.findIndex((offer) => offer.id === id)
  return { row: head + 2 + at, address: `G${head + 2 + at}` }
}

function choicesPlan(report: RfqReport) {
  const plan = rfqSheets(report)
    .map((make) => make())
    .find(({ name }) => name === 'Choices')
  return { rows: [...(plan?.rows() ?? [])].map(({ cells }) => cells.map((cell) => cell?.value ?? '')) }
}

/** The value of a cell by its address, such as `'Offers'!$C$7`. */
function valueAt(read: ReadWorkbook, address: string): string | number {
  const [, sheet = '', cell = ''] = /^'(.+)'!(.+)$/.exec(address) ?? []
  const value = read.sheets[sheet]?.[cell.replaceAll('$', '')]?.v ?? ''
  return typeof value === 'boolean' ? String(value) : value
}

/** Rounded to 9 digits, by way of 12 so that rounding errors do not separate figures half-way between two. */
const rounded = (value: string | number | null | undefined) =>
  typeof value === 'number' ? Number(Number(value.toPrecision(12)).toPrecision(9)) : (value ?? '')
