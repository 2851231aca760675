import { Readable } from 'node:stream'
import JSZip from 'jszip'
import { CHART_TYPE, type Chart, chartXml, DRAWING_TYPE, drawingRelationships, drawingXml } from './charts.js'

/** The date of every part: the earliest a zip can tell, as usual where equal content shall give equal bytes. */
const PART_DATE = new Date(Date.UTC(1980, 0, 1))
const CONTENT_TYPES = '[Content_Types].xml'

/**
 * The last step of a workbook: adds the chart parts, which exceljs cannot write, and takes all that depends on the moment
 * and on the machine out of the archive, so that equal content gives equal bytes.
 * @param bytes the archive as exceljs wrote it; the sheets point to `drawing1.xml`, `drawing2.xml`, … already
 * @param drawings the charts of each sheet that has any, in order
 * @returns the archive, as it is made: another copy of a large one is never in memory
 */
export async function packWorkbook(bytes: Buffer, drawings: readonly (readonly Chart[])[]): Promise<Readable> {
  const zip = await JSZip.loadAsync(bytes)
  const parts = chartParts(drawings)
  for (const [name, part] of parts) zip.file(name, part.xml, { createFolders: false })
  const types = await zip.file(CONTENT_TYPES)?.async('string')
  if (types === undefined) throw new Error('the workbook has no content types')
  zip.file(CONTENT_TYPES, withTypes(types, parts))
  settle(zip)
  const archive = zip.generateNodeStream({ type: 'nodebuffer', compression: 'DEFLATE', platform: 'DOS' })
  return new Readable().wrap(archive)
}

type Parts = Map<string, { xml: string; type?: string }>

function chartParts(drawings: readonly (readonly Chart[])[]): Parts {
  const parts: Parts = new Map()
  let charts = 0
  for (const [index, drawn] of drawings.entries()) {
    addDrawing(parts, index + 1, charts + 1, drawn)
    charts += drawn.length
  }
  return parts
}

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

/** Content types first, as readers that look at the first bytes expect; then by name. One date, no permissions. */
function settle(zip: JSZip): void {
  const names = Object.keys(zip.files).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  const entries = names.map((name) => [name, Object.assign(zip.files[name] as JSZip.JSZipObject, ENTRY)] as const)
  zip.files = Object.fromEntries(entries)
}
const ENTRY = { date: PART_DATE, unixPermissions: null, dosPermissions: null, comment: '' }
const rank = (name: string) => (name === CONTENT_TYPES ? 0 : name === '_rels/.rels' ? 1 : 2)
