import type { Source } from '../../src/domain/comparison/comparison-context.js'
import type { DocumentProblem, ReportedDecision } from '../../src/domain/comparison/comparison-input.js'
import type { RfqReport } from '../../src/domain/comparison/report/rfq-report-model.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { headerRow, type TextRow, tableRow, termRows, textSheet, titledSection } from '../layout/text-sheet.js'
import { body, boldBody, plainNumber, timestamp, wrapped } from '../xlsx/cell-styles.js'
import { moment, number, text } from '../xlsx/cells.js'
import { type RfqLayout, rfqHeading } from './layout.js'

const NOTE = 'What the figures mean, what they rest on, what the data cannot say, and long texts in full.'
/** `About`. */
export const aboutSheet = (layout: RfqLayout): SheetPlan =>
  textSheet(rfqHeading(layout, 'About this workbook', NOTE), () => aboutRows(layout.report))

function* aboutRows(report: RfqReport): Generator<TextRow> {
  yield* titledSection('How to read it', circumstanceRows(report))
  yield* titledSection('Definitions', termRows(report.about.definitions.map(({ term, words }) => [term, words])))
  yield* titledSection(
    'What the data cannot say',
    termRows(report.about.limits.map((words, index) => [`${index + 1}`, words])),
  )
  yield* titledSection('Texts in full', termRows(longTexts(report)))
  yield* titledSection('Closing decisions', decisionRows(report.decisions))
  yield* titledSection('Documents that did not fit the API document', problemRows(report.problems))
  yield* titledSection('Sources', sourceRows(report.about.sources), true)
}

function* circumstanceRows({ context, currency }: RfqReport): Generator<TextRow> {
  yield* termRows([
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

function* decisionRows(decisions: readonly ReportedDecision[]): Generator<TextRow> {
  if (decisions.length === 0) return
  yield headerRow('Decided', 'Reason', 'No.', 'Decision', 'Outcome', 'Run', 'Message')
  for (const decision of decisions) {
    yield tableRow(
      moment(decision.decidedAt, timestamp),
      text(decision.reason, wrapped),
      number(decision.id, plainNumber),
      text(decision.decision, body),
      text(decision.outcome, body),
      number(decision.runId, plainNumber),
      text(decision.message, wrapped),
    )
  }
}

function* problemRows(problems: readonly DocumentProblem[]): Generator<TextRow> {
  if (problems.length === 0) return
  yield headerRow('Document', 'Where', 'Kind', 'What', 'First seen', '', 'In words')
  for (const problem of problems) {
    yield tableRow(
      text(problem.entityId, wrapped),
      text(problem.path, wrapped),
      text(problem.kind, body),
      text(problem.code, body),
      moment(problem.firstSeenAt, timestamp),
      text(null, body),
      text(problem.message, wrapped),
    )
  }
}

function* sourceRows(sources: readonly Source[]): Generator<TextRow> {
  yield headerRow(
    'Document',
    'Content hash (SHA-256)',
    'Version',
    'Unchanged before',
    'Observed',
    'Run',
    'Kind, and whether it fits',
  )
  for (const source of sources) {
    yield tableRow(
      text(source.id, wrapped),
      text(source.contentHash, wrapped),
      number(source.version, plainNumber),
      moment(source.notBefore, timestamp),
      moment(source.observedAt, timestamp),
      number(source.runId, plainNumber),
      text(`${source.kind}${source.valid ? '' : ': does not fit the API document'}`, boldBody),
    )
  }
}
