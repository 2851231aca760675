import type { ReportedDecision } from '../../src/domain/comparison/comparison-input.js'
import { makeGrid } from '../layout/grid.js'
import { here, isOneOf, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { type ColumnPlan, HEADER_ROW, tableSheet } from '../layout/table-sheet.js'
import { calendarDate, plainNumber, timestamp, wrapped } from '../xlsx/cell-styles.js'
import { date, moment, number, text } from '../xlsx/cells.js'
import { type ChannelLayout, channelHeading } from './layout.js'

const NOTE = 'All closing decisions, newest first, with their reasons and outcomes.'
const KEYS = [
  'decided',
  'number',
  'due',
  'zone',
  'decision',
  'outcome',
  'reason',
  'http',
  'message',
  'before',
  'after',
  'run',
  'no',
  'id',
] as const
type Key = (typeof KEYS)[number]

/** `Closings` of a channel. */
export function channelClosingsSheet(layout: ChannelLayout): SheetPlan {
  const closings = makeGrid('Closings', KEYS, HEADER_ROW, layout.report.closings.length)
  return tableSheet<ReportedDecision, Key>({
    grid: closings,
    heading: channelHeading(layout, 'Closing decisions', NOTE),
    columns: columns(),
    rows: layout.report.closings,
    emptyText: 'No closing decisions.',
    frozenColumns: 2,
    marks: [
      mark(closings.area('outcome'), isOneOf(here, 'failed', 'refused', 'unknown'), 'bad'),
      mark(closings.area('outcome'), isOneOf(here, 'closed', 'already-closed'), 'good'),
    ],
  })
}

function columns(): Record<Key, ColumnPlan<ReportedDecision>> {
  const textColumn = (header: string, value: (decision: ReportedDecision) => unknown, maxWidth = 32) => ({
    header,
    maxWidth,
    cell: (decision: ReportedDecision) => text(value(decision), wrapped),
  })
  const numberColumn = (header: string, value: (decision: ReportedDecision) => number | null) => ({
    header,
    alignRight: true,
    cell: (decision: ReportedDecision) => number(value(decision), plainNumber),
  })
  return {
    decided: { header: 'Decided', cell: (decision) => moment(decision.decidedAt, timestamp) },
    number: numberColumn('RFQ', (decision) => decision.rfqNumber),
    due: { header: 'Response due date', cell: (decision) => date(decision.dueDate, calendarDate) },
    zone: textColumn('Time zone', (decision) => decision.timeZone),
    decision: textColumn('Decision', (decision) => decision.decision),
    outcome: textColumn('Outcome', (decision) => decision.outcome),
    reason: textColumn('Reason', (decision) => decision.reason, 70),
    http: numberColumn('HTTP status', (decision) => decision.httpStatus),
    message: textColumn('Message', (decision) => decision.message, 40),
    before: numberColumn('Version before', (decision) => decision.versionBefore),
    after: numberColumn('Version after', (decision) => decision.versionAfter),
    run: numberColumn('Run', (decision) => decision.runId),
    no: numberColumn('No.', (decision) => decision.id),
    id: textColumn('RFQ id', (decision) => decision.rfqId, 40),
  }
}
