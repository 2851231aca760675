import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RfqLayout, rfqLayout } from '../../../reports/rfq/layout.js'
import { recommendationFact } from '../../../reports/rfq/recommendation/recommendation-block.js'
import type { FactKey } from '../../../reports/rfq/recommendation/recommendation-grids.js'
import { rfqSheets } from '../../../reports/rfq/workbook.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import type { RfqReport } from '../../../src/compare/report/rfq-report-model.js'
import { CRITERIA } from '../../../src/core/settings.js'
import { comparisonInput, response } from '../../helpers/comparison-inputs.js'
import { labelledCases, runsLongTests } from '../../helpers/long-tests.js'
import { editWorkbook } from '../support/edit-workbook.js'
import { inputCells, settingsWith, switchEdits } from '../support/input-edits.js'
import { Bench, formulasOf, type ReadWorkbook, readValues, readWorkbooks, whyNoTools } from '../support/tools.js'
import { rfqWorkbook } from '../support/workbooks.js'

/** LibreOffice needs about a second for each edited file. */
const SWITCHES = switchEdits(10, 11)
const switches = labelledCases(Object.fromEntries(SWITCHES.map((edit, at) => [`${at}`, edit])), ['0'])
const PREPARATION_MS = 500_000
const missing = runsLongTests ? whyNoTools() : 'only with npm run test:long'

/** A value as LibreOffice computed it, from a reference such as `'Award'!$T$6`. */
function valueAt({ sheets }: ReadWorkbook, reference: string) {
  const [, sheet = '', column, row] = /^'(.+)'!\$([A-Z]+)\$(\d+)$/.exec(reference) ?? []
  return sheets[sheet]?.[`${column}${row}`]?.v ?? ''
}

/** Rounded to 9 digits, by way of 12 so that rounding errors do not separate figures half-way between two. */
const close = (value: unknown) =>
  typeof value === 'number' ? Number(Number(value.toPrecision(12)).toPrecision(9)) : value

/** The values that LibreOffice computes in each file. */
function recalculated(files: readonly Buffer[]): ReadWorkbook[] {
  const bench = new Bench()
  const values = readValues(bench.recalculated(files.map((bytes, at) => bench.keep(`${at}.xlsx`, bytes))))
  bench.remove()
  return values
}

/** A file as it was written, with its formulas. */
function readWritten(bytes: Buffer): ReadWorkbook {
  const bench = new Bench()
  const [read] = readWorkbooks([bench.keep('written.xlsx', bytes)])
  bench.remove()
  return read as ReadWorkbook
}

// --- invalid inputs --------------------------------------------------------------------------------------------------

const small = () =>
  comparisonInput({
    responses: [response(1), response(2, { offer: { currency: 'EUR' } }), response(3, { status: 'rejected' })],
    settings: { currency: 'USD', exchangeRates: { EUR: { rate: 1.1 } } },
  })

const HUGE = 1e300
const CHOICES = ['AwardRule', 'WantedBasis', 'RankExpired', 'Require_status', 'Require_priceMax', 'Require_volumeMax']
/** Invalid for each input; each file has one of them. */
const INVALID: (readonly [name: string, value: string | number])[] = [
  ...CHOICES.flatMap((name) => ['abc', '', 7, 'HARD '].map((value) => [name, value] as const)),
  ...CRITERIA.flatMap((criterion) => ['abc', '', -1, HUGE].map((value) => [`Weight_${criterion}`, value] as const)),
  ...[
    'DiscountRate',
    'VintagePoints',
    'VolumeTolerance',
    'TotalTolerance',
    'ExpiryWindowDays',
    'PrepaymentLimit',
  ].flatMap((name) => ['abc', '', -0.01, HUGE].map((value) => [name, value] as const)),
  ...['HaircutSpot', 'HaircutForward', 'HaircutOther'].flatMap((name) =>
    ['abc', '', -0.01, 1, 7].map((value) => [name, value] as const),
  ),
  ...['Rate_EUR', 'WaitDays'].flatMap((name) => ['abc', '', -1, 0, HUGE].map((value) => [name, value] as const)),
]
/** One value of each input in turn, so that a run is short. */
const chosen = INVALID.filter((_, at) => at % (runsLongTests ? 8 : 25) === 0)
const ALL_ZERO = Object.fromEntries(CRITERIA.map((criterion) => [`Weight_${criterion}`, 0]))

