import type ExcelJS from 'exceljs'
import { palette } from '../../src/presentation/palette.js'
import { conditionFormula, type Mark } from '../layout/marks.js'
import { highlights } from './cell-styles.js'

/** A data bar rule with the id of its extension, which exceljs' types omit. */
type BarRule = ExcelJS.DataBarRuleType & { x14Id: string }
type Rule = ExcelJS.ExpressionRuleType | BarRule

const X14_NAMESPACE = 'http://schemas.microsoft.com/office/spreadsheetml/2009/9/main'
const XM_NAMESPACE = 'http://schemas.microsoft.com/office/excel/2006/main'
/** Identifies the extension for conditional formats (MS-XLSX, 2.2.4.3). */
const EXTENSION_ID = '{78C0D931-6437-407d-A8EE-F0AAD7539E65}'

/**
 * The marks of a sheet as conditional formats; earlier marks take priority.
 * @param sheet number of the sheet; makes the ids of data bars unique within the workbook
 */
export const conditionalFormats = (marks: readonly Mark[], sheet: number) =>
  marks.map((mark, index) => ({ ref: mark.range, rules: [ruleOf(mark, index + 1, sheet)] as [Rule] }))

function ruleOf(mark: Mark, priority: number, sheet: number): Rule {
  if ('highlight' in mark) {
    const formulae = [conditionFormula(mark.when, mark.range)]
    return { type: 'expression', priority, formulae, style: highlights[mark.highlight] }
  }
  const cfvo = [0, mark.bar].map((value) => ({ type: 'num', value }))
  return { type: 'dataBar', priority, cfvo, color: { argb: palette.bar }, x14Id: barId(sheet, priority) } as BarRule
}

const barId = (...numbers: [sheet: number, rule: number]): string =>
  `{00000000-0000-4000-8000-${numbers.map((part) => part.toString(16).toUpperCase().padStart(6, '0')).join('')}}`

/**
 * The extension that makes Excel 2010 and later draw bars in one colour and with no bar for the minimum. Without it the
 * smallest bar fills a tenth of its cell (MS-XLSX, 2.6.30 CT_DataBar). exceljs' streaming writer does not write it.
 * @returns the extension list of the sheet; empty if it has no bars
 */
export function dataBarsXml(formats: ReturnType<typeof conditionalFormats>): string {
  const bars = formats.flatMap(({ ref, rules: [rule] }) => (rule.type === 'dataBar' ? [barXml(ref, rule)] : []))
  if (bars.length === 0) return ''
  const xml = `<x14:conditionalFormattings>${bars.join('')}</x14:conditionalFormattings>`
  return `<extLst><ext uri="${EXTENSION_ID}" xmlns:x14="${X14_NAMESPACE}">${xml}</ext></extLst>`
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
