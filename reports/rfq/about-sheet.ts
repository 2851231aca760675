import type { CloseDecision, DocumentProblem } from '../../src/domain/comparison/input.js'
import type { RfqReport, Source } from '../../src/domain/comparison/model.js'
import { moment, number, text } from '../cells.js'
import { type AboutRow, headers, pairs, row, titled, wordsSheet } from '../layout/text-sheet.js'
import type { SheetPlan } from '../plan.js'
import { body, instant, plainNumber, strong, wrapped } from '../styles.js'
import { type Book, headingOf } from './layout.js'

const NOTE = 'What the figures mean, what they rest on, what the data cannot say, and long texts in full.'
/** `About`. */
export const aboutSheet = (book: Book): SheetPlan =>
  wordsSheet(headingOf(book, 'About this workbook', NOTE), () => aboutRows(book.report))

function* aboutRows(report: RfqReport): Generator<AboutRow> {
  yield* titled('How to read it', circumstanceRows(report))
  yield* titled('Definitions', pairs(report.about.definitions.map(({ term, words }) => [term, words])))
  yield* titled('What the data cannot say', pairs(report.about.limits.map((words, index) => [`${index + 1}`, words])))
  yield* titled('Texts in full', pairs(longTexts(report)))
  yield* titled('Closing decisions', decisionRows(report.decisions))
  yield* titled('Documents that did not fit the API document', problemRows(report.problems))
  yield* titled('Sources', sourceRows(report.about.sources), true)
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

function* longTexts({ rfq, offers }: RfqReport): Generator<readonly [string, string]> {
  if (rfq.buyerDescription !== null) yield ['The buyer', rfq.buyerDescription]
  if (rfq.additionalRequirements !== null) yield ['Additional requirements', rfq.additionalRequirements]
  for (const { sequence, label, terms } of offers) {
    if (terms.notes !== null) yield [`Notes of offer ${sequence}, ${label}`, terms.notes]
    if (terms.review?.comment != null) yield [`Review of offer ${sequence}, ${label}`, terms.review.comment]
  }
}

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
