import { decoded, type Element } from '../parts.js'
import { first, type Trees } from './links.js'
import { referencesIn } from './references.js'
import { type Area, cellAt } from './values.js'
import { all, attribute, repeated, type WorkbookIndex } from './workbook-index.js'

/** Checks that charts refer to cells, cache their values, and have matching axes. */
export function* chartFaultsIn(chart: Element, workbook: WorkbookIndex, trees: Trees): Generator<string> {
  for (const reference of [...all(chart, 'c:strRef'), ...all(chart, 'c:numRef')]) {
    yield* referenceFaults(reference, workbook, trees)
  }
  for (const key of ['c:idx', 'c:order']) {
    const values = all(chart, 'c:ser').flatMap((series) => all(series, key).map((index) => attribute(index, 'val')))
    for (const value of repeated(values)) yield `two series are ${key} ${value}`
  }
  yield* axisFaults(chart)
}

function* referenceFaults(reference: Element, workbook: WorkbookIndex, trees: Trees): Generator<string> {
  const formula = decoded(first(reference, 'c:f')?.text ?? '')
  const [range, ...more] = referencesIn(formula) ?? []
  const sheet = trees.get(workbook.sheets.get(range?.sheet ?? '') ?? '')
  if (!range || !sheet || more.length > 0) return yield `${formula} refers to no cells`
  const points = new Map(all(reference, 'c:pt').map((point) => [attribute(point, 'idx'), textIn(point, 'c:v')]))
  const cells = cellsIn(sheet, range.area, workbook)
  if (Number(first(reference, 'c:ptCount')?.attributes.val) !== cells.length) yield `${formula} counts other points`
  for (const [index, cell] of cells.entries()) {
    const shown = points.get(String(index)) ?? ''
    const expected = reference.name === 'c:numRef' ? figure(cell) : cell
    if (!same(shown, expected)) yield `${formula} shows ${shown}, but the cell contains ${expected}`
  }
}

/** The values of the cells of an area, row by row. */
function cellsIn(sheet: Element, { top, bottom, left, right }: Area, workbook: WorkbookIndex): string[] {
  const rows = new Map(first(sheet, 'sheetData')?.children.map((row) => [Number(row.attributes.r), row.children]))
  return range(top, bottom).flatMap((row) => {
    const cells = new Map(rows.get(row)?.map((cell) => [cellAt(attribute(cell, 'r'))?.column, cell]))
    return range(left, right).map((column) => cellText(cells.get(column), workbook))
  })
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)
const textIn = (element: Element | undefined, name: string): string =>
  decoded((element && first(element, name)?.text) ?? '')

function cellText(cell: Element | undefined, { strings }: WorkbookIndex): string {
  const value = textIn(cell, 'v')
  if (cell?.attributes.t === 'e') return ''
  return cell?.attributes.t === 's' ? (strings[Number(value)] ?? '') : value
}

/** Text counts as no value in a series of numbers. */
const figure = (shown: string): string => (Number.isNaN(Number(shown)) ? '' : shown)
const same = (one: string, other: string): boolean =>
  one === other || (one !== '' && other !== '' && Number(one) === Number(other))

function* axisFaults(chart: Element): Generator<string> {
  const axes = [...all(chart, 'c:catAx'), ...all(chart, 'c:valAx')]
  const ids = axes.map((axis) => first(axis, 'c:axId')?.attributes.val)
  for (const plot of ['c:barChart', 'c:lineChart', 'c:scatterChart'].flatMap((name) => all(chart, name))) {
    const used = plot.children.filter(({ name }) => name === 'c:axId').map(({ attributes }) => attributes.val)
    if (used.some((id) => !ids.includes(id)) || new Set(used).size !== 2) yield `a plot has the axes ${used.join()}`
  }
  for (const [index, axis] of axes.entries()) {
    const crossed = first(axis, 'c:crossAx')?.attributes.val
    if (crossed === ids[index] || !ids.includes(crossed)) yield `an axis crosses ${crossed}`
  }
}

/** Checks anchors for reversed corners, and shapes for duplicate ids. */
export function* drawingFaultsIn(drawing: Element): Generator<string> {
  const ids = all(drawing, 'xdr:cNvPr').map((shape) => attribute(shape, 'id'))
  for (const id of repeated(ids)) yield `two shapes have id ${id}`
  for (const anchor of all(drawing, 'xdr:twoCellAnchor')) {
    for (const side of ['xdr:col', 'xdr:row']) {
      const [from, to] = all(anchor, side).map(({ text }) => Number(text))
      if (!(Number(from) < Number(to))) yield `a shape reaches from ${side} ${from} to ${to}`
    }
  }
}
