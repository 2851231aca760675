import type { CloseDecision, DocumentProblem } from '../../src/domain/comparison/input.js'
import type { RfqReport, Source } from '../../src/domain/comparison/model.js'
import { type Book, headingOf } from '../book.js'
import { type Cell, moment, number, text } from '../cells.js'
import type { RowPlan, SheetPlan } from '../plan.js'
import { body, head, instant, plainNumber, section, strong, wrapped } from '../styles.js'
import { fittedRow, headingRows, roomForFigures } from '../table.js'
import { cleanText, piecesOf } from '../text.js'
import { wrappedLines } from '../typeset.js'

const NOTE = 'What the figures mean, what they rest on, what the data cannot say, and long texts in full.'
const WIDTHS = [30, 40, 10, 24, 24, 10, 44]
/** The first column names, the rest of the width tells. */
const WORDS_UNITS = WIDTHS.slice(1).reduce((sum, width) => sum + width, 0)
/** No row can be higher than this many lines. */
const PIECE_LINES = 28
const PIECE_CHARACTERS = 2_400

/** A row, and whether its second cell runs across the sheet. */
interface AboutRow {
  plan: RowPlan
  across?: boolean
}

/** `About`. */
export function aboutSheet(book: Book): SheetPlan {
  const rows = [...aboutRows(book)]
  return {
    name: 'About',
    widths: roomForFigures(
      WIDTHS,
      rows.map(({ plan }) => plan),
    ),
    rows: () => rows.map(({ plan }) => plan),
    merges: rows.flatMap(({ across }, index) => (across ? [`B${index + 1}:G${index + 1}`] : [])),
    frozen: { rows: 2 },
    print: { titleRows: [1, 2] },
  }
}

function* aboutRows(book: Book): Generator<AboutRow> {
  const { report } = book
  for (const plan of headingRows(headingOf(book, 'About this workbook', NOTE))) yield { plan }
  yield* titled('How to read it', circumstanceRows(report))
  yield* titled('Definitions', pairs(report.about.definitions.map(({ term, words }) => [term, words])))
  yield* titled('What the data cannot say', pairs(report.about.limits.map((words, index) => [`${index + 1}`, words])))
  yield* titled('Texts in full', pairs(longTexts(report)))
  yield* titled('Closing decisions', decisionRows(report.decisions))
  yield* titled('Documents that did not fit the API document', problemRows(report.problems))
  yield* titled('Sources', sourceRows(report.about.sources))
}

function* titled(title: string, rows: Iterable<AboutRow>): Generator<AboutRow> {
  yield { plan: { cells: [] } }
  yield { plan: { cells: [text(title, section)], height: 18 } }
  let empty = true
  for (const row of rows) {
    empty = false
    yield row
  }
  if (empty) yield { plan: { cells: [text('None.', body)] } }
}

function* circumstanceRows({ context, currency }: RfqReport): Generator<AboutRow> {
  yield* pairs([
    [
      'Made by',
      `Quotekeeper ${context.programVersion}. When this file was made is its own date; it is not written inside, so that the same moment asked for again gives the same file.`,
    ],
    [
      'As of',
      `${context.asOf}: what had been observed by then, and nothing later. Days are counted from ${context.asOfDate}, in the calendar of ${context.timeZone}.`,
    ],
    ['Comparison currency', `${currency.comparison ?? 'none'}. ${currency.reason}`],
    [
      'Formulas',
      'Figures are formulas over Deliveries, Prepayments and Inputs; each holds the result it was written with, which shows where formulas are not computed. Change a yellow cell on Inputs and the workbook follows. Flags, requirements and the chosen sets of exact combinations keep the words and figures they were written with; Award says when they may no longer hold.',
    ],
    ['Colours', 'Every colour stands beside words that say the same.'],
  ])
}

/** Texts as they came, in pieces no higher than a row can be. */
function* pairs(entries: Iterable<readonly [string, string]>): Generator<AboutRow> {
  for (const [term, words] of entries) {
    let first = true
    for (const piece of pieces(words)) {
      const height = fittedRow([undefined, text(piece, wrapped)], [0, WORDS_UNITS]).height
      const label = text(first ? term : `${term}, continued`, wrapped)
      const own = fittedRow([label], WIDTHS).height ?? 0
      yield { plan: { cells: [label, text(piece, wrapped)], height: Math.max(own, height ?? 0) }, across: true }
      first = false
    }
  }
}

function* pieces(words: string): Generator<string> {
  for (const piece of piecesOf(cleanText(words), PIECE_CHARACTERS)) yield* linePieces(piece)
}

/** Many short lines are as high as one long text. */
function* linePieces(text: string): Generator<string> {
  let kept: string[] = []
  for (const line of text.split('\n')) {
    if (kept.length > 0 && wrappedLines([...kept, line].join('\n'), WORDS_UNITS) > PIECE_LINES) {
      yield kept.join('\n')
      kept = []
    }
    kept.push(line)
  }
  yield kept.join('\n')
}

function* longTexts({ rfq, offers }: RfqReport): Generator<readonly [string, string]> {
  if (rfq.buyerDescription !== null) yield ['The buyer', rfq.buyerDescription]
  if (rfq.additionalRequirements !== null) yield ['Additional requirements', rfq.additionalRequirements]
  for (const { sequence, label, terms } of offers) {
    if (terms.notes !== null) yield [`Notes of offer ${sequence}, ${label}`, terms.notes]
    if (terms.review?.comment != null) yield [`Review of offer ${sequence}, ${label}`, terms.review.comment]
  }
}

const headers = (...names: string[]): AboutRow => ({
  plan: fittedRow(
    names.map((name) => text(name, head)),
    WIDTHS,
  ),
})
const row = (...cells: Cell[]): AboutRow => ({ plan: fittedRow(cells, WIDTHS) })

function* decisionRows(decisions: readonly CloseDecision[]): Generator<AboutRow> {
  if (decisions.length === 0) return
  yield headers('Decided', 'Reason', 'No.', 'Decision', 'Outcome', 'Run', 'Message')
  for (const decision of decisions) {
    yield row(
      moment(decision.decidedAt, instant),
      text(decision.reason, wrapped),
      number(decision.id, plainNumber),
      text(decision.decision, body),
      text(decision.outcome, body),
      number(decision.runId, plainNumber),
      text(decision.message, wrapped),
    )
  }
}

function* problemRows(problems: readonly DocumentProblem[]): Generator<AboutRow> {
  if (problems.length === 0) return
  yield headers('Document', 'Where', 'Kind', 'What', 'First seen', '', 'In words')
  for (const problem of problems) {
    yield row(
      text(problem.entityId, wrapped),
      text(problem.path, wrapped),
      text(problem.kind, body),
      text(problem.code, body),
      moment(problem.firstSeenAt, instant),
      text(null, body),
      text(problem.message, wrapped),
    )
  }
}

function* sourceRows(sources: readonly Source[]): Generator<AboutRow> {
  yield headers(
    'Document',
    'Content hash (SHA-256)',
    'Version',
    'Unchanged before',
    'Observed',
    'Run',
    'Kind, and whether it fits',
  )
  for (const source of sources) {
    yield row(
      text(source.id, wrapped),
      text(source.contentHash, wrapped),
      number(source.version, plainNumber),
      moment(source.notBefore, instant),
      moment(source.observedAt, instant),
      number(source.runId, plainNumber),
      text(`${source.kind}${source.valid ? '' : ': does not fit the API document'}`, strong),
    )
  }
}
