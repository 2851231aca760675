import { setImmediate as nextTurn } from 'node:timers/promises'
import type ExcelJS from 'exceljs'
import { palette } from '../../src/presentation/palette.js'
import { columnLetter } from '../layout/grid.js'
import { conditionFormula, type Mark } from '../layout/marks.js'
import { fittedHeight } from '../layout/rows.js'
import type { ReportIdentity, RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { highlights } from './cell-styles.js'
import { type Cell, escapeXstring } from './cells.js'
import { pagesWide, printArea, worksheetOptions } from './page-setup.js'
import type { WorkbookPackage } from './workbook-package.js'

/** Work done between two turns of the event loop, so that locks are renewed and signals handled during a long sheet. */
const CELLS_PER_TURN = 4_000
const TURN_MILLISECONDS = 20
/** Uncompressed bytes that may wait for the compressor. */
const MAX_PENDING_BYTES = 1 << 20
/** exceljs collects its output in buffers of this size. */
const BUFFER_BYTES = 1 << 16
/** The compressor runs on another thread. If it ever hangs, the sheet is written to memory after this time. */
const MAX_DRAIN_MILLISECONDS = 10_000

/** The members of exceljs' streaming sheet that its types omit (4.4: lib/stream/xlsx/worksheet-writer.js). */
interface SheetInternals {
  _writeHyperlinks(): void
  _writePageMargins(): void
  _writeLegacyData(): void
  _write(xml: string): void
  _formulae: object
  /** The pipes come from a version of `readable-stream` without `writableLength`. */
  stream: { buffers: unknown[]; pipes: { _writableState: { length: number } }[] }
  _merges: string[]
  rowBreaks: { id: number; max: number; man: number }[]
  commit(): void
}

const internalsOf = (sheet: ExcelJS.Worksheet) => sheet as unknown as SheetInternals

interface SheetContext {
  identity: ReportIdentity
  first: boolean
  signal: AbortSignal
}

/** Writes one sheet row by row, regularly yielding to the event loop. */
export async function writeSheet(workbook: WorkbookPackage, plan: SheetPlan, context: SheetContext): Promise<void> {
  const widths = await measureWidths(plan, context.signal)
  const pages = pagesWide(plan, widths)
  const sheet = workbook.addWorksheet(plan.name, worksheetOptions(plan, context, pages)) as ExcelJS.Worksheet
  const formats = conditionalFormats(plan.marks ?? [], sheet.id)
  reorderElements(sheet, dataBarsXml(formats))
  sheet.columns = widths.map((width) => ({ width }))
  let cells = 0
  let number = 0
  for (const row of plan.rows()) {
    writeRow(sheet, ++number, row, widths)
    cells += row.cells.length
    if (cells < CELLS_PER_TURN) continue
    cells = 0
    await drain(sheet)
    context.signal.throwIfAborted()
  }
  const lastPrinted = plan.print?.lastRow ?? Math.max(1, number)
  const isPart = pages > 1 || plan.print?.columns || lastPrinted < number
  if (isPart) sheet.pageSetup.printArea = printArea(plan, pages, lastPrinted)
  for (const format of formats) sheet.addConditionalFormatting(format)
  if (plan.filter !== undefined) sheet.autoFilter = plan.filter
  internalsOf(sheet).commit()
  await nextTurn()
  context.signal.throwIfAborted()
}

async function measureWidths(plan: SheetPlan, signal: AbortSignal): Promise<readonly number[]> {
  const steps = plan.widths()
  let turnStart = performance.now()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    if (performance.now() - turnStart < TURN_MILLISECONDS) continue
    await nextTurn()
    signal.throwIfAborted()
    turnStart = performance.now()
  }
}

/**
 * Waits until the written rows are compressed. exceljs ignores back-pressure, so without this a long sheet would be held in
 * memory. It also keeps every formula in case another cell shares it; in our sheets, cells share no formulas.
 */
async function drain(sheet: ExcelJS.Worksheet): Promise<void> {
  const internals = internalsOf(sheet)
  internals._formulae = {}
  const deadline = performance.now() + MAX_DRAIN_MILLISECONDS
  do await nextTurn()
  while (pendingBytes(internals.stream) > MAX_PENDING_BYTES && performance.now() < deadline)
}

const pendingBytes = ({ buffers, pipes }: SheetInternals['stream']): number =>
  pipes.reduce((bytes, pipe) => bytes + pipe._writableState.length, buffers.length * BUFFER_BYTES)

