import type { CloseDecision } from '../../src/domain/comparison/comparison-input.js'
import { grid } from '../layout/grid.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { type ColumnPlan, HEAD_ROW, tableSheet } from '../layout/table-sheet.js'
import { day, instant, marks, plainNumber, wrapped } from '../xlsx/cell-styles.js'
import { date, moment, number, text } from '../xlsx/cells.js'
import { type ChannelLayout, channelHeading } from './layout.js'

const NOTE = 'Every RFQ weighed for closing, newest first: what was decided, why, and what came of it.'
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
  const closings = grid('Closings', KEYS, HEAD_ROW, layout.report.closings.length)
  const outcome = `$${closings.letter('outcome')}${closings.firstRow}`
  return tableSheet<CloseDecision, Key>({
    grid: closings,
    heading: channelHeading(layout, 'Closing decisions', NOTE),
    columns: columns(),
    rows: layout.report.closings,
    empty: 'No RFQ was weighed for closing.',
    fixedColumns: 2,
    rules: [
      {
        ref: `${closings.letter('outcome')}${closings.firstRow}:${closings.letter('outcome')}${closings.lastRow}`,
        rules: [
          {
            type: 'expression',
            priority: 1,
            formulae: [`OR(${outcome}="failed",${outcome}="refused",${outcome}="unknown")`],
            style: marks.bad,
          },
          {
            type: 'expression',
            priority: 2,
            formulae: [`OR(${outcome}="closed",${outcome}="already-closed")`],
            style: marks.good,
          },
        ],
      },
    ],
  })
}

function columns(): Record<Key, ColumnPlan<CloseDecision>> {
  const told = (head: string, value: (decision: CloseDecision) => unknown, most = 32) => ({
    head,
    most,
    cell: (decision: CloseDecision) => text(value(decision), wrapped),
  })
  const counted = (head: string, value: (decision: CloseDecision) => number | null) => ({
    head,
    right: true,
    cell: (decision: CloseDecision) => number(value(decision), plainNumber),
  })
  return {
    decided: { head: 'Decided', cell: (decision) => moment(decision.decidedAt, instant) },
    number: counted('RFQ', (decision) => decision.rfqNumber),
    due: { head: 'Responses due', cell: (decision) => date(decision.dueDate, day) },
    zone: told('In the calendar of', (decision) => decision.timeZone),
    decision: told('Decision', (decision) => decision.decision),
    outcome: told('Outcome', (decision) => decision.outcome),
    reason: told('Reason', (decision) => decision.reason, 70),
    http: counted('HTTP status', (decision) => decision.httpStatus),
    message: told('Message', (decision) => decision.message, 40),
    before: counted('Version before', (decision) => decision.versionBefore),
    after: counted('Version after', (decision) => decision.versionAfter),
    run: counted('Run', (decision) => decision.runId),
    no: counted('No.', (decision) => decision.id),
    id: told('RFQ id', (decision) => decision.rfqId, 40),
  }
}
