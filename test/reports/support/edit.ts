import JSZip from 'jszip'
import { descendants, parseXml } from './parts.js'

/**
 * Changes named cells of `Inputs`, as a reader would: the value only, its look stays, and nothing is computed.
 * @param changes by defined name, such as `DiscountRate`
 */
export async function edited(bytes: Buffer, changes: Readonly<Record<string, number | string>>): Promise<Buffer> {
  const zip = await JSZip.loadAsync(bytes)
  const workbook = (await zip.file('xl/workbook.xml')?.async('string')) ?? ''
  const sheet = sheetNumber(workbook, 'Inputs')
  const path = `xl/worksheets/sheet${sheet}.xml`
  let xml = (await zip.file(path)?.async('string')) ?? ''
  for (const [name, value] of Object.entries(changes)) xml = withValue(xml, addressOf(workbook, name), value)
  zip.file(path, xml)
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' })
}

function sheetNumber(workbook: string, name: string): number {
  const sheets = [...descendants(parseXml(workbook), 'sheet')]
  return sheets.findIndex(({ attributes }) => attributes.name === name) + 1
}

/** Where a defined name points, such as `B17`. */
export function addressOf(workbook: string, name: string): string {
  const found = new RegExp(`<definedName name="${name}"[^>]*>[^<]*!\\$([A-Z]+)\\$(\\d+)</definedName>`).exec(workbook)
  if (!found) throw new Error(`no cell is called ${name}`)
  return `${found[1]}${found[2]}`
}

function withValue(xml: string, address: string, value: number | string): string {
  const cell = new RegExp(`<c r="${address}"( s="\\d+")?(?: t="\\w+")?>.*?</c>|<c r="${address}"( s="\\d+")?/>`)
  const found = cell.exec(xml)
  if (!found) throw new Error(`no cell at ${address}`)
  const style = found[1] ?? found[2] ?? ''
  const type = typeof value === 'string' ? ' t="str"' : ''
  return xml.replace(cell, `<c r="${address}"${style}${type}><v>${value}</v></c>`)
}
