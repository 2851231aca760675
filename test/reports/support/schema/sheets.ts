import { decoded, type Element } from '../parts.js'
import { first } from './links.js'
import { overlapIn } from './references.js'
import { areaOf, cellAt, double, oneOf, whole } from './values.js'
import { all, attribute, repeated, type WorkbookIndex } from './workbook-index.js'

const TEXT_CHARACTERS = 32_767
const FORMULA_CHARACTERS = 8_192
const MARGIN_CHARACTERS = 255
const ERRORS = oneOf('#N/A', '#DIV/0!', '#VALUE!', '#REF!', '#NAME?', '#NUM!', '#NULL!')

/** Checks a sheet for what the schema allows but Excel reports as damage. */
export function* sheetFaultsIn(whole: Element, workbook: WorkbookIndex): Generator<string> {
  yield* rowFaults(first(whole, 'sheetData')?.children ?? [], workbook)
  const sheet = { ...whole, children: whole.children.filter(({ name }) => name !== 'sheetData') }
  yield* columnFaults(all(sheet, 'col'))
  const merged = overlapIn(all(sheet, 'mergeCell').map((merge) => attribute(merge, 'ref')))
  if (merged) yield `merged twice: ${merged}`
  yield* ruleFaults(sheet, workbook)
  const linked = all(sheet, 'hyperlink').map((link) => attribute(link, 'ref'))
  for (const ref of repeated(linked)) yield `two links at ${ref}`
  for (const name of ['oddHeader', 'oddFooter']) {
    if (decoded(first(sheet, name)?.text ?? '').length > MARGIN_CHARACTERS) yield `${name} is too long`
  }
  yield* paneFaults(first(sheet, 'pane'))
}

function* rowFaults(rows: readonly Element[], workbook: WorkbookIndex): Generator<string> {
  let last = 0
  for (const row of rows) {
    const number = Number(attribute(row, 'r'))
    if (number <= last) yield `row ${number} follows row ${last}`
    last = number
    let column = 0
    for (const cell of row.children) {
      const at = cellAt(attribute(cell, 'r'))
      if (at?.row !== number || at.column <= column) yield `${attribute(cell, 'r')} is in the wrong place`
      column = at?.column ?? column
      yield* cellFaults(cell, workbook)
    }
  }
}

/** Whether a value is valid for the cell type. */
function allowed(type: string, { strings }: WorkbookIndex): (value: string) => boolean {
  if (type === 's') return whole(0, strings.length - 1)
  if (type === 'b') return oneOf('0', '1')
  if (type === 'e') return ERRORS
  return type === 'str' ? () => true : double
}

function* cellFaults(cell: Element, workbook: WorkbookIndex): Generator<string> {
  const where = attribute(cell, 'r')
  if (Number(cell.attributes.s ?? 0) >= workbook.cellStyles) yield `${where} has the style ${cell.attributes.s}`
  const value = cell.children.find(({ name }) => name === 'v')
  const shown = decoded(value?.text ?? '')
  if (value && !allowed(attribute(cell, 't'), workbook)(shown))
    yield `${where} has the invalid value ${shown.slice(0, 40)}`
  const text = attribute(cell, 't') === 's' ? (workbook.strings[Number(shown)] ?? '') : shown
  if (text.length > TEXT_CHARACTERS) yield `${where} is too long`
  const formula = cell.children.find(({ name }) => name === 'f')
  if (!formula) return
  if (!value) yield `${where} has a formula without a result`
  if (decoded(formula.text).length > FORMULA_CHARACTERS || formula.text === '')
    yield `${where} has an empty or too long formula`
  if (formula.attributes.ref !== undefined && areaOf(formula.attributes.ref)?.top !== cellAt(where)?.row) {
    yield `${where} has the formula of ${formula.attributes.ref}`
  }
}

function* columnFaults(columns: readonly Element[]): Generator<string> {
  let last = 0
  for (const column of columns) {
    const [min, max] = [Number(attribute(column, 'min')), Number(attribute(column, 'max'))]
    if (min <= last || max < min || max > 16_384) yield `columns ${min} to ${max} follow column ${last}`
    if (Number(column.attributes.width ?? 0) > 255) yield `column ${min} is too wide`
    last = max
  }
}

function* ruleFaults(sheet: Element, workbook: WorkbookIndex): Generator<string> {
  const rules = all(sheet, 'cfRule')
  for (const priority of repeated(rules.map((rule) => attribute(rule, 'priority'))))
    yield `two rules have priority ${priority}`
  for (const { attributes } of rules) {
    const style = attributes.dxfId
    if (style !== undefined && Number(style) >= workbook.differentialStyles) yield `a rule has the style ${style}`
  }
  const named = all(sheet, 'x14:id').map(({ text }) => text)
  const drawn = all(sheet, 'x14:cfRule').map(({ attributes }) => attributes.id)
  if (repeated(named).length > 0 || named.join() !== drawn.join())
    yield `bars ${named.join()} are drawn as ${drawn.join()}`
}

/** The first scrolling cell must follow the frozen rows and columns. */
function* paneFaults(pane: Element | undefined): Generator<string> {
  if (!pane) return
  const at = cellAt(attribute(pane, 'topLeftCell'))
  const [columns, rows] = [Number(pane.attributes.xSplit ?? 0), Number(pane.attributes.ySplit ?? 0)]
  if (at?.column !== columns + 1 || at.row !== rows + 1) yield `the pane begins at ${attribute(pane, 'topLeftCell')}`
}
