import type { Cell } from './cells.js'
import type { Identity, RowPlan, SheetPlan } from './plan.js'
import { linkOf, shown } from './shown.js'
import { palette } from './styles.js'
import { chartSvg, SVG_STYLE } from './svg.js'
import { cleanText, oneLine, xmlText } from './text.js'

/** Rows of one sheet on a page; the workbook and CSV hold all. */
const MOST_ROWS = 500

/**
 * A report as one page that needs nothing else: no script, no picture, no font from anywhere. The same cells as in the
 * workbook, with the results of its formulas; charts are drawn from the same figures.
 */
export function htmlOf(sheets: readonly SheetPlan[], identity: Identity): string {
  const title = safe(oneLine(identity.title))
  const links = sheets.map(({ name }) => `<a href="#${safe(name)}">${safe(name)}</a>`).join('')
  return (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' +
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">" +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">' +
    `<meta name="generator" content="Quotekeeper"><title>${title}</title><style>${STYLE}</style></head>\n` +
    `<body><header><p class="name">${title}</p><p>Figures as they were when this was written; the workbook lets you change inputs.</p><nav aria-label="Parts of the report">${links}</nav></header>\n` +
    `<main>${sheets.map(sectionHtml).join('\n')}</main>\n<footer>${safe(oneLine(identity.footer))}</footer></body></html>\n`
  )
}

function sectionHtml(sheet: SheetPlan): string {
  const rows = [...sheet.rows()]
  const [heading, ...rest] = rows
  const name = safe(sheet.name)
  const words = heading?.cells[0] ? safe(shown(heading.cells[0])) : name
  const charts = (sheet.charts ?? []).map((chart) => `<figure>${chartSvg(chart)}</figure>`).join('')
  return `<section id="${name}" aria-labelledby="${name}-title"><h2 id="${name}-title">${words}</h2>${tableHtml(sheet, rest)}${charts}</section>`
}

/** Lines of words above, below and between stand beside the table; everything else is in it. */
function tableHtml(sheet: SheetPlan, rows: readonly RowPlan[]): string {
  const told = rows.filter((row) => isTold(row) && !isContents(row))
  const notes = leading(told)
  const body = told.slice(notes, notes + MOST_ROWS).map((row) => rowHtml(row, sheet.columns))
  const left = told.length - notes - MOST_ROWS
  const more = left > 0 ? `<p>${left} more rows are in the workbook.</p>` : ''
  const above = told.slice(0, notes).map(({ cells }) => `<p>${safe(shown(cells[0] as Cell))}</p>`)
  return `${above.join('')}<div class="scroll" tabindex="0"><table>${body.join('')}</table></div>${more}`
}

const isTold = ({ cells }: RowPlan) => cells.some((cell) => cell !== undefined && shown(cell) !== '')
/** A row of links to the sheets: the page has them at its top. */
const isContents = ({ cells }: RowPlan) =>
  cells.every((cell) => cell === undefined || linkOf(cell)?.startsWith('#') === true)

/** How many rows at the top are one line of words. */
function leading(rows: readonly RowPlan[]): number {
  const first = rows.findIndex(
    ({ cells }) => cells.filter((cell) => cell !== undefined && shown(cell) !== '').length !== 1,
  )
  return first === -1 ? Math.min(rows.length, 2) : Math.min(first, 2)
}

function rowHtml({ cells }: RowPlan, columns: number): string {
  const last = cells.findLastIndex((cell) => cell !== undefined && shown(cell) !== '')
  const only = last === 0 && isTitle(cells[0])
  if (only)
    return `<tr><th class="part" colspan="${columns}" scope="rowgroup">${safe(shown(cells[0] as Cell))}</th></tr>`
  return `<tr>${Array.from({ length: last + 1 }, (_, index) => cellHtml(cells[index])).join('')}</tr>`
}

const isTitle = (cell: Cell | undefined) => cell?.style.font?.bold === true && (cell.style.font.size ?? 0) > 10

function cellHtml(cell: Cell | undefined): string {
  if (cell === undefined) return '<td></td>'
  const words = safe(shown(cell)).replaceAll('\n', '<br>')
  const link = linkOf(cell)
  const content = link === null ? words : `<a ${linkAttributes(link)}>${words}</a>`
  const tag = isHead(cell) ? 'th scope="col"' : 'td'
  return `<${tag}${classOf(cell)}>${content}</${tag.slice(0, 2)}>`
}

function linkAttributes(link: string): string {
  const sheet = /^#'(.*)'!/.exec(link)?.[1]
  return sheet === undefined ? `href="${safe(link)}" rel="noopener noreferrer"` : `href="#${safe(sheet)}"`
}

const isHead = ({ style }: Cell) => fillOf(style) === palette.head

function fillOf(style: Cell['style']): string | undefined {
  const { fill } = style
  return fill?.type === 'pattern' ? fill.fgColor?.argb : undefined
}

const FILLS: Record<string, string> = {
  [palette.good]: 'good',
  [palette.warn]: 'warn',
  [palette.bad]: 'bad',
  [palette.input]: 'input',
}

function classOf({ style }: Cell): string {
  const names = [
    style.alignment?.horizontal === 'right' ? 'right' : '',
    style.alignment?.wrapText ? 'wrap' : '',
    style.font?.bold && fillOf(style) !== palette.head ? 'bold' : '',
    FILLS[fillOf(style) ?? ''] ?? '',
  ].filter((name) => name !== '')
  return names.length === 0 ? '' : ` class="${names.join(' ')}"`
}

const safe = (text: string): string => xmlText(cleanText(text))
const css = (argb: string) => `#${argb.slice(2)}`

const STYLE = `*{box-sizing:border-box}html{scroll-padding-top:7rem}
body{margin:0;font:14px/1.4 Arial,Helvetica,sans-serif;color:${css(palette.ink)};background:#fff}
header{position:sticky;top:0;background:#fff;border-bottom:2px solid ${css(palette.head)};padding:.6rem 1.2rem;z-index:2}
.name{margin:0 0 .3rem;font-weight:bold;color:${css(palette.head)};font-size:1.1rem}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1rem}a{color:${css(palette.link)}}
main{padding:0 1.2rem}section{margin:1.6rem 0 2.4rem}h2{color:${css(palette.head)};margin:0 0 .4rem;font-size:1.3rem}
p{margin:.2rem 0;color:${css(palette.muted)}}figure{margin:1.2rem 0}
.scroll{overflow:auto;max-height:80vh;margin-top:.6rem}
table{border-collapse:collapse;font-size:12.5px}
td,th{padding:.2rem .45rem;border-bottom:1px solid ${css(palette.line)};vertical-align:top;text-align:left;white-space:nowrap}
th{background:${css(palette.head)};color:#fff}th.part{background:${css(palette.section)};color:${css(palette.head)}}
.wrap{white-space:normal;min-width:8rem;max-width:34rem}.right{text-align:right;font-variant-numeric:tabular-nums}.bold{font-weight:bold}
.good{background:${css(palette.good)};color:${css(palette.goodInk)}}.warn{background:${css(palette.warn)};color:${css(palette.warnInk)}}
.bad{background:${css(palette.bad)};color:${css(palette.badInk)}}.input{background:${css(palette.input)};color:${css(palette.inputInk)}}
footer{padding:1rem 1.2rem;border-top:1px solid ${css(palette.line)};color:${css(palette.muted)}}
@media print{header{position:static}.scroll{max-height:none;overflow:visible}section{break-before:page}}
${SVG_STYLE}`
