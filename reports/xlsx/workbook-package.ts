import { Readable, type Writable } from 'node:stream'
import ExcelJS from 'exceljs'
import { escapeMarkup } from '../../src/presentation/markup.js'

/** Date and permissions of every part, so that equal content gives equal bytes: the earliest date a zip file can store. */
const PART_METADATA = { date: new Date(Date.UTC(1980, 0, 1)), mode: 0o644 }

/** The members of exceljs' streaming workbook that its types omit (4.4: lib/stream/xlsx/workbook-writer.js). */
interface WriterInternals {
  zip: {
    append(source: unknown, part: { name: string }): void
    on(event: 'error', listener: (error: Error) => void): void
  }
  addThemes(): Promise<void>
  addOfficeRels(): Promise<void>
  addSharedStrings(): Promise<void>
  sharedStrings: { values: readonly string[]; totalRefs: number }
}
const Writer = ExcelJS.stream.xlsx.WorkbookWriter as unknown as new (
  options: object,
) => ExcelJS.stream.xlsx.WorkbookWriter & WriterInternals

/**
 * exceljs' streaming workbook, extended to omit timestamps, so that equal content gives equal bytes.
 */
export class WorkbookPackage extends Writer {
  /** @param stream receives the archive while it is made */
  constructor(stream: Writable) {
    super({ stream, useStyles: true, useSharedStrings: true, zip: { zlib: { level: 6 } } })
    const append = this.zip.append.bind(this.zip)
    this.zip.append = (source, part) => append(source, { ...part, ...PART_METADATA })
    this.zip.on('error', (error) => stream.destroy(error))
    // Written first, so that programs that check the first bytes recognize an Office document.
    void super.addOfficeRels()
    void super.addThemes()
  }

  /** Called by exceljs; the constructor has already done it. */
  override async addOfficeRels(): Promise<void> {}
  /** As `addOfficeRels`. */
  override async addThemes(): Promise<void> {}

  /** Writes the strings in pieces: exceljs would hold all of them in memory as one text. */
  override async addSharedStrings(): Promise<void> {
    const { values, totalRefs } = this.sharedStrings
    if (values.length === 0) return
    this.zip.append(Readable.from(sharedStringsXml(values, totalRefs)), { name: 'xl/sharedStrings.xml' })
  }
}

const STRINGS_PER_CHUNK = 500
const SPREADSHEETML = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

function* sharedStringsXml(values: readonly string[], uses: number): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
  yield `<sst xmlns="${SPREADSHEETML}" count="${uses}" uniqueCount="${values.length}">`
  for (let at = 0; at < values.length; at += STRINGS_PER_CHUNK) {
    const texts = values.slice(at, at + STRINGS_PER_CHUNK).map(escapeMarkup)
    yield texts.map((text) => `<si><t xml:space="preserve">${text}</t></si>`).join('')
  }
  yield '</sst>'
}
