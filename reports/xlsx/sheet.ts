import type ExcelJS from 'exceljs'
import { sum } from '../../src/core/numbers.js'
import type { Columns } from '../layout/columns.js'
import { linesIn, MAX_ROW_LINES } from '../layout/text-fit.js'
import * as style from './cell-styles.js'
import { type Cell, escapeXstring, text } from './cells.js'

const A4 = 9
/** Column units between the margins of A4 landscape. */
const PAGE_UNITS = 149
/** Smaller text would not be legible on paper. */
const MIN_SCALE = 0.7
/** The default height of a row. */
export const LINE_POINTS = 15
const LINE_HEIGHT = LINE_POINTS / style.FONT_POINTS

export interface SheetOptions {
  /** Column units: digits of the default font. */
  widths: readonly number[]
  /** Rows and columns that stay in view when the reader scrolls; the last of the rows is repeated on each page. */
  frozen?: { rows: number; columns?: number }
  /** The sheet is scaled to one page. */
  onePage?: boolean
}

/** A worksheet that is written from the top. */
export class Sheet {
  readonly #sheet: ExcelJS.Worksheet
  readonly #widths: readonly number[]
  readonly #isStreamed: boolean
  #row = 0
  /** Height of the rows so far. */
  points = 0

  constructor(workbook: ExcelJS.Workbook, name: string, options: SheetOptions & { oddFooter: string }) {
    const { widths, frozen, onePage = false, oddFooter } = options
    const { rows = 0, columns = 0 } = frozen ?? {}
    this.#widths = widths
    this.#sheet = workbook.addWorksheet(name, {
      properties: { tabColor: style.argb('brand') } as ExcelJS.WorksheetProperties,
      views: [{ showGridLines: false, ...(rows > 0 && { state: 'frozen', xSplit: columns, ySplit: rows }) }],
      headerFooter: { oddFooter },
      pageSetup: {
        orientation: 'landscape',
        paperSize: A4,
        fitToPage: true,
        fitToWidth: 1,
        fitToHeight: onePage ? 1 : 0,
        margins: { left: 0.4, right: 0.4, top: 0.5, bottom: 0.6, header: 0.3, footer: 0.3 },
        ...(rows > 0 && { printTitlesRow: `${rows}:${rows}` }),
      },
    })
    this.#isStreamed = (this.#sheet.commit as unknown) !== undefined
    this.#sheet.columns = widths.map((width) => ({ width }))
  }

  /** How many columns it has. */
  get columns(): number {
    return this.#widths.length
  }

  /** Number of the row that is written next, from 1. */
  get next(): number {
    return this.#row + 1
  }

  /**
   * Writes a row as high as its wrapped cells need; undefined cells stay empty.
   * @param merged first and last of the columns joined to one cell, counted from 0
   */
  add(cells: readonly (Cell | undefined)[], merged?: readonly [first: number, last: number]): this {
    const row = this.#sheet.getRow(++this.#row)
    let points = LINE_POINTS
    for (const [index, cell] of cells.entries()) {
      if (cell === undefined) continue
      const target = row.getCell(index + 1)
      target.value = excelValue(cell)
      target.style = cell.style
      if (cell.choices) target.dataValidation = { type: 'list', allowBlank: true, formulae: [`"${cell.choices}"`] }
      points = Math.max(points, this.#pointsOf(cell, index, merged?.[0] === index ? merged[1] : index))
    }
    if (merged) this.#sheet.mergeCells(this.#row, merged[0] + 1, this.#row, merged[1] + 1)
    if (points > LINE_POINTS) row.height = points
    this.points += points
    row.commit()
    return this
  }

  /** The height that a cell needs in the columns from `first` to `last`. */
  #pointsOf({ value, style: { font, alignment } }: Cell, first: number, last: number): number {
    const size = font?.size ?? style.FONT_POINTS
    const units = (sum(this.#widths.slice(first, last + 1)) * style.FONT_POINTS) / size / (font?.bold ? 1.1 : 1)
    const lines = alignment?.wrapText && typeof value === 'string' ? linesIn(value, units) : 1
    return Math.ceil(Math.min(lines, MAX_ROW_LINES) * size * LINE_HEIGHT)
  }

  /** One cell over all columns. */
  addAcross(cell: Cell): this {
    return this.add([cell], [0, this.#widths.length - 1])
  }

  /** The lines above the content: title, which RFQ or channel as of when, and how to read the sheet. */
  addHeading(title: string, subject: string, note: string): this {
    this.add([text(title, style.title)]).add([text(subject, style.subtitle)])
    return this.add([text(note, style.hint)]).add([])
  }

  /** An empty row and the title of a section. */
  addSection(title: string): this {
    return this.add([]).add([text(title, style.section)])
  }

  /**
   * Writes headers and rows.
   * @param name of a table of Excel, which sorts and filters; a sheet that is streamed has filters only
   */
  addTable<Row>(columns: Columns<Row>, rows: readonly Row[], name?: string): this {
    const all = Object.entries(columns)
    const headers = all.map(([, { header, right }]) => text(header, right ? style.headerRight : style.header))
    const top = this.next
    this.add(headers)
    const values: ExcelJS.CellValue[][] = []
    const isTable = name !== undefined && !this.#isStreamed
    for (const [index, row] of rows.entries()) {
      const at = (key: string) => `${letterOf(all.findIndex(([other]) => other === key))}${this.next}`
      const cells = all.map(([, column]) => column.cell(row, { index, at }))
      if (isTable) values.push(cells.map(excelValue))
      this.add(cells)
    }
    if (rows.length === 0) return this.add([text('None.', style.hint)])
    if (isTable)
      this.#sheet.addTable({
        ...{ name, ref: `A${top}`, rows: values },
        columns: headers.map(({ value }) => ({ name: String(value), filterButton: true })),
        style: { theme: 'TableStyleLight1' },
      })
    else if (name !== undefined) this.#sheet.autoFilter = `A${top}:${letterOf(all.length - 1)}${this.#row}`
    return this
  }

  /** Ends a sheet that is streamed. */
  end(): void {
    if (this.#isStreamed) this.#sheet.commit()
  }

  /** Prints as many columns as are legible side by side, down to a row; the rest is for the screen. */
  printLegible(lastRow = this.#row): void {
    const fits = (_: number, at: number) => sum(this.#widths.slice(0, at + 1)) <= PAGE_UNITS / MIN_SCALE
    const columns = this.#widths.filter(fits).length
    this.#sheet.pageSetup.printArea = `A$1:${letterOf(columns - 1)}$${lastRow}`
  }
}

function excelValue({ value, formula, link }: Cell): ExcelJS.CellValue {
  const content = typeof value === 'string' ? escapeXstring(value) : value
  if (link !== undefined) return { text: String(content), hyperlink: link }
  return formula === undefined ? content : ({ formula, result: content } as ExcelJS.CellFormulaValue)
}

/** The letters of a column counted from 0: `0` is `A`, `26` is `AA`. */
export const letterOf = (column: number): string =>
  `${column >= 26 ? letterOf(Math.floor(column / 26) - 1) : ''}${String.fromCharCode(65 + (column % 26))}`
