import type ExcelJS from 'exceljs'

type Rules = ExcelJS.ConditionalFormattingOptions
/** A rule that draws bars, and what ties it to its extension, which exceljs' types leave out. */
type BarRule = ExcelJS.DataBarRuleType & { x14Id?: string }

const X14 = 'http://schemas.microsoft.com/office/spreadsheetml/2009/9/main'
const XM = 'http://schemas.microsoft.com/office/excel/2006/main'
/** Marks the extension of conditional formats (MS-XLSX, 2.2.4.3). */
const EXTENSION = '{78C0D931-6437-407d-A8EE-F0AAD7539E65}'

/**
 * The rules of a sheet, each data bar with an identifier of its own. exceljs lets a bar point to an extension, and its
 * streaming sheet writes none.
 * @param sheet number of the sheet, so that no two bars of a workbook are called alike
 */
export function withBarIds(rules: readonly Rules[], sheet: number): Rules[] {
  let bars = 0
  return rules.map(({ ref, rules }) => ({
    ref,
    rules: rules.map((rule) => (isBar(rule) ? { ...rule, x14Id: barId(sheet, ++bars) } : rule)),
  }))
}

/**
 * How Excel 2010 and later draw the bars: in one colour, and none at all for the least value. Without it the smallest
 * bar fills a tenth of its cell (MS-XLSX, 2.6.30 CT_DataBar).
 * @param rules as `namedBars` gives them
 * @returns the extension list of the sheet; empty where it has no bars
 */
export function dataBarsXml(rules: readonly Rules[]): string {
  const bars = rules.flatMap(({ ref, rules }) => rules.filter(isBar).map((rule) => barXml(ref, rule)))
  if (bars.length === 0) return ''
  const formats = `<x14:conditionalFormattings>${bars.join('')}</x14:conditionalFormattings>`
  return `<extLst><ext uri="${EXTENSION}" xmlns:x14="${X14}">${formats}</ext></extLst>`
}

function barXml(ref: string, { x14Id, cfvo = [] }: BarRule): string {
  const ends = cfvo.map(({ type, value }) => `<x14:cfvo type="${type}"><xm:f>${value}</xm:f></x14:cfvo>`)
  return (
    `<x14:conditionalFormatting xmlns:xm="${XM}"><x14:cfRule type="dataBar" id="${x14Id}">` +
    `<x14:dataBar minLength="0" maxLength="100" gradient="0">${ends.join('')}` +
    '<x14:negativeFillColor rgb="FFFF0000"/><x14:axisColor rgb="FF000000"/></x14:dataBar></x14:cfRule>' +
    `<xm:sqref>${ref}</xm:sqref></x14:conditionalFormatting>`
  )
}

const isBar = (rule: ExcelJS.ConditionalFormattingRule): rule is BarRule => rule.type === 'dataBar'
const barId = (sheet: number, bar: number): string =>
  `{00000000-0000-4000-8000-${[sheet, bar].map((part) => part.toString(16).toUpperCase().padStart(6, '0')).join('')}}`
