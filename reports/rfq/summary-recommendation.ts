import { questionText } from '../../src/compare/decision/question-text.js'
import { columnLetter } from '../layout/grid.js'
import { either, NOTHING, type Phrase } from '../layout/phrase.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, blank, type Cell, formula, stringLiteral, text } from '../xlsx/cells.js'
import { MASTER_CHECK_CELL, MASTER_WORDS_CELL } from './checks-sheet.js'
import type { RfqLayout } from './layout.js'
import { type Sentences, sentencesOf } from './summary-sentences.js'

/** Awarded offers with a line each; more are named together. */
const MAX_LINES = 3
/** Sentences in each list; the JSON has all. */
const MAX_SENTENCES = 4
/** First columns of the three lists, counted from 0. */
const LISTS = [0, 5, 11] as const

/**
 * The recommendation in one frame: the award, then why, what it depends on and what would change it, then questions. Figures
 * follow the inputs. Sentences that cannot are shown while the inputs are those of the report; others replace them after.
 * @param row the first row; it is hidden and holds the sentences of the report
 */
export function recommendationRows(layout: RfqLayout, row: number, columns: number): RowPlan[] {
  const { recommendation, accepted } = layout.report.decision
  const checks: Phrase = [MASTER_WORDS_CELL, layout.report.checks.master.words]
  const live = sentencesOf(layout)
  const stored: string[] = []
  /** A sentence of the report, as long as no input is changed. */
  const ofReport = (words: string | undefined, instead = NOTHING): Phrase => {
    if (words === undefined || words === '') return either(['InputsChanged=0', true], NOTHING, instead)
    stored.push(words)
    const cell = `$${columnLetter(stored.length)}$${row}&""`
    return either(['InputsChanged=0', true], [cell, words], instead)
  }
  const sentences = (report: readonly string[], instead: readonly Phrase[]) => {
    const shown = bounded(report)
    return Array.from({ length: Math.max(shown.length, instead.length) }, (_, at) => ofReport(shown[at], instead[at]))
  }
  const { award, reasons, conditions, changes, closest } = recommendation
  const isOpen = accepted === null
  const met = isOpen ? award !== null : accepted.award !== null
  const unmet = met && conditions.length === 0 ? ['None: every requirement is met.'] : conditions
  // Without an award, the closest one is stated above the lists.
  const others = changes.filter((words) => words !== closest?.words)
  // What depends on an award that is still open is not said of one that was accepted.
  const whileOpen = (...phrases: Phrase[]) => (isOpen ? phrases : [])
  const lists: (readonly [title: string, phrases: readonly Phrase[]])[] = [
    [isOpen ? 'Why' : 'The award rule', award === null ? sentences(reasons, live.reasons) : live.reasons],
    [
      isOpen ? 'Conditions' : 'Requirements not met',
      [
        ...sentences(unmet, whileOpen(unmetPhrase(layout, live), expiryPhrase(layout, live))),
        ...whileOpen(either([`${MASTER_CHECK_CELL}<>"ok"`, layout.report.checks.master.verdict !== 'ok'], checks)),
      ],
    ],
    isOpen
      ? ['What would change it', sentences(others, [0, 1, 2].map(live.breakEven))]
      : ['Checks', [...sentences(accepted.flags, []), checks]],
  ]
  const lines = Math.min(MAX_LINES, Math.max(1, award?.offers.length ?? 1))
  const heads = Array.from({ length: lines }, (_, at) => headline(live, at, lines))
  const rest = award === null && closest !== null && isOpen ? [ofReport(closest.words, live.closest)] : []
  const first = [...(live.accepted === null ? [] : [live.accepted]), ...heads, ...rest]
  const note = `${OUTDATED_NOTE}${layout.report.decision.switches.command}`
  const questions = ofReport(questionText(recommendation), [`${stringLiteral(OUTDATED_NOTE)}&ReportCommand`, note])
  const height = Math.max(...lists.map(([, phrases]) => filled(phrases)))
  const side = (cells: readonly Cell[]) => sideBySide(cells, columns)
  const block = [
    ...first.map((phrase) => whole(cellOf(phrase, style.decision), columns)),
    side(lists.map(([title]) => text(title, style.decisionHead))),
    ...Array.from({ length: height }, (_, at) =>
      side(lists.map(([, phrases]) => cellOf(bullet(phrases[at] ?? NOTHING), style.decisionText))),
    ),
    {
      ...whole(cellOf(questions, style.decisionText), columns),
      alternative: [text(`${note} --set requirements.reviewNotRejected=advisory`, style.decisionText)],
    },
  ]
  return [
    { working: true, workbookOnly: true, cells: stored.map((words) => text(words, style.plain)) },
    ...framed(block, columns),
  ]
}

