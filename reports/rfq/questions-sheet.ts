import type { DeveloperQuestions } from '../../src/compare/decision/decision-model.js'
import { emptyRows, fitsOnePage, headingRows, headRow, heightOf, keepTogether, textRow } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet } from '../layout/table-sheet.js'
import { rowHeight, wrappedLines } from '../layout/text-metrics.js'
import { termRows } from '../layout/text-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, text } from '../xlsx/cells.js'
import type { RfqLayout } from './layout.js'

const NOTE = 'What to ask each developer whose offers could change the decision. Copy the text of a cell in column B.'
const TEXT_WIDTH = 160
const WIDTHS = [30, TEXT_WIDTH]
/** The rows repeated on each page. */
const TITLE_ROWS = 2
/** More lines do not fit in a row. */
const MAX_LINES = 30

/** `Questions`: a text for each developer to copy, and the sign-off. */
export function questionsSheet(layout: RfqLayout): SheetPlan {
  const { report } = layout
  const { questions } = report.decision
  const heading = headingRows(layout, 'Questions', NOTE)
  const requirements = report.rfq.additionalRequirements
  const top = [
    ...heading,
    ...emptyRows(1),
    ...(requirements === null
      ? []
      : [...termRows([['Additional requirements of the RFQ', requirements]]), ...emptyRows(1)]),
    headRow('Developer', 'Text to copy'),
    ...(questions.length === 0 ? [textRow('There is nothing to ask.', style.hint)] : []),
  ]
  const blocks = [top, ...questions.map(questionRows), signOffRows()]
  const all = blocks.flat()
  const rows = fitsOnePage(all, WIDTHS)
    ? all
    : [...keepTogether(blocks, WIDTHS, heightOf(heading.slice(0, TITLE_ROWS), WIDTHS))]
  return rowSheet({
    name: 'Questions',
    widths: WIDTHS,
    rows: () => rows,
    frozen: { rows: TITLE_ROWS },
    print: { titleRows: [1, TITLE_ROWS], onePage: fitsOnePage(all, WIDTHS) },
  })
}

/** One row, whose text is whole in its cell; a text that is too long for the height of a row continues, offer by offer. */
function questionRows({ developer, text: whole }: DeveloperQuestions): RowPlan[] {
  return fittingParts(whole).map((part, at): RowPlan => {
    const name = at === 0 ? developer : `${developer}, continued`
    return {
      cells: [text(name, style.boldWrapped), text(part, style.wrapped)],
      height: rowHeight(wrappedLines(part, TEXT_WIDTH)),
    }
  })
}

/** The paragraphs of a text, in as few parts as fit in a row each. */
function fittingParts(whole: string): string[] {
  const parts: string[] = []
  for (const paragraph of whole.split('\n\n')) {
    const longer = parts.length === 0 ? paragraph : `${parts.at(-1)}\n\n${paragraph}`
    if (parts.length > 0 && wrappedLines(longer, TEXT_WIDTH) > MAX_LINES) parts.push(paragraph)
    else parts.splice(-1, 1, longer)
  }
  return parts
}

function signOffRows(): RowPlan[] {
  const entry = (label: string, own: style.Style, height?: number): RowPlan => ({
    cells: [text(label, style.boldBody), blank(style.asInput(own))],
    ...(height !== undefined && { height }),
  })
  return [
    ...emptyRows(1),
    headRow('Sign-off', ''),
    entry('Decided by', style.wrapped),
    entry('Date', DATE_INPUT),
    entry('Remarks', style.wrapped, REMARKS_POINTS),
  ]
}
const DATE_INPUT = { ...style.calendarDate, alignment: { horizontal: 'left' } } satisfies style.Style
const REMARKS_POINTS = 45
