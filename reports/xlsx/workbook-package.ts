import { Readable, type Writable } from 'node:stream'
import ExcelJS from 'exceljs'
import { escapeMarkup } from '../../src/presentation/markup.js'
import type { SheetChart } from '../layout/sheet-chart.js'
import { CHART_TYPE, chartXml, DRAWING_TYPE, drawingRelationships, drawingXml } from './chart-xml.js'

/** Date and permissions of every part, so that equal content gives equal bytes: the earliest date a zip file can store. */
const PART_METADATA = { date: new Date(Date.UTC(1980, 0, 1)), mode: 0o644 }
const CONTENT_TYPES = '[Content_Types].xml'

/** The members of exceljs' streaming workbook that its types omit (4.4: lib/stream/xlsx/workbook-writer.js). */
interface WriterInternals {
  zip: {
    append(source: unknown, part: { name: string }): void
    on(event: 'error', listener: (error: Error) => void): void
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
 * exceljs' streaming workbook, extended to write charts and to omit timestamps, so that equal content gives equal bytes.
 */
export class WorkbookPackage extends Writer {
  /** The charts of each sheet that has charts, in order; they become `drawing1.xml`, `drawing2.xml`, … */
  readonly drawings: (readonly SheetChart[])[] = []

  /** @param stream receives the archive while it is made */
  constructor(stream: Writable) {
    super({ stream, useStyles: true, useSharedStrings: true, zip: { zlib: { level: 6 } } })
    const append = this.zip.append.bind(this.zip)
    this.zip.append = (source, part) => {
      const whole = part.name === CONTENT_TYPES ? addContentTypes(String(source), this.#chartParts()) : source
      append(whole, { ...part, ...PART_METADATA })
    }
    this.zip.on('error', (error) => stream.destroy(error))
    // Written first, so that programs that check the first bytes recognize an Office document.
    void super.addOfficeRels()
    void super.addThemes()
  }

  /** Called by exceljs; the constructor has already done it. */
  override async addOfficeRels(): Promise<void> {}
  /** As `addOfficeRels`. */
  override async addThemes(): Promise<void> {}

  /** Called after the sheets and before the content types; adds the charts. */
  override async addMedia(): Promise<void> {
    for (const [name, { xml }] of this.#chartParts()) this.zip.append(xml, { name })
  }

  /** Writes the strings in pieces: exceljs would hold all of them in memory as one text. */
  override async addSharedStrings(): Promise<void> {
    const { values, totalRefs } = this.sharedStrings
    if (values.length === 0) return
    this.zip.append(Readable.from(sharedStringsXml(values, totalRefs)), { name: 'xl/sharedStrings.xml' })
  }

  #chartParts(): Parts {
    const parts: Parts = new Map()
    let chartCount = 0
    for (const [index, charts] of this.drawings.entries()) {
      addDrawing(parts, index + 1, chartCount + 1, charts)
      chartCount += charts.length
    }
    return parts
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

type Parts = Map<string, { xml: string; type?: string }>

function addDrawing(parts: Parts, drawing: number, firstChart: number, charts: readonly SheetChart[]): void {
  parts.set(`xl/drawings/drawing${drawing}.xml`, { xml: drawingXml(charts), type: DRAWING_TYPE })
  parts.set(`xl/drawings/_rels/drawing${drawing}.xml.rels`, { xml: drawingRelationships(charts, firstChart) })
  for (const [index, chart] of charts.entries()) {
    parts.set(`xl/charts/chart${firstChart + index}.xml`, { xml: chartXml(chart), type: CHART_TYPE })
  }
}

function addContentTypes(types: string, parts: Parts): string {
  const overrides = [...parts]
    .filter(([, part]) => part.type !== undefined)
    .map(([name, part]) => `<Override PartName="/${name}" ContentType="${part.type}"/>`)
  return types.replace('</Types>', `${overrides.join('')}</Types>`)
}