const OUTDATED_NOTE =
  'Inputs changed. For questions, prices to reach and, under best-score-compliant, runner-up and break-even prices with the inputs as they are, run: '

const cellOf = ([expression, cached]: Phrase, cellStyle: style.Style): Cell =>
  (expression.includes('TEXTJOIN') ? arrayFormula : formula)(expression, cached, cellStyle)

const bullet = ([expression, cached]: Phrase): Phrase =>
  expression === NOTHING[0]
    ? NOTHING
    : [`IF(${expression}="","","• "&${expression})`, cached === '' ? '' : `• ${cached}`]

/** Number of rows that a list needs now. */
const filled = (phrases: readonly Phrase[]) => phrases.findLastIndex(([, cached]) => cached !== '') + 1

/** The award as a whole where it has more offers than lines, in the first line. */
function headline({ line, headline: whole, hasAward, problem, partial }: Sentences, at: number, lines: number): Phrase {
  if (at > 0) return line(at, lines)
  const [expression, cached] = line(0, lines)
  return [
    `${partial[0]}&IF(AND(${problem.cell}="",${hasAward[0]},${expression}<>""),${expression},${whole[0]})`,
    `${partial[1]}${cached === '' ? whole[1] : cached}`,
  ]
}

function bounded(sentences: readonly string[]): readonly string[] {
  const more = sentences.length - MAX_SENTENCES
  return more > 1 ? [...sentences.slice(0, MAX_SENTENCES), `${more} more in the JSON of this report.`] : sentences
}

/** Whether awarded offers have high flags, and the requirements that they do not meet, by title. */
function unmetPhrase({ offers, recommendation: grids }: RfqLayout, { hasAward }: Sentences): Phrase {
  const [titles, unmet] = [grids.requirements.range('title'), grids.requirements.range('unmet')]
  const high = `SUMIFS(${offers.range('high')},${grids.offers.range('tonnes')},">0")`
  const flags = `IF(${high}>0,"High flags of awarded offers: "&${high}&", see Checks. ","")`
  const list = `_xlfn.TEXTJOIN("; ",TRUE,IF(${unmet}="","",${titles}&" ("&IF(${unmet}="award","","offer no. ")&${unmet}&")"))`
  const words = `IF(COUNTIF(${unmet},"?*")=0,"Every requirement is met.","Not met: "&${list}&".")`
  return [`IF(${hasAward[0]},${flags}&${words},"")`, '']
}

function expiryPhrase({ offers, recommendation: { offers: recommended } }: RfqLayout, { hasAward }: Sentences): Phrase {
  const days = `_xlfn.MINIFS(${offers.range('daysToExpiry')},${recommended.range('tonnes')},">0")`
  return [`IF(${hasAward[0]},"The first awarded offer expires in "&${days}&" days.","")`, '']
}

const whole = (cell: Cell, columns: number): RowPlan => ({ cells: [cell], merged: [[0, columns - 1]] })

function sideBySide(cells: readonly Cell[], columns: number): RowPlan {
  const row: (Cell | undefined)[] = []
  for (const [index, start] of LISTS.entries()) row[start] = cells[index]
  return {
    cells: Array.from(row),
    merged: LISTS.map((start, index) => [start, (LISTS[index + 1] ?? columns) - 1] as const),
  }
}

/** Fills the empty cells of rows and draws a frame around them. */
function framed(rows: readonly RowPlan[], columns: number): RowPlan[] {
  return rows.map((row, at) => ({
    ...row,
    cells: Array.from({ length: columns }, (_, column) => {
      const cell = row.cells[column] ?? blank(style.decisionText)
      const edges = { top: at === 0, bottom: at === rows.length - 1, left: column === 0, right: column === columns - 1 }
      const sides = (['top', 'bottom', 'left', 'right'] as const).filter((side) => edges[side])
      return sides.length === 0 ? cell : { ...cell, style: style.asFramed(cell.style, sides) }
    }),
  }))
}
