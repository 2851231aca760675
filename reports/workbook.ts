import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import ExcelJS from 'exceljs'
import { quoted } from './cells.js'
import { columnLetter } from './grid.js'
import { packWorkbook } from './package.js'
import type { Identity, RowPlan, SheetPlan } from './plan.js'
import { FONT, FONT_POINTS, palette } from './styles.js'
import { cleanText, cutText, oneLine } from './text.js'
import { ROW_POINTS } from './typeset.js'

/** Rows written between two turns of the event loop: locks are renewed and signals heard while a long sheet is made. */
const ROWS_A_TURN = 250
const A4 = 9
/** Excel's limit for a header or footer; each `&` counts twice. */
const MARGIN_CHARACTERS = 255
const PROPERTY_CHARACTERS = 255

export interface BuildOptions {
  /** Told after each sheet. */
  onProgress?: (progress: { sheet: string; done: number; total: number }) => void
  signal?: AbortSignal
}

type Book = ExcelJS.stream.xlsx.WorkbookWriter
/** The parts of exceljs' streaming sheet that its types leave out (4.4: lib/stream/xlsx/worksheet-writer.js). */
interface SheetInternals {
  _writeHyperlinks(): void
  _writePageMargins(): void
  _writeLegacyData(): void
  _write(xml: string): void
  _sheetRelsWriter: { addRelationship(relationship: { Type: string; Target: string }): string }
}

/**
 * Writes sheets into the bytes of a workbook, a row at a time: memory does not grow with the rows of a sheet but by the
 * finished parts. Equal plans give equal bytes.
 * @param sheets in order; names valid and unlike each other (names.ts)
 * @returns the bytes of an .xlsx file
 * @throws whatever `signal` was aborted with
 */
export async function buildWorkbook(
  sheets: readonly SheetPlan[],
  identity: Identity,
  options: BuildOptions = {},
): Promise<Buffer> {
  const collected = new Collector()
  const book = newBook(collected, identity)
  let drawing = 0
  for (const [index, plan] of sheets.entries()) {
    if (plan.charts?.length) drawing++
    await writeSheet(book, plan, { identity, drawing, first: index === 0, signal: options.signal })
    options.onProgress?.({ sheet: plan.name, done: index + 1, total: sheets.length })
  }
  await book.commit()
  return packWorkbook(collected.bytes(), sheets)
}

class Collector extends Writable {
  readonly #chunks: Buffer[] = []
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }
  bytes = (): Buffer => Buffer.concat(this.#chunks)
}

function newBook(stream: Writable, identity: Identity): Book {
  const book = new ExcelJS.stream.xlsx.WorkbookWriter({
    stream,
    useStyles: true,
    useSharedStrings: true,
    zip: { zlib: { level: 6 } },
  })
  // Font 0 is what column widths are counted in. exceljs would take Calibri, which not every machine has.
  const { styles } = book as unknown as { styles: { _addFont(font: Partial<ExcelJS.Font>): number } }
  styles._addFont({ name: FONT, size: FONT_POINTS, family: 2, color: { theme: 1 } })
  const property = (text: string) => cutText(oneLine(cleanText(text)), PROPERTY_CHARACTERS)
  Object.assign(book, {
    creator: 'Quotekeeper',
    lastModifiedBy: 'Quotekeeper',
    created: identity.asOf,
    modified: identity.asOf,
    title: property(identity.title),
    subject: property(identity.subject),
    views: [{ x: 0, y: 0, width: 28_000, height: 17_000, firstSheet: 0, activeTab: 0, visibility: 'visible' }],
  })
  return book
}

interface SheetContext {
  identity: Identity
  /** Number of the drawing part, where the sheet has charts. */
  drawing: number
  first: boolean
  signal: AbortSignal | undefined
}

async function writeSheet(book: Book, plan: SheetPlan, context: SheetContext): Promise<void> {
  const sheet = book.addWorksheet(plan.name, sheetOptions(plan, context)) as ExcelJS.Worksheet
  orderParts(sheet, plan, context.drawing)
  sheet.columns = plan.widths.map((width) => ({ width }))
  let rows = 0
  for (const row of plan.rows()) {
    writeRow(sheet, ++rows, row)
    if (rows % ROWS_A_TURN === 0) {
      context.signal?.throwIfAborted()
      await nextTurn()
    }
  }
  for (const merge of plan.merges ?? []) mergeWritten(sheet, merge)
  for (const row of plan.print.breaksAfter ?? []) breakAfter(sheet, row)
  for (const rule of plan.rules ?? []) sheet.addConditionalFormatting(rule)
  for (const { address, rule } of plan.validations ?? []) validate(sheet, address, rule)
  for (const { name, address } of plan.names ?? []) book.definedNames.add(`${quoted(plan.name)}!${address}`, name)
  if (plan.filter !== undefined) sheet.autoFilter = plan.filter
  ;(sheet as unknown as { commit(): void }).commit()
  await nextTurn()
  context.signal?.throwIfAborted()
}

