import type { RfqReport } from '../../src/compare/report/rfq-report-model.js'
import { guardSheet } from '../layout/guard.js'
import type { SheetFactory, SheetPlan } from '../layout/sheet-plan.js'
import { aboutSheet } from './about-sheet.js'
import { changesSheet } from './changes-sheet.js'
import { choicesSheet } from './choices-sheet.js'
import { deliveriesSheet, prepaymentsSheet } from './deliveries-sheet.js'
import { inputsSheet } from './inputs-sheet.js'
import { type RfqLayout, rfqLayout } from './layout.js'
import { offersSheet } from './offers-sheet.js'
import { questionsSheet } from './questions-sheet.js'
import { scoringSheet } from './scoring-sheet.js'
import { summarySheet } from './summary-sheet.js'

/** Makes each sheet, in order; those of `Summary` link to the others. */
const SHEETS: Record<string, (layout: RfqLayout, names: readonly string[]) => SheetPlan> = {
  Summary: summarySheet,
  Offers: offersSheet,
  Deliveries: deliveriesSheet,
  Prepayments: prepaymentsSheet,
  Scoring: scoringSheet,
  Choices: choicesSheet,
  Questions: questionsSheet,
  Changes: changesSheet,
  Inputs: inputsSheet,
  About: aboutSheet,
}

/** The sheets of an RFQ's workbook in order, each created only when it is written. */
export function rfqSheets(report: RfqReport): SheetFactory[] {
  const layout = rfqLayout(report)
  const names = Object.keys(SHEETS).filter((name) => hasContent(name, layout))
  return names.map((name) => () => guarded((SHEETS[name] as (typeof SHEETS)[string])(layout, names.slice(1))))
}

/** Without offers, there is nothing to compare. */
function hasContent(name: string, { report, payments }: RfqLayout): boolean {
  if (report.offers.length === 0) return ['Summary', 'Changes', 'About'].includes(name)
  return name !== 'Prepayments' || payments.length > 0
}

/** Sheets whose figures come from the documents, or that an invalid input must not hide. */
const ALWAYS_SHOWN = ['Deliveries', 'Prepayments', 'Inputs']
const INVALID_INPUT = { when: 'InputErrors>0', text: 'check Inputs' }

/** While an input is invalid, results are not shown: a figure calculated with a negative weight or a text would mislead. */
const guarded = (plan: SheetPlan): SheetPlan =>
  guardSheet(plan, ALWAYS_SHOWN.includes(plan.name) ? null : INVALID_INPUT)