const report = compareOffers(small())
const layout = rfqLayout(report)
const own = layout.award.at('own', 0)
const allChanges: { inputs: Record<string, string | number>; award?: Record<string, string | number> }[] = [
  ...chosen.map(([name, value]) => ({ inputs: { [name]: value } })),
  { inputs: ALL_ZERO },
  ...['abc', -5, HUGE].map((value) => ({ inputs: {}, award: { [own]: value } })),
]
const named = allChanges.map((change) => [JSON.stringify(change.award ?? change.inputs), change] as const)
const quick = [{ [chosen[0]?.[0] ?? '']: 'abc' }, { [own]: 'abc' }].map((change) => JSON.stringify(change))
const invalidCases = labelledCases(Object.fromEntries(named), quick)
const changes = invalidCases.map(([, change]) => change)
const labels = invalidCases.map(([label], at) => [label, at] as const)

// --- one run of LibreOffice for all of them ---------------------------------------------------------------------------

const switched: { layout: RfqLayout; expected: RfqReport; after: ReadWorkbook }[] = []
let before: ReadWorkbook
const after: ReadWorkbook[] = []
let withOtherRate: ReadWorkbook

beforeAll(async () => {
  if (missing !== null) return
  const reports = switches.map(([, { input, changes }]) => ({
    written: compareOffers(input),
    expected: compareOffers({ ...input, settings: settingsWith(input.settings, changes) }),
  }))
  const files: Buffer[] = []
  for (const [at, { written }] of reports.entries()) {
    files.push(await editWorkbook(await rfqWorkbook(written), inputCells(switches[at]?.[1].changes ?? {})))
  }
  const bytes = await rfqWorkbook(report)
  for (const { inputs, award } of changes) files.push(await editWorkbook(bytes, inputs, award))
  files.push(await editWorkbook(bytes, { Rate_EUR: 1.3, Require_priceMax: 'off' }))
  const values = recalculated(files)
  for (const { written, expected } of reports) {
    switched.push({ layout: rfqLayout(written), expected, after: values.shift() as ReadWorkbook })
  }
  before = readWritten(bytes)
  withOtherRate = values.pop() as ReadWorkbook
  after.push(...values)
}, PREPARATION_MS)
afterAll(() => void switched.splice(0))

describe.skipIf(missing !== null)(`switches changed on Inputs${missing ? ` (${missing})` : ''}`, () => {
  it.each(switches.map(([label], at) => [label, at] as const))(
    'give the award, runner-up and closest award of a report with these switches: %s',
    (_, at) => {
      const { layout, expected, after } = switched[at] as (typeof switched)[number]
      const { recommendation, rule, offers } = expected.decision
      const { award, status, closest, runnerUp } = recommendation
      const fact = (key: FactKey) => close(valueAt(after, recommendationFact(layout, key).cell))
      const numbers = (of: typeof award) => (of === null ? '–' : of.offers.map(({ sequence }) => sequence).join(', '))
      expect({
        status: fact('status'),
        problem: fact('problem'),
        tonnes: fact('tonnes'),
        total: fact('total'),
        coverage: fact('coverage'),
        score: fact('score'),
        excess: fact('excessTonnes'),
        developers: fact('developers'),
        closest: fact('closestOffers'),
        waived: fact('closestWaived'),
      }).toEqual({
        status,
        problem: '',
        tonnes: close(award?.tonnes ?? '–'),
        total: close(award?.total ?? '–'),
        coverage: close(award?.coverage ?? '–'),
        score: close(award?.score ?? '–'),
        excess: close(award?.excessTonnes ?? '–'),
        developers: award?.developers ?? '–',
        closest: numbers(closest?.award ?? null),
        waived: closest === null ? '–' : closest.waived.map(({ title }) => title).join('; '),
      })
      expect(after.sheets.Checks?.B4?.v).not.toBe('fails')
      if (rule === 'best-score-compliant')
        expect(String(fact('runnerUpOffers'))).toMatch(/^Run: quotekeeper report .*--set |^[\d, ]+$|^–$/)
      else if (status === 'award') expect(fact('runnerUpTotal')).toEqual(close(runnerUp?.award.total ?? '–'))
      const byId = new Map(offers.map((offer) => [offer.offerId, offer]))
      for (const [index, offer] of layout.report.offers.entries()) {
        const grid = layout.recommendation.offers
        const tonnes = award?.offers.find(({ offerId }) => offerId === offer.id)?.tonnes ?? 0
        expect([
          offer.label,
          valueAt(after, grid.cell('eligible', index)),
          close(valueAt(after, grid.cell('tonnes', index))),
        ]).toEqual([offer.label, byId.get(offer.id)?.eligible ? 'yes' : 'no', close(tonnes)])
      }
      if (rule !== 'best-score-compliant' && status === 'award') {
        for (const [row, { offerId }] of (award?.offers ?? []).entries()) {
          const expectedPrice = recommendation.breakEven.find((one) => one.offerId === offerId)?.breakEvenPricePerTonne
          const found = valueAt(after, layout.recommendation.awarded.cell('breakEven', row))
          expect(close(found)).toEqual(close(expectedPrice ?? 'any price'))
        }
      }
    },
  )
})

