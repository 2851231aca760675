import JSZip from 'jszip'
import { descendants, parseXml } from './parts.js'

type Values = Readonly<Record<string, number | string>>

/**
 * Changes cells as a reader would: values only; styles stay and nothing is recalculated. An empty text clears a cell.
 * @param inputs cells of `Inputs` by defined name, such as `DiscountRate`
 * @param choices cells of `Choices` by address
 */
export async function editWorkbook(bytes: Buffer, inputs: Values, choices: Values = {}): Promise<Buffer> {
  const zip = await JSZip.loadAsync(bytes)
  const workbook = (await zip.file('xl/workbook.xml')?.async('string')) ?? ''
  const inputCells = Object.entries(inputs).map(([name, value]) => [addressOfName(workbook, name), value] as const)
  await setValues(zip, sheetNumber(workbook, 'Inputs'), inputCells)
  await setValues(zip, sheetNumber(workbook, 'Choices'), Object.entries(choices))
  // No value depends on rows and columns that every printed page repeats, and LibreOffice takes most of its time for them.
  zip.file('xl/workbook.xml', workbook.replaceAll(/<definedName name="_xlnm\.Print_Titles".*?<\/definedName>/g, ''))
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' })
}

async function setValues(zip: JSZip, sheet: number, values: readonly (readonly [string, number | string])[]) {
  const path = `xl/worksheets/sheet${sheet}.xml`
  const xml = (await zip.file(path)?.async('string')) ?? ''
  zip.file(
    path,
    values.reduce((changed, [address, value]) => withValue(changed, address, value), xml),
  )
}

function sheetNumber(workbook: string, name: string): number {
  const sheets = [...descendants(parseXml(workbook), 'sheet')]
  return sheets.findIndex(({ attributes }) => attributes.name === name) + 1
}

/** The address a defined name refers to, such as `B17`. */
function addressOfName(workbook: string, name: string): string {
  const found = new RegExp(`<definedName name="${name}"[^>]*>[^<]*!\\$([A-Z]+)\\$(\\d+)</definedName>`).exec(workbook)
  if (!found) throw new Error(`the workbook defines no name ${name}`)
  return `${found[1]}${found[2]}`
}

function withValue(xml: string, address: string, value: number | string): string {
  const cell = new RegExp(`<c r="${address}"( s="\\d+")?(?: t="\\w+")?>.*?</c>|<c r="${address}"( s="\\d+")?/>`)
  const found = cell.exec(xml)
  if (!found) throw new Error(`the sheet has no cell ${address}`)
  const style = found[1] ?? found[2] ?? ''
  if (value === '') return xml.replace(cell, `<c r="${address}"${style}/>`)
  const type = typeof value === 'string' ? ' t="str"' : ''
  return xml.replace(cell, `<c r="${address}"${style}${type}><v>${value}</v></c>`)
}
