import type { Source } from '../../src/domain/comparison/comparison-context.js'
import type { DocumentProblem, ReportedDecision } from '../../src/domain/comparison/comparison-input.js'
import type { RfqReport } from '../../src/domain/comparison/report/rfq-report-model.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { headerRow, type TextRow, tableRow, termRows, textSheet, titledSection } from '../layout/text-sheet.js'
import { body, boldBody, plainNumber, timestamp, wrapped } from '../xlsx/cell-styles.js'
import { moment, number, text } from '../xlsx/cells.js'
import { type RfqLayout, rfqHeading } from './layout.js'

const NOTE = 'Definitions, sources, limits of the data, and long texts in full.'
/** `About`: definitions, sources and texts in full. */
export const aboutSheet = (layout: RfqLayout): SheetPlan =>
  textSheet(rfqHeading(layout, 'About this workbook', NOTE), () => aboutRows(layout.report))

function* aboutRows(report: RfqReport): Generator<TextRow> {
  yield* titledSection('How to read this workbook', contextRows(report))
  yield* titledSection('Definitions', termRows(report.about.definitions.map(({ term, words }) => [term, words])))
  yield* titledSection(
    'What the data cannot say',
    termRows(report.about.limits.map((words, index) => [`${index + 1}`, words])),
  )
  yield* titledSection('Texts in full', termRows(longTexts(report)))
  yield* titledSection('Closing decisions', decisionRows(report.decisions))
  yield* titledSection('Documents that do not match the API document', problemRows(report.problems))
  yield* titledSection('Sources', sourceRows(report.about.sources), true)
}

function* contextRows({ context, currency }: RfqReport): Generator<TextRow> {
  yield* termRows([
    [
      'Made by',
      `Quotekeeper ${context.programVersion}. The time of generation is the date of the file itself and is not stored inside, so the same as-of time always gives the same file.`,
    ],
    [
      'As of',
      `${context.asOf}: everything observed up to then, nothing later. Days are counted from ${context.asOfDate}, in the time zone ${context.timeZone}.`,
    ],
    ['Comparison currency', `${currency.comparison ?? 'none'}. ${currency.reason}`],
    [
      'Formulas',
      'Figures are formulas over Deliveries, Prepayments and Inputs, stored with their results for programs that do not calculate. Change a yellow cell on Inputs and the workbook recalculates. Flags, requirements and searched awards keep their original texts and figures; Award says when its awards are outdated.',
    ],
    ['Colours', 'Colours only repeat what the text says.'],
  ])
}

function* longTexts({ rfq, offers }: RfqReport): Generator<readonly [string, string]> {
  if (rfq.buyerDescription !== null) yield ['Buyer description', rfq.buyerDescription]
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
  yield headerRow('Document', 'Path', 'Kind', 'Problem', 'First seen', '', 'Description')
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
    'Previous version last seen',
    'Observed',
    'Run',
    'Kind and validity',
  )
  for (const source of sources) {
    yield tableRow(
      text(source.id, wrapped),
      text(source.contentHash, wrapped),
      number(source.version, plainNumber),
      moment(source.notBefore, timestamp),
      moment(source.observedAt, timestamp),
      number(source.runId, plainNumber),
      text(`${source.kind}${source.valid ? '' : ': does not match the API document'}`, boldBody),
    )
  }
}
