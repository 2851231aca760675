import type ExcelJS from 'exceljs'
import { cleanText, oneLine } from '../../src/core/text/clean-text.js'
import { palette } from '../../src/presentation/palette.js'
import { columnIndex, columnLetter } from '../layout/grid.js'
import type { ReportIdentity, SheetPlan } from '../layout/sheet-plan.js'
import { ROW_POINTS } from '../layout/text-metrics.js'
import { FONT } from './cell-styles.js'
import { escapeXstring } from './cells.js'

const A4 = 9
/** Excel's limit for a header or footer, each `&` counted twice. */
const MAX_HEADER_FOOTER_CHARACTERS = 255
const FOOTER_END = '&R&8&A · page &P of &N'

/** View, page setup, header and footer of a sheet. */
export function worksheetOptions(
  plan: SheetPlan,
  { identity, first }: { identity: ReportIdentity; first: boolean },
  pagesWide: number,
): Partial<ExcelJS.AddWorksheetOptions> {
  const { titleRows, titleColumns } = plan.print ?? {}
  const wideFrom = pagesWide > 1 ? plan.print?.firstRowIfWide : undefined
  return {
    properties: { defaultRowHeight: ROW_POINTS, tabColor: { argb: palette.head } } as never,
    views: [sheetView(plan, first)],
    headerFooter: { oddFooter: pageFooter(identity), ...(wideFrom && { oddHeader: pageHeader(identity) }) },
    pageSetup: {
      orientation: 'landscape',
      paperSize: A4,
      fitToPage: true,
      fitToWidth: pagesWide,
      fitToHeight: plan.print?.onePage ? 1 : 0,
      margins: { left: 0.4, right: 0.4, top: wideFrom ? 0.75 : 0.5, bottom: 0.6, header: 0.3, footer: 0.3 },
      ...(titleRows && { printTitlesRow: `${titleRows[0]}:${titleRows[1]}` }),
      ...(titleColumns !== undefined && { printTitlesColumn: titleColumns }),
    },
  }
}

/** Column units and points between the margins of A4 landscape. */
export const PAGE_UNITS = 149
export const PAGE_POINTS = 515
/** Smaller text would not be legible on paper. */
export const MIN_SCALE = 0.58

/** How many pages side by side a sheet needs so that it stays legible; each repeats the title columns. */
export function pagesWide(plan: SheetPlan, widths: readonly number[]): number {
  if (plan.print?.onePage) return 1
  const printed = widths.slice(0, plan.print?.columns)
  const sum = (columns: readonly number[]) => columns.reduce((total, width) => total + width, 0)
  const repeated = /^A:([A-Z]+)$/.exec(plan.print?.titleColumns ?? '')?.[1]
  const titles = repeated === undefined ? 0 : sum(printed.slice(0, columnIndex(repeated) + 1))
  const page = PAGE_UNITS / MIN_SCALE
  return 1 + Math.max(0, Math.ceil((sum(printed) - page) / Math.max(page / 4, page - titles)))
}

/** The print area of a sheet: without the rows for the screen. */
export function printArea({ print, columns }: SheetPlan, pagesWide: number, lastRow: number): string {
  const from = pagesWide > 1 ? (print?.firstRowIfWide ?? 1) : 1
  return `A$${from}:${columnLetter(print?.columns ?? columns)}$${lastRow}`
}

function sheetView(plan: SheetPlan, first: boolean): ExcelJS.WorksheetView {
  const { rows = 0, columns = 0 } = plan.frozen ?? {}
  const common = { showGridLines: false, zoomScale: 100, zoomScaleNormal: 100, tabSelected: first ? 1 : 0 }
  const split = rows + columns > 0 ? { state: 'frozen', xSplit: columns, ySplit: rows } : { state: 'normal' }
  return { ...common, ...split } as unknown as ExcelJS.WorksheetView
}

const pageFooter = ({ footer }: ReportIdentity) => `&L&8${headerFooterText(footer, FOOTER_END.length)}${FOOTER_END}`
/** For sheets several pages wide, whose own heading would be cut off at the edge of the first page. */
const pageHeader = ({ footer }: ReportIdentity): string => `&L&"${FONT},Bold"&10&A&R&8${headerFooterText(footer, 30)}`

/**
 * Text of a header or footer. `&` starts a code there, so it is doubled. The cut must not split such a pair, and a digit
 * must not follow a font size directly.
 */
function headerFooterText(text: string, reserved: number): string {
  let kept = ''
  for (const character of escapeXstring(oneLine(cleanText(text)))) {
    const next = character === '&' ? '&&' : character
    if (kept.length + next.length > MAX_HEADER_FOOTER_CHARACTERS - reserved - 6) break
    kept += next
  }
  return /^\d/.test(kept) ? ` ${kept}` : kept
}
