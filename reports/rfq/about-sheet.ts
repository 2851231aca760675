import type { Source } from '../../src/compare/comparison-context.js'
import type { ReportedDecision } from '../../src/compare/comparison-input.js'
import type { RfqReport } from '../../src/compare/report/rfq-report-model.js'
import { columnsOf } from '../layout/columns.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { tableRows } from '../layout/table-sheet.js'
import { contextTerms, noteSections, termRows, textSheet, titledSection } from '../layout/text-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import type { RfqLayout } from './layout.js'

const NOTE = 'Definitions, sources, limits of the data, and long texts in full.'
/** `About`: definitions, sources and texts in full. */
export const aboutSheet = (layout: RfqLayout): SheetPlan => textSheet(layout, NOTE, () => aboutRows(layout.report))

function* aboutRows(report: RfqReport): Generator<RowPlan> {
  yield* titledSection('How to read this workbook', contextRows(report))
  yield* noteSections(report.about)
  yield* titledSection('Texts in full', termRows(longTexts(report)))
  yield* titledSection('Closing decisions', decisionRows(report.decisions))
  yield* titledSection('Sources', sourceRows(report.about.sources), true)
}

const FORMULAS =
  'Figures are formulas over Deliveries, Prepayments and Inputs, stored with their results for programs that do not calculate. Change a yellow cell on Inputs and the workbook recalculates. Flags, requirements and awards found by search keep their original texts and figures; the sheets Award and Negotiation show when theirs are outdated.'

const contextRows = ({ context, currency }: RfqReport): Iterable<RowPlan> =>
  termRows([
    ...contextTerms(context),
    ['Comparison currency', `${currency.comparison ?? 'none'}. ${currency.reason}`],
    ['Formulas', FORMULAS],
    ['Colours', 'Colours carry no information that is not also given as text.'],
  ])

function* longTexts({ rfq, offers }: RfqReport): Generator<readonly [string, string]> {
  if (rfq.buyerDescription !== null) yield ['Buyer description', rfq.buyerDescription]
  if (rfq.additionalRequirements !== null) yield ['Additional requirements', rfq.additionalRequirements]
  for (const { sequence, label, terms } of offers) {
    if (terms.notes !== null) yield [`Notes of offer ${sequence}, ${label}`, terms.notes]
    if (terms.review?.comment != null) yield [`Review of offer ${sequence}, ${label}`, terms.review.comment]
  }
}

function* decisionRows(decisions: readonly ReportedDecision[]): Generator<RowPlan> {
  if (decisions.length === 0) return
  const { text, codes, number, moment } = columnsOf<ReportedDecision>()
  yield* tableRows(
    [
      moment('Decided', ({ decidedAt }) => decidedAt),
      text('Reason', ({ reason }) => reason),
      number('No.', ({ id }) => id),
      codes('Decision', ({ decision }) => decision),
      codes('Outcome', ({ outcome }) => outcome),
      number('Run', ({ runId }) => runId),
      text('Message', ({ message }) => message),
    ],
    decisions,
  )
}

function sourceRows(sources: readonly Source[]): Iterable<RowPlan> {
  const { text, number, moment } = columnsOf<Source>()
  const kind = ({ kind, valid }: Source) => `${kind}${valid ? '' : ': does not match the API documentation'}`
  return tableRows(
    [
      text('Document', ({ id }) => id),
      text('Content hash (SHA-256)', ({ contentHash }) => contentHash),
      number('Version', ({ version }) => version),
      moment('Previous version last seen', ({ notBefore }) => notBefore),
      moment('Observed', ({ observedAt }) => observedAt),
      number('Run', ({ runId }) => runId),
      text('Kind and validity', kind, { style: style.boldBody }),
    ],
    sources,
  )
}
