import { PassThrough, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type ExcelJS from 'exceljs'
import { cleanText, oneLine, truncate } from '../layout/clean-text.js'
import { columnLetter } from '../layout/grid.js'
import type { ReportIdentity, RowPlan, SheetFactory, SheetPlan } from '../layout/sheet-plan.js'
import { ROW_POINTS } from '../layout/text-metrics.js'
import { FONT, FONT_POINTS, palette } from './cell-styles.js'
import { quoteSheetName } from './cells.js'
import { dataBarsXml, withBarIds } from './data-bars.js'
import { escapeXstring } from './escape-xml.js'
import { WorkbookPackage } from './workbook-package.js'

/** Between two turns of the event loop: locks are renewed and signals heard while a long sheet is made. */
const CELLS_A_TURN = 4_000
const TURN_MILLISECONDS = 20
/** Uncompressed bytes that may wait for the compressor. */
const WAITING_BYTES = 1 << 20
/** exceljs gathers what is written in buffers of this size. */
const BUFFER_BYTES = 1 << 16
/** The compressor works on another thread; were it ever stuck, the sheet would go on in memory. */
const PATIENCE_MILLISECONDS = 10_000
const A4 = 9
/** Excel's limit for a header or footer; each `&` counts twice. */
const MARGIN_CHARACTERS = 255
const PROPERTY_CHARACTERS = 255
/** Order of the parts of a font as Excel writes them; exceljs has one of its own, which strict readers refuse. */
const FONT_ORDER = 'b i strike condense extend outline shadow u vertAlign sz color name family charset scheme'

/** Sheets written, and how many there will be. */
export interface BuildProgress {
  /** The one just written. */
  sheet: string
  done: number
  total: number
}
export interface BuildOptions {
  /** Told after each sheet. */
  onProgress?: (progress: BuildProgress) => void
  signal?: AbortSignal
}

interface StyleInternals {
  _addFont(font: Partial<ExcelJS.Font>): number
  /** Writers of the parts of a font, in the order they write in. */
  map: { font: { map: Record<string, unknown> } }
}
/** The parts of exceljs' streaming sheet that its types leave out (4.4: lib/stream/xlsx/worksheet-writer.js). */
interface SheetInternals {
  _writeHyperlinks(): void
  _writePageMargins(): void
  _writeLegacyData(): void
  _write(xml: string): void
  _formulae: object
  /** Its pipes are of a `readable-stream` too old to tell `writableLength`. */
  stream: { buffers: unknown[]; pipes: { _writableState: { length: number } }[] }
  _sheetRelsWriter: { addRelationship(relationship: { Type: string; Target: string }): string }
}

/** The bytes of a workbook, as `streamWorkbook` makes them. */
export const buildWorkbook = (...of: Parameters<typeof streamWorkbook>): Promise<Buffer> =>
  buffer(streamWorkbook(...of))

/**
 * Writes sheets into a workbook, a row at a time, while it is read: neither the rows of a sheet nor the file stand in
 * memory whole. Equal plans give equal bytes.
 * @param sheets in order; names valid and unlike each other
 * @returns the bytes of an .xlsx file; fails with what went wrong, or with whatever `signal` was aborted with
 */
export function streamWorkbook(
  sheets: readonly SheetFactory[],
  identity: ReportIdentity,
  options: BuildOptions = {},
): Readable {
  const output = new PassThrough()
  writeSheets(output, { sheets, identity, options }).catch((error: Error) => output.destroy(error))
  return output
}

async function writeSheets(
  output: PassThrough,
  { sheets, identity, options }: { sheets: readonly SheetFactory[]; identity: ReportIdentity; options: BuildOptions },
): Promise<void> {
  const signal = whileWanted(output, options.signal)
  const book = newBook(output, identity)
  for (const [index, make] of sheets.entries()) {
    const plan = make()
    if (plan.charts?.length) book.drawings.push(plan.charts)
    await writeSheet(book, plan, { identity, drawing: book.drawings.length, first: index === 0, signal })
    options.onProgress?.({ sheet: plan.name, done: index + 1, total: sheets.length })
  }
  await book.commit()
}

/** Aborted once nobody takes what is written any more, as where the disk is full. */
function whileWanted(output: PassThrough, signal: AbortSignal | undefined): AbortSignal {
  const unwanted = new AbortController()
  output.once('close', () => unwanted.abort(new Error('the workbook is not wanted any more')))
  return signal ? AbortSignal.any([signal, unwanted.signal]) : unwanted.signal
}

function newBook(stream: PassThrough, identity: ReportIdentity): WorkbookPackage {
  const book = new WorkbookPackage(stream)
  // Font 0 is what column widths are counted in. exceljs would take Calibri, which not every machine has.
  const { styles } = book as unknown as { styles: StyleInternals }
  styles.map.font.map = Object.fromEntries(FONT_ORDER.split(' ').map((tag) => [tag, styles.map.font.map[tag]]))
  styles._addFont({ name: FONT, size: FONT_POINTS, family: 2, color: { theme: 1 } })
  const property = (text: string) => truncate(oneLine(cleanText(text)), PROPERTY_CHARACTERS)
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
  identity: ReportIdentity
  /** Number of the drawing part, where the sheet has charts. */
  drawing: number
  first: boolean
  signal: AbortSignal
}

async function writeSheet(book: WorkbookPackage, plan: SheetPlan, context: SheetContext): Promise<void> {
  const widths = await measured(plan, context)
  const sheet = book.addWorksheet(plan.name, sheetOptions(plan, context)) as ExcelJS.Worksheet
  const rules = withBarIds(plan.rules ?? [], sheet.id)
  orderParts(sheet, { drawing: plan.charts?.length ? context.drawing : 0, extensions: dataBarsXml(rules) })
  sheet.columns = widths.map((width) => ({ width }))
  let cells = 0
  let number = 0
  for (const row of plan.rows(widths)) {
    writeRow(sheet, ++number, row)
    cells += row.cells.length
    if (cells < CELLS_A_TURN) continue
    cells = 0
    await drained(sheet)
    context.signal.throwIfAborted()
  }
  for (const merge of plan.merges ?? []) mergeWritten(sheet, merge)
  for (const row of plan.print.breaksAfter ?? []) breakAfter(sheet, row)
  for (const rule of rules) sheet.addConditionalFormatting(rule)
  for (const { address, rule } of plan.validations ?? []) validate(sheet, address, rule)
  for (const { name, address } of plan.names ?? [])
    book.definedNames.add(`${quoteSheetName(plan.name)}!${address}`, name)
  if (plan.filter !== undefined) sheet.autoFilter = plan.filter
  ;(sheet as unknown as { commit(): void }).commit()
  await nextTurn()
  context.signal.throwIfAborted()
}

async function measured(plan: SheetPlan, { signal }: SheetContext): Promise<readonly number[]> {
  const measure = plan.widths()
  let since = performance.now()
  for (let step = measure.next(); ; step = measure.next()) {
    if (step.done) return step.value
    if (performance.now() - since < TURN_MILLISECONDS) continue
    await nextTurn()
    signal.throwIfAborted()
    since = performance.now()
  }
}

/**
 * Waits until what was written is compressed. exceljs heeds no back pressure, so that a long sheet would stand in memory
 * whole; and it remembers each formula in case another cell shares it, which none of ours does.
 */
async function drained(sheet: ExcelJS.Worksheet): Promise<void> {
  const internals = sheet as unknown as SheetInternals
  internals._formulae = {}
  const patience = performance.now() + PATIENCE_MILLISECONDS
  do await nextTurn()
  while (waiting(internals.stream) > WAITING_BYTES && performance.now() < patience)
}

const waiting = ({ buffers, pipes }: SheetInternals['stream']): number =>
  pipes.reduce((bytes, pipe) => bytes + pipe._writableState.length, buffers.length * BUFFER_BYTES)

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

/** Ranges rather than cells: exceljs joins alike cells by their address as text, B10 before B8, and rules overlap then. */
function validate(sheet: ExcelJS.Worksheet, address: string, rule: ExcelJS.DataValidation): void {
  const { dataValidations } = sheet as unknown as {
    dataValidations: { add(address: string, rule: ExcelJS.DataValidation): void }
  }
  dataValidations.add(address.includes(':') ? address : `${address}:${address}`, rule)
}

/**
 * Excel wants the parts of a sheet in one order (ECMA-376 part 1, CT_Worksheet). exceljs' streaming sheet writes links
 * before conditional formats, which Excel takes for damage; and it knows neither drawings nor extensions.
 */
function orderParts(sheet: ExcelJS.Worksheet, { drawing, extensions }: { drawing: number; extensions: string }): void {
  const parts = sheet as unknown as SheetInternals
  const writeLinks = parts._writeHyperlinks.bind(sheet)
  const writeMargins = parts._writePageMargins.bind(sheet)
  parts._writeHyperlinks = () => {}
  parts._writePageMargins = () => {
    writeLinks()
    writeMargins()
  }
  parts._writeLegacyData = () => parts._write(`${drawing > 0 ? drawingXml(parts, drawing) : ''}${extensions}`)
}

function drawingXml({ _sheetRelsWriter }: SheetInternals, drawing: number): string {
  const id = _sheetRelsWriter.addRelationship({
    Type: 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/drawing',
    Target: `../drawings/drawing${drawing}.xml`,
  })
  return `<drawing r:id="${id}"/>`
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
      ...(from && { printArea: `A$${from}:${columnLetter(plan.columns)}$${plan.print.to}` }),
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
const footer = ({ footer }: ReportIdentity): string => `&L&8${marginText(footer, FOOTER_ENDS.length)}${FOOTER_ENDS}`
/** On sheets of several pages side by side, whose own heading would be cut at the first page's edge. */
const header = ({ footer }: ReportIdentity): string => `&L&"${FONT},Bold"&10&A&R&8${marginText(footer, 30)}`

/** `&` begins a code in headers and footers and is doubled; a cut must not part a pair, nor a figure follow a size. */
function marginText(text: string, reserved: number): string {
  let kept = ''
  for (const character of escapeXstring(oneLine(cleanText(text)))) {
    const next = character === '&' ? '&&' : character
    if (kept.length + next.length > MARGIN_CHARACTERS - reserved - 6) break
    kept += next
  }
  return /^\d/.test(kept) ? ` ${kept}` : kept
}
