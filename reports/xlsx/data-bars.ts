import type ExcelJS from 'exceljs'

type Rules = ExcelJS.ConditionalFormattingOptions
/** A data bar rule with the id of its extension, which exceljs' types omit. */
type BarRule = ExcelJS.DataBarRuleType & { x14Id?: string }

const X14_NAMESPACE = 'http://schemas.microsoft.com/office/spreadsheetml/2009/9/main'
const XM_NAMESPACE = 'http://schemas.microsoft.com/office/excel/2006/main'
/** Identifies the extension for conditional formats (MS-XLSX, 2.2.4.3). */
const EXTENSION_ID = '{78C0D931-6437-407d-A8EE-F0AAD7539E65}'

/**
 * The rules of a sheet, each data bar with an id for its extension, which exceljs' streaming writer does not write.
 * @param sheet number of the sheet; makes the ids unique within the workbook
 */
export function withBarIds(rules: readonly Rules[], sheet: number): Rules[] {
  let bars = 0
  return rules.map(({ ref, rules }) => ({
    ref,
    rules: rules.map((rule) => (isBar(rule) ? { ...rule, x14Id: barId(sheet, ++bars) } : rule)),
  }))
}

/**
 * The extension that makes Excel 2010 and later draw bars in one colour and with no bar for the minimum. Without it the
 * smallest bar fills a tenth of its cell (MS-XLSX, 2.6.30 CT_DataBar).
 * @param rules from `withBarIds`
 * @returns the extension list of the sheet; empty if it has no bars
 */
export function dataBarsXml(rules: readonly Rules[]): string {
  const bars = rules.flatMap(({ ref, rules }) => rules.filter(isBar).map((rule) => barXml(ref, rule)))
  if (bars.length === 0) return ''
  const formats = `<x14:conditionalFormattings>${bars.join('')}</x14:conditionalFormattings>`
  return `<extLst><ext uri="${EXTENSION_ID}" xmlns:x14="${X14_NAMESPACE}">${formats}</ext></extLst>`
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

const isBar = (rule: ExcelJS.ConditionalFormattingRule): rule is BarRule => rule.type === 'dataBar'
const barId = (sheet: number, bar: number): string =>
  `{00000000-0000-4000-8000-${[sheet, bar].map((part) => part.toString(16).toUpperCase().padStart(6, '0')).join('')}}`
