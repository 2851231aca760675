import { columnIndex } from '../layout/grid.js'
import { here, is, mark } from '../layout/marks.js'
import { bodyRow, emptyCells, emptyRows, headingRows, headRow, right, sectionRow } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, blank, type Cell, formula, text } from '../xlsx/cells.js'
import { type Entry, type Input, inputSections, type Section } from './inputs.js'
import type { RfqLayout } from './layout.js'

const NOTE =
  'Change the yellow cells, and Offers, Scoring, Award, Sensitivity, Comparison and Summary are recalculated. All other cells show values as received.'
const WIDTHS = [40, 22, 20, 22, 12, 78, 30, 8]
const VALUE = 'B'
const ORIGINAL = 'D'
const STATE = 'E'
const COMMAND = 'F'
/** The state of an input that has a value it does not accept. */
const INVALID = 'invalid'
/** Working columns: options of the command, and counts of errors and changes. */
const OPTION = 'G'
const COUNT = 'H'
/** Heading, number of changed inputs, table header. */
const HEADER_ROWS = 5

type Placed = ReturnType<typeof withRows>[number]

/** `Inputs`: values that the reader can change, and the RFQ's limits as received. Formulas refer to them by defined names. */
export function inputsSheet(layout: RfqLayout): SheetPlan {
  const sections = inputSections(layout)
  const placed = withRows(sections)
  const rows = [...inputRows(layout, sections, placed)]
  return rowSheet({
    name: 'Inputs',
    widths: WIDTHS,
    rows: () => rows,
    frozen: { rows: HEADER_ROWS },
    names: [
      ...placed.flatMap(({ entry: { name }, row }) => (name ? [{ name, address: `$${VALUE}$${row}` }] : [])),
      { name: 'InputsChanged', address: '$B$4' },
      { name: 'RatesChanged', address: '$D$4' },
      { name: 'ReportCommand', address: `$${COMMAND}$4` },
      ...ERROR_CELLS.map((name, at) => ({ name, address: `$${COUNT}$${at + 1}` })),
      { name: 'AwardRatesChanged', address: `$${COUNT}$4` },
    ],
    workingColumns: [OPTION, COUNT].map(columnIndex),
    validations: placed.flatMap(({ entry: { input }, row }) =>
      input === undefined ? [] : [{ address: `${VALUE}${row}`, rule: input.rule }],
    ),
    marks: [
      mark(allIn(STATE, placed), is(here, '=', 'changed'), 'warn'),
      mark(allIn(STATE, placed), is(here, '=', INVALID), 'bad'),
    ],
    tab: 'FFE0B400',
    print: { titleRows: [HEADER_ROWS, HEADER_ROWS] },
  })
}

/** Each section begins after an empty row and its title. */
function withRows(sections: readonly Section[]) {
  let row = HEADER_ROWS
  return sections.flatMap(({ entries }) => {
    row += 2
    return entries.map((entry) => ({ entry, row: ++row }))
  })
}

/** All cells of a column below the header. */
const allIn = (column: string, placed: readonly Placed[]) =>
  `${column}${HEADER_ROWS + 1}:${column}${placed.at(-1)?.row ?? HEADER_ROWS + 1}`

function* inputRows(layout: RfqLayout, sections: readonly Section[], placed: readonly Placed[]): Generator<RowPlan> {
  const errors = errorCells(allIn(STATE, placed), layout)
  for (const [at, row] of headingRows(layout, 'Inputs', NOTE).entries()) {
    yield { ...row, cells: [...row.cells, ...emptyCells(WIDTHS.length - 2), errors[at]] }
  }
  yield changesRow(placed, layout)
  yield headRow('Input', right('Value'), 'Unit', right('Original value'), 'State', 'Effect and source')
  const rowOf = new Map(placed.map(({ entry, row }) => [entry, row]))
  for (const { title, entries } of sections) {
    yield* emptyRows(1)
    yield sectionRow(title)
    yield* entries.map((entry) => entryRow(entry, rowOf.get(entry) ?? 0))
  }
}

/** Reasons for not ranking an offer that a changed input can remove. */
const REVERSIBLE = ['expired', 'no-exchange-rate', 'no-price']

/**
 * Names of the inputs that searched awards depend on: the rates of offers that are ranked or could become so, the rate of
 * the RFQ's price limits, and whether expired offers are ranked, if there are any.
 */
function awardInputs(layout: RfqLayout): string[] {
  const expired = offersExcludedBy(layout, REVERSIBLE).some(({ terms }) => (terms.daysToExpiry ?? 0) < 0)
  return [...ratesOf(layout, REVERSIBLE), ...(expired ? ['RankExpired'] : [])]
}

