import type { Recommendation } from '../../src/domain/comparison/decision/decision-model.js'
import { formatCount } from '../../src/domain/comparison/number-format.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, text } from '../xlsx/cells.js'
import type { RfqLayout } from './layout.js'

/** Awarded offers with a line each; more are named together. */
const MAX_LINES = 3
/** Sentences in each list; the JSON and `Award` have all. */
const MAX_SENTENCES = 4
/** First columns of the three lists, counted from 0. */
const LISTS = [0, 6, 12] as const

/** The recommendation in one frame: the award, then why, what it depends on and what would change it, then questions. */
export function recommendationRows({ report }: RfqLayout, columns: number): RowPlan[] {
  const { recommendation } = report.decision
  const lists = [
    ['Why', recommendation.reasons],
    ['Conditions', recommendation.conditions],
    ['What would change it', recommendation.changes],
  ] as const
  const shown = lists.filter(([, sentences]) => sentences.length > 0)
  const height = Math.max(0, ...shown.map(([, sentences]) => Math.min(sentences.length, MAX_SENTENCES + 1)))
  const side = (cells: readonly Cell[]) => sideBySide(cells, columns)
  return framed(
    [
      ...awardLines(recommendation).map((words) => whole(text(words, style.decision), columns)),
      ...(shown.length === 0 ? [] : [side(shown.map(([title]) => text(title, style.decisionHead)))]),
      ...Array.from({ length: height }, (_, at) =>
        side(shown.map(([, sentences]) => text(bullet(bounded(sentences)[at]), style.decisionText))),
      ),
      ...questionRows(recommendation).map((words) => whole(text(words, style.decisionText), columns)),
    ],
    columns,
  )
}

const bullet = (words: string | undefined) => (words === undefined ? '' : `• ${words}`)

function bounded(sentences: readonly string[]): readonly string[] {
  const more = sentences.length - MAX_SENTENCES
  return more > 1 ? [...sentences.slice(0, MAX_SENTENCES), `${more} more in the JSON of this report.`] : sentences
}

function awardLines({ awards, headline, closest }: Recommendation): string[] {
  if (awards.length > 0 && awards.length <= MAX_LINES) return awards
  return [headline, ...(awards.length === 0 && closest !== null ? [closest.words] : [])]
}

function questionRows({ questions }: Recommendation): string[] {
  if (questions.length === 0) return []
  const [first, second] = questions.map(({ words }) => words)
  const more = questions.length - 2
  const rest = more > 0 ? ` ${formatCount(more, 'more question')}: see Negotiation.` : ''
  return [`Ask the developer: ${[first, second].filter((words) => words !== undefined).join(' ')}${rest}`]
}

/** One cell over all columns. */
const whole = (cell: Cell, columns: number): RowPlan => ({ cells: [cell], merged: [[0, columns - 1]] })

function sideBySide(cells: readonly Cell[], columns: number): RowPlan {
  const starts = LISTS.slice(0, cells.length)
  const row: (Cell | undefined)[] = []
  for (const [index, start] of starts.entries()) row[start] = cells[index]
  return {
    cells: Array.from(row),
    merged: starts.map((start, index) => [start, (starts[index + 1] ?? columns) - 1] as const),
  }
}

/** Fills the empty cells of rows and draws a frame around them. */
function framed(rows: readonly RowPlan[], columns: number): RowPlan[] {
  return rows.map((row, at) => ({
    ...row,
    cells: Array.from({ length: columns }, (_, column) => {
      const cell = row.cells[column] ?? blank(style.decisionText)
      const sides = [
        ...(at === 0 ? (['top'] as const) : []),
        ...(at === rows.length - 1 ? (['bottom'] as const) : []),
        ...(column === 0 ? (['left'] as const) : []),
        ...(column === columns - 1 ? (['right'] as const) : []),
      ]
      return sides.length === 0 ? cell : { ...cell, style: style.asFramed(cell.style, sides) }
    }),
  }))
}
