import { CLOSE_OUTCOMES, DECISION_KINDS } from '../../core/records.js'
import { nameById } from '../../core/text/rfq-name.js'
import { field } from '../column.js'
import { channelFilter, choiceFilter, RFQ_FILTER, sinceFilter } from '../filter.js'
import { sqlList } from '../list.js'
import { closingPath } from '../page-paths.js'

/** Decisions to close RFQs or to keep them open, with their reasons. */
export const closings = sqlList({
  name: 'closings',
  title: 'Closings',
  about:
    'Decisions to close RFQs or to keep them open, newest first. The same decision of consecutive rounds is one row.',
  empty: 'No closings yet. `quotekeeper close-expired --dry-run` evaluates the open RFQs.',
  columns: [
    field('id', 'Decision', 'id', 6, 't.id'),
    field('decidedAt', 'Decided', 'moment', 9, 't.decided_at'),
    field('rfq', 'RFQ', 'id', 9, 't.rfq_number', {
      value: ({ rfq, rfqId }) => rfq ?? rfqId,
      link: ({ channel, rfqId }) => closingPath(channel, nameById(rfqId)),
    }),
    field('rfqId', 'Id of the RFQ', 'id', 0, 't.rfq_id'),
    field('channel', 'Channel', 'text', 7, 't.channel'),
    field('dueDate', 'Due', 'date', 8, 't.due_date'),
    field('decision', 'Decision', 'state', 9, 't.decision'),
    field('outcome', 'Outcome', 'state', 9, 't.outcome'),
    field('reason', 'Reason', 'text', 9, 't.reason'),
    field('message', 'Reply', 'text', 4, 't.message'),
    field('repeatedUntil', 'Repeated until', 'moment', 3, 't.repeated_until'),
    field('times', 'Times', 'count', 3, 't.times'),
    field('approvedBy', 'Approved by', 'text', 5, 't.approved_by'),
    field('runId', 'Run', 'id', 1, 't.run_id'),
    field('httpStatus', 'HTTP status', 'id', 0, 't.http_status'),
    field('versionBefore', 'Version before', 'id', 0, 't.version_before'),
    field('versionAfter', 'Version after', 'id', 0, 't.version_after'),
    field('timeZone', 'Time zone', 'text', 0, 't.time_zone'),
    field('hash', 'Hash', 'id', 0, 't.hash'),
  ],
  filters: [
    channelFilter(),
    RFQ_FILTER,
    choiceFilter('decision', 'Decision', DECISION_KINDS, 'Only these decisions.'),
    choiceFilter('outcome', 'Outcome', CLOSE_OUTCOMES, 'Only closes with this outcome.'),
    sinceFilter('coalesce(t.repeated_until, t.decided_at) > @since', 'Only what was decided since'),
  ],
  query: {
    table: 'close_decisions',
    key: ['id'],
    order: [{ expression: 't.id', descending: true }],
  },
})
