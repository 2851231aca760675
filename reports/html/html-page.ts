import { oneLine } from '../../src/core/text/clean-text.js'
import { chartFigure } from '../../src/presentation/chart-svg.js'
import { escapeMarkup } from '../../src/presentation/markup.js'
import { cellText } from '../layout/cell-text.js'
import type { ReportIdentity, RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { isFilled, type NumberedRow, shownColumns, type TableLayout, tableLayout, tablesHtml } from './html-table.js'
import { PAGE_STYLE } from './page-style.js'

/** Maximum rows per sheet on the page; the workbook and the JSON contain all rows. */
export const MAX_ROWS_PER_SHEET = 20_000

const CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/**
 * Renders a report as a self-contained HTML page: no scripts, and no images or fonts loaded from elsewhere. It shows the
 * cells of the workbook with the results of formulas and the highlights of conditional formats; charts become SVG.
 */
export function renderHtmlPage(sheets: readonly SheetPlan[], identity: ReportIdentity): string {
  const title = escapeMarkup(oneLine(identity.title))
  const sections = sheets.map((sheet, index) => makeSection(sheet, index === 0))
  const links = sheets.map(({ name }) => `<a href="#${escapeMarkup(name)}">${escapeMarkup(name)}</a>`).join('')
  return (
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${CONTENT_SECURITY_POLICY}">` +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">' +
    `<meta name="generator" content="Quotekeeper"><title>${title}</title><style>${PAGE_STYLE}</style></head>\n` +
    `<body><header><h1>${title}</h1>${sections[0]?.notes ?? ''}<p>This page shows the figures at the time of the report; to change inputs, use the workbook.</p>${omissionNotice(sections)}</header>\n` +
    `<nav aria-label="Report sections"><div>${links}</div></nav>\n` +
    `<main>${sections.map(({ html }) => html).join('\n')}</main>\n<footer>${escapeMarkup(oneLine(identity.footer))}</footer></body></html>\n`
  )
}

type Section = ReturnType<typeof makeSection>

const formatCount = (count: number) => count.toLocaleString('en-US')
const notice = (message: string) =>
  `<p class="omitted">${message}. The workbook (--format xlsx) and the JSON (--format json) of this report contain all rows.</p>`

function omissionNotice(sections: readonly Section[]): string {
  const incomplete = sections.filter(({ omitted }) => omitted > 0)
  if (incomplete.length === 0) return ''
  const list = incomplete.map(({ name, rows, omitted }) => {
    const shown = formatCount(rows - omitted)
    return `${escapeMarkup(name)} shows ${shown} of ${formatCount(rows)} rows`
  })
  return notice(`This page is incomplete: ${list.join('; ')}`)
}

/** The notes of the first section appear below the page title. */
function makeSection(sheet: SheetPlan, first: boolean) {
  const { rows, omitted } = takeRows(sheet)
  const outline = outlineOf(sheet, rows, first)
  const { title, notes, body } = outline
  const name = escapeMarkup(sheet.name)
  const omission = omitted > 0 ? notice(`${formatCount(omitted)} more rows are not on this page`) : ''
  const notesHtml = notes.map((note) => `<p>${escapeMarkup(note)}</p>`).join('')
  const content = contentHtml(sheet, tableLayout(sheet, rows), outline)
  const html = `<section id="${name}" aria-labelledby="${name}-title"><h2 id="${name}-title">${escapeMarkup(title)}</h2>${first ? '' : notesHtml}${content}${omission}</section>`
  return { name: sheet.name, notes: notesHtml, html, rows: body.length + omitted, omitted }
}

/** The rows that the page shows, and the number of rows it omits. */
function takeRows(sheet: SheetPlan): { rows: RowPlan[]; omitted: number } {
  const rows: RowPlan[] = []
  const max = frozenRows(sheet) + MAX_ROWS_PER_SHEET
  let omitted = 0
  for (const row of sheet.rows()) {
    if (rows.length < max) rows.push(row)
    else if (isShown(row, sheet)) omitted++
  }
  return { rows, omitted }
}

/** The parts of a sheet: its title, the notes above its table, and the header and body rows. */
interface Outline {
  title: string
  notes: string[]
  header: NumberedRow[]
  body: NumberedRow[]
}

function outlineOf(sheet: SheetPlan, rows: readonly RowPlan[], first: boolean): Outline {
  const outline: Outline = { title: sheet.name, notes: [], header: [], body: [] }
  const columns = shownColumns(sheet)
  const shown = (row: RowPlan, index: number) => ({ ...row, index, cells: columns.map((column) => row.cells[column]) })
  for (const row of rows.map(shown).filter((row) => isShown(row, sheet))) {
    if (row.role === 'title') outline.title = first ? sheet.name : rowText(row)
    else if (row.role === 'note' || (row.role === 'subject' && first)) outline.notes.push(rowText(row))
    else if (row.role === 'subject') continue
    else if (outline.body.length === 0 && isFrozenHeader(row, sheet)) outline.header.push(row)
    else outline.body.push(row)
  }
  return outline
}

/** Of the rows of intermediate results, only the figures behind charts are shown, collapsed. */
const isShown = (row: RowPlan, { charts = [] }: SheetPlan) =>
  row.cells.some(isFilled) && !isSheetLinks(row) && !row.workbookOnly && (!row.working || charts.length > 0)
/** Whether a row only links to sheets; the page has such links at the top. */
const isSheetLinks = ({ cells }: RowPlan) =>
  cells.every((cell) => cell === undefined || cell.link?.startsWith('#') === true)

const frozenRows = ({ frozen }: SheetPlan): number => frozen?.rows ?? 0
/** Whether a frozen row consists of headers or of the bands above them. */
const isFrozenHeader = ({ role, index }: NumberedRow, sheet: SheetPlan) =>
  index < frozenRows(sheet) && (role === 'head' || role === 'section')

const rowText = ({ cells }: RowPlan): string => cells.filter(isFilled).map(cellText).join(' · ')

/** Charts follow the rows; the figures behind them are collapsed. */
function contentHtml({ charts = [] }: SheetPlan, layout: TableLayout, { header, body }: Outline): string {
  if (charts.length === 0) return tablesHtml(layout, header, body)
  const [above, below] = [body.filter((row) => !row.working), body.filter((row) => row.working)]
  const figures = charts.map((chart) => `<figure class="chart">${chartFigure(chart)}</figure>`).join('')
  return `${tablesHtml(layout, header, above)}<div class="charts">${figures}</div>${collapsedHtml(layout, below)}`
}

function collapsedHtml(layout: TableLayout, rows: readonly NumberedRow[]): string {
  const [first, ...rest] = rows
  if (first === undefined) return ''
  if (first.role !== 'section') return tablesHtml(layout, [], rows)
  return `<details><summary>${escapeMarkup(rowText(first))}</summary>${tablesHtml(layout, [], rest)}</details>`
}