function writeRow(sheet: ExcelJS.Worksheet, number: number, plan: RowPlan): void {
  const row = sheet.getRow(number)
  plan.cells.forEach((cell, index) => {
    if (cell === undefined) return
    const target = row.getCell(index + 1)
    target.value = cell.value
    target.style = cell.style as Partial<ExcelJS.Style>
  })
  row.height = plan.height ?? ROW_POINTS
  row.commit()
}

/** The streaming sheet cannot merge rows it has let go: the range alone is recorded, which is all a merge is. */
function mergeWritten(sheet: ExcelJS.Worksheet, range: string): void {
  ;(sheet as unknown as { _merges: string[] })._merges.push(range)
}

function breakAfter(sheet: ExcelJS.Worksheet, row: number): void {
  ;(sheet as unknown as { rowBreaks: object[] }).rowBreaks.push({ id: row, max: 16_383, man: 1 })
}

function validate(sheet: ExcelJS.Worksheet, address: string, rule: ExcelJS.DataValidation): void {
  const { dataValidations } = sheet as unknown as {
    dataValidations: { add(address: string, rule: ExcelJS.DataValidation): void }
  }
  dataValidations.add(address, rule)
}

/**
 * Excel wants the parts of a sheet in one order (ECMA-376 part 1, CT_Worksheet). exceljs' streaming sheet writes links
 * before conditional formats, which Excel takes for damage; and it knows no drawings.
 */
function orderParts(sheet: ExcelJS.Worksheet, plan: SheetPlan, drawing: number): void {
  const parts = sheet as unknown as SheetInternals
  const writeLinks = parts._writeHyperlinks.bind(sheet)
  const writeMargins = parts._writePageMargins.bind(sheet)
  parts._writeHyperlinks = () => {}
  parts._writePageMargins = () => {
    writeLinks()
    writeMargins()
  }
  if (!plan.charts?.length) return
  parts._writeLegacyData = () => {
    const id = parts._sheetRelsWriter.addRelationship({
      Type: 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/drawing',
      Target: `../drawings/drawing${drawing}.xml`,
    })
    parts._write(`<drawing r:id="${id}"/>`)
  }
}

function sheetOptions(plan: SheetPlan, { identity, first }: SheetContext): Partial<ExcelJS.AddWorksheetOptions> {
  const { titleRows, titleColumns, pagesWide = 1, from } = plan.print
  return {
    properties: { defaultRowHeight: ROW_POINTS, tabColor: { argb: plan.tab ?? palette.head } } as never,
    views: [sheetView(plan, first)],
    headerFooter: { oddFooter: footer(identity), ...(from && { oddHeader: header(identity) }) },
    pageSetup: {
      orientation: 'landscape',
      paperSize: A4,
      fitToPage: true,
      fitToWidth: pagesWide,
      fitToHeight: 0,
      margins: { left: 0.4, right: 0.4, top: from ? 0.75 : 0.5, bottom: 0.6, header: 0.3, footer: 0.3 },
      ...(titleRows && { printTitlesRow: `${titleRows[0]}:${titleRows[1]}` }),
      ...(titleColumns !== undefined && { printTitlesColumn: titleColumns }),
      ...(from && { printArea: `A$${from}:${columnLetter(plan.widths.length)}$${plan.print.to}` }),
    },
  }
}

function sheetView(plan: SheetPlan, first: boolean): ExcelJS.WorksheetView {
  const { rows = 0, columns = 0 } = plan.frozen ?? {}
  const common = { showGridLines: false, zoomScale: 100, zoomScaleNormal: 100, tabSelected: first ? 1 : 0 }
  const split = rows + columns > 0 ? { state: 'frozen', xSplit: columns, ySplit: rows } : { state: 'normal' }
  return { ...common, ...split } as unknown as ExcelJS.WorksheetView
}

const FOOTER_ENDS = '&R&8&A · page &P of &N'
const footer = ({ footer }: Identity): string => `&L&8${marginText(footer, FOOTER_ENDS.length)}${FOOTER_ENDS}`
/** On sheets of several pages side by side, whose own heading would be cut at the first page's edge. */
const header = ({ footer }: Identity): string => `&L&"${FONT},Bold"&10&A&R&8${marginText(footer, 30)}`

/** `&` begins a code in headers and footers and is doubled; a cut must not part a pair, nor a figure follow a size. */
function marginText(text: string, reserved: number): string {
  let kept = ''
  for (const character of oneLine(cleanText(text))) {
    const next = character === '&' ? '&&' : character
    if (kept.length + next.length > MARGIN_CHARACTERS - reserved - 6) break
    kept += next
  }
  return /^\d/.test(kept) ? ` ${kept}` : kept
}