/** Names of the inputs that awards solved ahead do not follow: they include rejected and withdrawn offers. */
const solvedAwardInputs = (layout: RfqLayout) => ratesOf(layout, [...REVERSIBLE, 'rejected', 'withdrawn'])

/** The offers that these reasons, and no others, exclude; all ranked ones among them. */
const offersExcludedBy = ({ report }: RfqLayout, codes: readonly string[]) =>
  report.offers.filter(({ eligibility }) => eligibility.exclusions.every(({ code }) => codes.includes(code)))

function ratesOf(layout: RfqLayout, codes: readonly string[]): string[] {
  const { rfq, currency } = layout.report
  const limited = rfq.minUnitPrice !== null || rfq.maxUnitPrice !== null
  const currencies = offersExcludedBy(layout, codes).map(({ terms }) => terms.currencyCode)
  return [...currencies, limited ? currency.rfq : null].map((code) => `Rate_${code}`)
}

function changesRow(placed: readonly Placed[], layout: RfqLayout): RowPlan {
  const changed = (names: readonly string[]) => {
    const inputs = placed.filter(({ entry }) => entry.input !== undefined && names.includes(entry.name ?? ''))
    return formula(['0', ...inputs.map(({ row }) => `(${STATE}${row}="changed")`)].join('+'), 0, style.integer)
  }
  const { command } = layout.report.decision.switches
  return {
    workbookOnly: true,
    cells: [
      text('Inputs changed since the report was generated', style.body),
      formula(`COUNTIF(${allIn(STATE, placed)},"changed")`, 0, style.integer),
      text('affecting awards', style.body),
      changed(awardInputs(layout)),
      text('Command:', style.body),
      formula(`${OPTION}4&_xlfn.TEXTJOIN("",TRUE,${allIn(OPTION, placed)})`, command, style.body),
      text(command, style.body),
      changed(solvedAwardInputs(layout)),
    ],
  }
}

/** Names of the cells that say which inputs are invalid. */
const ERROR_CELLS = ['InputErrors', 'OwnAwardErrors', 'InvalidInputs']
const MAX_TONNES = '1E+12'

/** The number of invalid inputs, of invalid tonnes on Award, and the addresses of both. */
function errorCells(states: string, { award }: RfqLayout): Cell[] {
  const own = award.range('own')
  const isWrong = `IFERROR(IF(${own}="",FALSE,IF(ISNUMBER(${own}),IF(${own}<0,TRUE,${own}>${MAX_TONNES}),TRUE)),TRUE)`
  const list = (sheet: string, wrong: string, column: string, cells: string) =>
    `"${sheet}!"&_xlfn.TEXTJOIN(", ${sheet}!",TRUE,IF(${wrong},"${column}"&ROW(${cells}),""))`
  const onInputs = `IF(InputErrors>0,${list('Inputs', `${states}="${INVALID}"`, VALUE, states)},"")`
  const onAward = `IF(OwnAwardErrors>0,${list('Award', isWrong, award.letter('own'), own)},"")`
  return [
    formula(`COUNTIF(${states},"${INVALID}")`, 0, style.integer),
    formula(`COUNTA(${own})-COUNTIFS(${own},">=0",${own},"<=${MAX_TONNES}")`, 0, style.integer),
    arrayFormula(`${onInputs}&IF(AND(InputErrors>0,OwnAwardErrors>0),", ","")&${onAward}`, '', style.body),
  ]
}

function entryRow(entry: Entry, row: number): RowPlan {
  const { label, value, unit, input, name, explanation } = entry
  const unitCell = typeof unit === 'string' ? text(unit, style.wrapped) : unit
  const words = text(explanation, style.wrapped)
  const before = [text(label, style.wrapped), input ? { ...value, style: style.asInput(value.style) } : value, unitCell]
  if (input === undefined) return bodyRow(...before, blank(style.body), blank(style.body), words)
  const [cell, original] = [`${VALUE}${row}`, `${ORIGINAL}${row}`]
  const isValid = `IFERROR(${input.accepts(cell)},FALSE)`
  const state = formula(`IF(${isValid},IF(${cell}=${original},"","changed"),"${INVALID}")`, '', style.body)
  return bodyRow(...before, value, state, words, optionCell(input, name, row))
}

/** The option of `quotekeeper report` for a changed input. */
function optionCell({ setting }: Input, name: string | undefined, row: number): Cell {
  const written = `SUBSTITUTE(${VALUE}${row}&"",",",".")`
  const value = name === 'RankExpired' ? `IF(${VALUE}${row}="yes","true","false")` : written
  return formula(`IF(${STATE}${row}="changed"," --set ${setting}="&${value},"")`, '', style.body)
}