describe.skipIf(missing !== null)(`invalid inputs${missing ? ` (${missing})` : ''}`, () => {
  /** Rows of chart data: #N/A leaves a gap in a chart. */
  const chartRows = new Set(
    rfqSheets(report).flatMap((make) => {
      const plan = make()
      return [...plan.rows()].flatMap((row, at) => (row.working ? [`${plan.name} ${at + 1}`] : []))
    }),
  )
  const errorsIn = (read: ReadWorkbook) =>
    Object.entries(read.sheets).flatMap(([sheet, cells]) =>
      Object.entries(cells).flatMap(([address, { v, t, f }]) =>
        (t === 'e' || /^#[A-Z/]+[!?A]?$/.test(String(v))) && !chartRows.has(`${sheet} ${address.replace(/\D+/, '')}`)
          ? [[sheet, address, v, f]]
          : [],
      ),
    )

  it('a changed exchange rate shows the command for a new report instead of a stale award', () => {
    const fact = (key: FactKey) => valueAt(withOtherRate, recommendationFact(layout, key).cell)
    for (const key of ['status', 'tonnes', 'total', 'runnerUpTotal'] as const) expect(fact(key)).toBe('outdated')
    expect(fact('message')).toMatch(
      /^Outdated: .*quotekeeper report 4711 --channel \S+ --as-of \S+ --set requirements\.priceMax=off --set exchangeRates\.EUR=1\.3$/,
    )
    expect(errorsIn(withOtherRate)).toEqual([])
    expect(withOtherRate.sheets.Checks?.B4?.v).not.toBe('fails')
  })

  it('has no error values before', () => expect(errorsIn(before)).toEqual([]))

  it.each(labels)('show no error value, turn the master check red and name the cell: %s', (_, at) => {
    const read = after[at] as ReadWorkbook
    expect(errorsIn(read)).toEqual([])
    expect(read.sheets.Checks?.B4?.v).toBe('fails')
    const { inputs, award } = changes[at] as (typeof changes)[number]
    const named = award === undefined ? Object.keys(inputs).length : 1
    const message = String(read.sheets.Checks?.C4?.v)
    expect(message).toMatch(
      award === undefined ? /^Invalid input: Inputs!B\d+/ : new RegExp(`^Invalid input: Award!${own}\\.`),
    )
    expect(message.match(/!/g)).toHaveLength(named)
  })

  it.each(labels)('withhold every result that depends on them: %s', (_, at) => {
    const read = after[at] as ReadWorkbook
    const isOwn = changes[at]?.award !== undefined
    const condition = isOwn ? '=IF(InputErrors+OwnAwardErrors>0,' : '=IF(InputErrors'
    const guarded = formulasOf(before).filter(({ cell }) => cell.f?.startsWith(condition))
    expect(guarded.length).toBeGreaterThan(isOwn ? 5 : 300)
    const shown = guarded.flatMap(({ sheet, address }) =>
      read.sheets[sheet]?.[address]?.v === 'check Inputs' ? [] : [[sheet, address, read.sheets[sheet]?.[address]?.v]],
    )
    expect(shown).toEqual([])
    if (!isOwn) expect(valueAt(read, recommendationFact(layout, 'status').cell)).toBe('check Inputs')
  })
})
