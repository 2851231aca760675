import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import ExcelJS from 'exceljs'
import { cleanLine } from '../../src/core/text/clean-text.js'
import { escapeXstring } from './cells.js'
import { Sheet, type SheetOptions } from './sheet.js'

const MAX_PROPERTY_CHARACTERS = 255
/** Excel's limit for a header or footer, each `&` counted twice. */
const MAX_FOOTER_CHARACTERS = 255
const FOOTER_END = '&R&8&A · page &P of &N'
/** The time of each part within the file, so that equal content gives equal bytes: the first that a zip file can store. */
const ZIP_TIME = 0x00210000

/** What identifies a report in its title, document properties and page footers. Text from outside, not yet cleaned. */
export interface ReportIdentity {
  title: string
  subject: string
  /** Left part of the footer, such as `RFQ 42 · as of 2026-01-31 12:00 UTC`. */
  footer: string
  /** Also the creation date of the document. */
  asOf: Date
}

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

/** Adds a sheet to a workbook and writes it. */
type AddSheet = (options: SheetOptions) => Sheet
export type WriteSheet = (add: AddSheet) => void

/**
 * Writes a workbook. Equal sheets give equal bytes.
 * @param sheets by name, in order; names must be valid in Excel
 * @returns the bytes of an .xlsx file
 * @throws the reason of `options.signal`, if it is aborted between two sheets
 */
export async function buildWorkbook(
  sheets: Readonly<Record<string, WriteSheet>>,
  identity: ReportIdentity,
  options: BuildOptions = {},
): Promise<Buffer> {
  const workbook = withIdentity(new ExcelJS.Workbook(), identity)
  await writeSheets(workbook, sheets, identity, options)
  return withoutTimes(Buffer.from(await workbook.xlsx.writeBuffer()))
}

/** As `buildWorkbook`, for sheets of any length, because rows are written at once; their tables only have filters. */
export async function streamWorkbook(
  sheets: Readonly<Record<string, WriteSheet>>,
  identity: ReportIdentity,
  options: BuildOptions = {},
): Promise<Buffer> {
  const stream = new PassThrough()
  const bytes = buffer(stream)
  const writer = new ExcelJS.stream.xlsx.WorkbookWriter({ stream, useStyles: true, useSharedStrings: true })
  const workbook = withIdentity(writer, identity)
  await writeSheets(workbook, sheets, identity, options)
  await workbook.commit()
  return withoutTimes(await bytes)
}

function withIdentity<W extends ExcelJS.Workbook>(workbook: W, { title, subject, asOf }: ReportIdentity): W {
  const property = (text: string) => cleanLine(text, MAX_PROPERTY_CHARACTERS)
  return Object.assign(workbook, {
    ...{ creator: 'Quotekeeper', lastModifiedBy: 'Quotekeeper', created: asOf, modified: asOf },
    ...{ title: property(title), subject: property(subject) },
  })
}

async function writeSheets(
  workbook: ExcelJS.Workbook,
  sheets: Readonly<Record<string, WriteSheet>>,
  { footer }: ReportIdentity,
  { onProgress, signal }: BuildOptions,
): Promise<void> {
  const entries = Object.entries(sheets)
  const oddFooter = `&L&8${footerText(footer, FOOTER_END.length)}${FOOTER_END}`
  for (const [index, [name, write]] of entries.entries()) {
    signal?.throwIfAborted()
    let sheet: Sheet | undefined
    write((options) => (sheet = new Sheet(workbook, name, { ...options, oddFooter })))
    sheet?.end()
    onProgress?.({ sheet: name, done: index + 1, total: entries.length })
    // Signals are handled, and what is written is compressed, between two sheets.
    await new Promise(setImmediate)
  }
  signal?.throwIfAborted()
}

/**
 * Text of a footer. `&` starts a code there, so it is doubled. The cut must not split such a pair, and a digit must not
 * follow a font size directly.
 */
function footerText(text: string, reserved: number): string {
  let kept = ''
  for (const character of escapeXstring(cleanLine(text))) {
    const next = character === '&' ? '&&' : character
    if (kept.length + next.length > MAX_FOOTER_CHARACTERS - reserved - 6) break
    kept += next
  }
  return /^\d/.test(kept) ? ` ${kept}` : kept
}

/** Replaces the times of all entries of a zip file (APPNOTE.TXT, 4.3.7 and 4.3.12), in place. */
function withoutTimes(zip: Buffer): Buffer {
  const end = zip.length - 22
  let entry = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    zip.writeUInt32LE(ZIP_TIME, entry + 12)
    zip.writeUInt32LE(ZIP_TIME, zip.readUInt32LE(entry + 42) + 10)
    entry += 46 + zip.readUInt16LE(entry + 28) + zip.readUInt16LE(entry + 30) + zip.readUInt16LE(entry + 32)
  }
  return zip
}
