import { Readable, type Writable } from 'node:stream'
import ExcelJS from 'exceljs'
import type { Chart } from '../layout/chart.js'
import { CHART_TYPE, chartXml, DRAWING_TYPE, drawingRelationships, drawingXml } from './chart-xml.js'
import { escapeXml } from './escape-xml.js'

/** The date of every part: the earliest a zip can tell, as usual where equal content shall give equal bytes. */
const PART_DATE = new Date(Date.UTC(1980, 0, 1))
const CONTENT_TYPES = '[Content_Types].xml'

/** What exceljs' streaming workbook leaves out of its types (4.4: lib/stream/xlsx/workbook-writer.js). */
interface WriterInternals {
  zip: {
    append(source: unknown, part: { name: string }): void
    on(event: 'error', heard: (error: Error) => void): void
  }
  addThemes(): Promise<void>
  addOfficeRels(): Promise<void>
  addMedia(): Promise<unknown>
  addSharedStrings(): Promise<void>
  sharedStrings: { values: readonly string[]; totalRefs: number }
}
const Writer = ExcelJS.stream.xlsx.WorkbookWriter as unknown as new (
  options: object,
) => ExcelJS.stream.xlsx.WorkbookWriter & WriterInternals

/**
 * exceljs' streaming workbook, with the charts it cannot write, and without what depends on the moment, so that equal
 * content gives equal bytes.
 */
export class WorkbookPackage extends Writer {
  /** The charts of each sheet that has any, in order; the sheets point to `drawing1.xml`, `drawing2.xml`, … */
  readonly drawings: (readonly Chart[])[] = []

  /** @param stream takes the archive as it is made; nothing of it is kept here */
  constructor(stream: Writable) {
    super({ stream, useStyles: true, useSharedStrings: true, zip: { zlib: { level: 6 } } })
    const append = this.zip.append.bind(this.zip)
    this.zip.append = (source, part) => append(this.#whole(source, part.name), { ...part, ...SETTLED })
    this.zip.on('error', (error) => stream.destroy(error))
    // First what tells programs that guess by the first bytes that this is an Office document.
    void super.addOfficeRels()
    void super.addThemes()
  }

  /** Called while the archive is not yet settled: done by our constructor. */
  override async addOfficeRels(): Promise<void> {}
  /** As `addOfficeRels`. */
  override async addThemes(): Promise<void> {}

  /** After the sheets, before the content types. */
  override async addMedia(): Promise<void> {
    for (const [name, { xml }] of this.#charts()) this.zip.append(xml, { name })
  }

  /** A few at a time: exceljs would hold them all as one text, and its pieces. */
  override async addSharedStrings(): Promise<void> {
    const { values, totalRefs } = this.sharedStrings
    if (values.length === 0) return
    this.zip.append(Readable.from(sharedStringsXml(values, totalRefs)), { name: 'xl/sharedStrings.xml' })
  }

  #whole(source: unknown, name: string): unknown {
    return name === CONTENT_TYPES ? withTypes(String(source), this.#charts()) : source
  }

  #charts(): Parts {
    const parts: Parts = new Map()
    let charts = 0
    for (const [index, drawn] of this.drawings.entries()) {
      addDrawing(parts, index + 1, charts + 1, drawn)
      charts += drawn.length
    }
    return parts
  }
}

const STRINGS_A_PIECE = 500
const SPREADSHEETML = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

function* sharedStringsXml(values: readonly string[], uses: number): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
  yield `<sst xmlns="${SPREADSHEETML}" count="${uses}" uniqueCount="${values.length}">`
  for (let at = 0; at < values.length; at += STRINGS_A_PIECE) {
    yield values
      .slice(at, at + STRINGS_A_PIECE)
      .map(sharedString)
      .join('')
  }
  yield '</sst>'
}

const sharedString = (text: string) => `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`

/** One date, and the permissions any file has. */
const SETTLED = { date: PART_DATE, mode: 0o644 }

type Parts = Map<string, { xml: string; type?: string }>

function addDrawing(parts: Parts, drawing: number, firstChart: number, charts: readonly Chart[]): void {
  parts.set(`xl/drawings/drawing${drawing}.xml`, { xml: drawingXml(charts), type: DRAWING_TYPE })
  parts.set(`xl/drawings/_rels/drawing${drawing}.xml.rels`, { xml: drawingRelationships(charts, firstChart) })
  for (const [index, chart] of charts.entries()) {
    parts.set(`xl/charts/chart${firstChart + index}.xml`, { xml: chartXml(chart), type: CHART_TYPE })
  }
}

function withTypes(types: string, parts: Parts): string {
  const overrides = [...parts]
    .filter(([, part]) => part.type !== undefined)
    .map(([name, part]) => `<Override PartName="/${name}" ContentType="${part.type}"/>`)
  return types.replace('</Types>', `${overrides.join('')}</Types>`)
}