function writeRow(sheet: ExcelJS.Worksheet, number: number, plan: RowPlan, widths: readonly number[]): void {
  const row = sheet.getRow(number)
  plan.cells.forEach((cell, index) => {
    if (cell === undefined) return
    const target = row.getCell(index + 1)
    target.value = excelValue(cell)
    target.style = cell.style as Partial<ExcelJS.Style>
  })
  row.height = plan.height ?? fittedHeight(plan, widths)
  // The streaming sheet cannot merge rows it has already written; recording the range is enough.
  for (const columns of plan.merged ?? [])
    internalsOf(sheet)._merges.push(columns.map((column) => `${columnLetter(column + 1)}${number}`).join(':'))
  if (plan.newPage) internalsOf(sheet).rowBreaks.push({ id: number - 1, max: 16_383, man: 1 })
  row.commit()
}

function excelValue({ value, formula, link }: Cell): ExcelJS.CellValue {
  const content = typeof value === 'string' ? escapeXstring(value) : value
  if (link !== undefined) return { text: String(content), hyperlink: link }
  return formula === undefined ? content : ({ formula, result: content } as ExcelJS.CellValue)
}

/**
 * Excel requires the elements of a sheet in one order (ECMA-376 part 1, CT_Worksheet). exceljs' streaming sheet writes
 * hyperlinks before conditional formats, which Excel reports as damage, and does not support extensions.
 */
function reorderElements(sheet: ExcelJS.Worksheet, extensions: string): void {
  const internals = internalsOf(sheet)
  const writeHyperlinks = internals._writeHyperlinks.bind(sheet)
  const writePageMargins = internals._writePageMargins.bind(sheet)
  internals._writeHyperlinks = () => {}
  internals._writePageMargins = () => {
    writeHyperlinks()
    writePageMargins()
  }
  internals._writeLegacyData = () => internals._write(extensions)
}

/** A data bar rule with the id of its extension, which exceljs' types omit. */
type BarRule = ExcelJS.DataBarRuleType & { x14Id: string }
type Rule = ExcelJS.ExpressionRuleType | BarRule

const X14_NAMESPACE = 'http://schemas.microsoft.com/office/spreadsheetml/2009/9/main'
const XM_NAMESPACE = 'http://schemas.microsoft.com/office/excel/2006/main'
/** Identifies the extension for conditional formats (MS-XLSX, 2.2.4.3). */
const EXTENSION_ID = '{78C0D931-6437-407d-A8EE-F0AAD7539E65}'

/**
 * The marks of a sheet as conditional formats; earlier marks take priority.
 * @param sheet number of the sheet; makes the ids of data bars unique within the workbook
 */
export const conditionalFormats = (marks: readonly Mark[], sheet: number) =>
  marks.map((mark, index) => ({ ref: mark.range, rules: [ruleOf(mark, index + 1, sheet)] as [Rule] }))

function ruleOf(mark: Mark, priority: number, sheet: number): Rule {
  if ('highlight' in mark) {
    const formulae = [conditionFormula(mark.when, mark.range)]
    return { type: 'expression', priority, formulae, style: highlights[mark.highlight] }
  }
  const cfvo = [0, mark.bar].map((value) => ({ type: 'num', value }))
  return { type: 'dataBar', priority, cfvo, color: { argb: palette.bar }, x14Id: barId(sheet, priority) } as BarRule
}

const barId = (...numbers: [sheet: number, rule: number]): string =>
  `{00000000-0000-4000-8000-${numbers.map((part) => part.toString(16).toUpperCase().padStart(6, '0')).join('')}}`

/**
 * The extension that makes Excel 2010 and later draw bars in one colour and with no bar for the minimum. Without it the
 * smallest bar fills a tenth of its cell (MS-XLSX, 2.6.30 CT_DataBar). exceljs' streaming writer does not write it.
 * @returns the extension list of the sheet; empty if it has no bars
 */
export function dataBarsXml(formats: ReturnType<typeof conditionalFormats>): string {
  const bars = formats.flatMap(({ ref, rules: [rule] }) => (rule.type === 'dataBar' ? [barXml(ref, rule)] : []))
  if (bars.length === 0) return ''
  const xml = `<x14:conditionalFormattings>${bars.join('')}</x14:conditionalFormattings>`
  return `<extLst><ext uri="${EXTENSION_ID}" xmlns:x14="${X14_NAMESPACE}">${xml}</ext></extLst>`
}

function barXml(ref: string, { x14Id, cfvo = [] }: BarRule): string {
  const bounds = cfvo.map(({ type, value }) => `<x14:cfvo type="${type}"><xm:f>${value}</xm:f></x14:cfvo>`)
  return (
    `<x14:conditionalFormatting xmlns:xm="${XM_NAMESPACE}"><x14:cfRule type="dataBar" id="${x14Id}">` +
    `<x14:dataBar minLength="0" maxLength="100" gradient="0">${bounds.join('')}` +
    '<x14:negativeFillColor rgb="FFFF0000"/><x14:axisColor rgb="FF000000"/></x14:dataBar></x14:cfRule>' +
    `<xm:sqref>${ref}</xm:sqref></x14:conditionalFormatting>`
  )
}
