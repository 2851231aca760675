import { PassThrough } from 'node:stream'
import type ExcelJS from 'exceljs'
import { cleanText, oneLine, truncate } from '../../src/core/text/clean-text.js'
import type { ReportIdentity, SheetFactory } from '../layout/sheet-plan.js'
import { FONT, FONT_POINTS } from './cell-styles.js'
import { writeSheet } from './sheet-writer.js'
import type { WorkbookPackage } from './workbook-package.js'

const MAX_PROPERTY_CHARACTERS = 255
/** The order in which Excel writes font elements. exceljs uses a different order, which strict readers reject. */
const FONT_ELEMENT_ORDER = 'b i strike condense extend outline shadow u vertAlign sz color name family charset scheme'

export interface BuildProgress {
  /** The sheet just written. */
  sheet: string
  done: number
  total: number
}
export interface BuildOptions {
  onProgress?: (progress: BuildProgress) => void
  signal?: AbortSignal
}

interface StyleInternals {
  _addFont(font: Partial<ExcelJS.Font>): number
  /** Writers of font elements, in the order in which they are written. */
  map: { font: { map: Record<string, unknown> } }
}

/**
 * Writes a workbook row by row while it is read, so that neither a whole sheet nor the whole file is held in memory.
 * Equal plans give equal bytes.
 * @param sheets in order; their names must be valid in Excel and unique
 * @returns the bytes of an .xlsx file; the stream fails if writing fails or `signal` is aborted
 */
export function streamWorkbook(sheets: readonly SheetFactory[], identity: ReportIdentity, options: BuildOptions = {}) {
  const output = new PassThrough()
  writeSheets(output, { sheets, identity, options }).catch((error: Error) => output.destroy(error))
  return output
}

async function writeSheets(
  output: PassThrough,
  { sheets, identity, options }: { sheets: readonly SheetFactory[]; identity: ReportIdentity; options: BuildOptions },
): Promise<void> {
  const signal = abortedWhenClosed(output, options.signal)
  const workbook = await createWorkbook(output, identity)
  for (const [index, makeSheet] of sheets.entries()) {
    const plan = makeSheet()
    await writeSheet(workbook, plan, { identity, first: index === 0, signal })
    options.onProgress?.({ sheet: plan.name, done: index + 1, total: sheets.length })
  }
  await workbook.commit()
}

/** Also aborted when the output stream closes, for example because the disk is full. */
function abortedWhenClosed(output: PassThrough, signal: AbortSignal | undefined): AbortSignal {
  const closed = new AbortController()
  output.once('close', () => closed.abort(new Error('The output stream was closed before the workbook was written.')))
  return signal ? AbortSignal.any([signal, closed.signal]) : closed.signal
}

async function createWorkbook(stream: PassThrough, identity: ReportIdentity): Promise<WorkbookPackage> {
  // exceljs consists of hundreds of modules, which the other formats do not need.
  const { WorkbookPackage } = await import('./workbook-package.js')
  const workbook = new WorkbookPackage(stream)
  // Column widths are measured in font 0. exceljs' default is Calibri, which not every machine has.
  const { styles } = workbook as unknown as { styles: StyleInternals }
  styles.map.font.map = Object.fromEntries(FONT_ELEMENT_ORDER.split(' ').map((tag) => [tag, styles.map.font.map[tag]]))
  styles._addFont({ name: FONT, size: FONT_POINTS, family: 2, color: { theme: 1 } })
  const property = (text: string) => truncate(oneLine(cleanText(text)), MAX_PROPERTY_CHARACTERS)
  Object.assign(workbook, {
    creator: 'Quotekeeper',
    lastModifiedBy: 'Quotekeeper',
    created: identity.asOf,
    modified: identity.asOf,
    title: property(identity.title),
    subject: property(identity.subject),
    views: [{ x: 0, y: 0, width: 28_000, height: 17_000, firstSheet: 0, activeTab: 0, visibility: 'visible' }],
  })
  return workbook
}
