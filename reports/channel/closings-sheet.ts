import type { ReportedDecision } from '../../src/domain/comparison/comparison-input.js'
import { columnsOf } from '../layout/columns.js'
import { here, isOneOf, mark } from '../layout/marks.js'
import { headingOf } from '../layout/rows.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import type { ChannelLayout } from './layout.js'

const NOTE = 'All closing decisions, newest first, with their reasons and outcomes.'

/** `Closings` of a channel. */
export function channelClosingsSheet(layout: ChannelLayout): SheetPlan {
  const { text, codes, number, date, moment } = columnsOf<ReportedDecision>()
  return tableSheet({
    grid: 'Closings',
    heading: headingOf(layout, 'Closing decisions', NOTE),
    rows: layout.report.closings,
    emptyText: 'No closing decisions.',
    frozenColumns: 2,
    columns: {
      decided: moment('Decided', (decision) => decision.decidedAt),
      number: number('RFQ', (decision) => decision.rfqNumber),
      due: date('Response due date', (decision) => decision.dueDate),
      zone: text('Time zone', (decision) => decision.timeZone),
      decision: codes('Decision', (decision) => decision.decision),
      outcome: codes('Outcome', (decision) => decision.outcome),
      reason: text('Reason', (decision) => decision.reason, { maxWidth: 70 }),
      http: number('HTTP status', (decision) => decision.httpStatus),
      message: text('Message', (decision) => decision.message, { maxWidth: 40 }),
      before: number('Version before', (decision) => decision.versionBefore),
      after: number('Version after', (decision) => decision.versionAfter),
      run: number('Run', (decision) => decision.runId),
      no: number('No.', (decision) => decision.id),
      id: text('RFQ id', (decision) => decision.rfqId, { maxWidth: 40 }),
    },
    marks: (closings) => [
      mark(closings.area('outcome'), isOneOf(here, 'failed', 'refused', 'unknown'), 'bad'),
      mark(closings.area('outcome'), isOneOf(here, 'closed', 'already closed'), 'good'),
    ],
  })
}
