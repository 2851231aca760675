import { columnIndex } from '../layout/grid.js'
import { here, is, mark } from '../layout/marks.js'
import { bodyRow, fitsOnePage, GAP, headingRows, headRow, right, sectionRow } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, formula, text } from '../xlsx/cells.js'
import { type Entry, type Input, inputSections, type Section } from './inputs.js'
import type { RfqLayout } from './layout.js'

const NOTE =
  'Change the yellow cells, and the figures, scores and ranks of the offers are recalculated. Recommendation and choices are not: the command in row 4 recomputes them. Other cells show values as received.'
const WIDTHS = [50, 18, 20, 18, 12, 120, 30]
const VALUE = 'B'
const ORIGINAL = 'D'
const STATE = 'E'
const COMMAND = 'F'
/** The state of an input that has a value it does not accept. */
const INVALID = 'invalid'
/** A working column: options of the command. */
const OPTION = 'G'
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
      { name: 'InputErrors', address: '$D$4' },
      { name: 'ReportCommand', address: `$${COMMAND}$4` },
    ],
    workingColumns: [columnIndex(OPTION)],
    validations: placed.flatMap(({ entry: { input }, row }) =>
      input === undefined ? [] : [{ address: `${VALUE}${row}`, rule: input.rule }],
    ),
    marks: [
      mark(allIn(STATE, placed), is(here, '=', 'changed'), 'warn'),
      mark(allIn(STATE, placed), is(here, '=', INVALID), 'bad'),
    ],
    tab: 'FFE0B400',
    print: { titleRows: [HEADER_ROWS, HEADER_ROWS], onePage: fitsOnePage(rows, WIDTHS) },
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
  for (const row of headingRows(layout, 'Inputs', NOTE)) yield row
  yield changesRow(placed, layout)
  yield headRow('Input', right('Value'), 'Unit', right('Original value'), 'State', 'Effect and source')
  const rowOf = new Map(placed.map(({ entry, row }) => [entry, row]))
  for (const { title, entries } of sections) {
    yield GAP
    yield sectionRow(title)
    yield* entries.map((entry) => entryRow(entry, rowOf.get(entry) ?? 0))
  }
}

function changesRow(placed: readonly Placed[], { report }: RfqLayout): RowPlan {
  const { command } = report.decision
  const states = allIn(STATE, placed)
  return {
    cells: [
      text('Inputs changed since the report was made', style.body),
      formula(`COUNTIF(${states},"changed")`, 0, style.integer),
      text('Invalid inputs', style.afterNumber),
      formula(`COUNTIF(${states},"${INVALID}")`, 0, style.integer),
      text('Command:', style.body),
      formula(`${OPTION}4&_xlfn.TEXTJOIN("",TRUE,${allIn(OPTION, placed)})`, command, style.wrapped),
      text(command, style.body),
    ],
  }
}

function entryRow(entry: Entry, row: number): RowPlan {
  const { label, value, unit, input, explanation } = entry
  const unitCell = text(unit, style.afterNumber)
  const message = text(explanation, style.wrapped)
  const before = [text(label, style.wrapped), input ? { ...value, style: style.asInput(value.style) } : value, unitCell]
  if (input === undefined) return bodyRow(...before, blank(style.body), blank(style.body), message)
  const [cell, original] = [`${VALUE}${row}`, `${ORIGINAL}${row}`]
  const isValid = `IFERROR(${input.accepts(cell)},FALSE)`
  const state = formula(`IF(${isValid},IF(${cell}=${original},"","changed"),"${INVALID}")`, '', style.body)
  return bodyRow(...before, value, state, message, optionCell(input, row))
}

/** The option of `quotekeeper report` for a changed input; an empty one is 0. */
function optionCell({ setting }: Input, row: number): Cell {
  const value = `IF(${VALUE}${row}="","0",SUBSTITUTE(${VALUE}${row}&"",",","."))`
  return formula(`IF(${STATE}${row}="changed"," --set ${setting}="&${value},"")`, '', style.body)
}
