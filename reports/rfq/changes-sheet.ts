import type { Change, ChangeEvent } from '../../src/domain/comparison/report/document-changes.js'
import { makeGrid } from '../layout/grid.js'
import { here, is, isOneOf, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { HEADER_ROW, tableSheet } from '../layout/table-sheet.js'
import { truncateToLines } from '../layout/text-metrics.js'
import { body, plainNumber, type Style, timestamp, withNumberFormat, wrapped } from '../xlsx/cell-styles.js'
import { type Cell, moment, number, text } from '../xlsx/cells.js'
import { type RfqLayout, rfqHeading } from './layout.js'

const NOTE =
  'Changes between two observations, oldest first. Each happened between “After” and “Seen by”; the exact time is not known.'
const KEYS = [
  'seenBy',
  'after',
  'entity',
  'label',
  'event',
  'field',
  'before',
  'value',
  'difference',
  'unit',
  'words',
  'version',
  'id',
] as const

const EVENT_LABELS: Record<ChangeEvent, string> = {
  appeared: 'first seen',
  withdrawn: 'no longer visible',
  reinstated: 'visible again',
  opened: 'opened',
  closed: 'closed',
  status: 'status changed',
  accepted: 'accepted',
  rejected: 'rejected',
  review: 'review changed',
  detail: 'full document read',
  changed: 'changed',
}
const VALUE: Style = withNumberFormat(plainNumber, '#,##0.####')
const DIFFERENCE: Style = withNumberFormat(plainNumber, '+#,##0.####;-#,##0.####;0')
const CELL_LINES = 12
const CELL_UNITS = 44

/** `Changes`: the history of the RFQ and its offers. */
export function changesSheet(layout: RfqLayout): SheetPlan {
  const changes = makeGrid('Changes', KEYS, HEADER_ROW, layout.report.changes.length)
  return tableSheet<Change, (typeof KEYS)[number]>({
    grid: changes,
    heading: rfqHeading(layout, 'Changes', NOTE),
    rows: layout.report.changes,
    emptyText: 'No changes observed.',
    frozenColumns: 1,
    columns: {
      seenBy: { header: 'Seen by', cell: (change) => moment(change.seenBy, timestamp) },
      after: { header: 'After', cell: (change) => moment(change.after, timestamp) },
      entity: { header: 'Type', cell: (change) => text(change.entity === 'rfq' ? 'RFQ' : 'offer', body) },
      label: { header: 'Name', cell: (change) => text(change.label, wrapped) },
      event: { header: 'Event', cell: (change) => text(EVENT_LABELS[change.event], body) },
      field: { header: 'Field', maxWidth: 40, cell: (change) => text(change.field, wrapped) },
      before: { header: 'Before', maxWidth: CELL_UNITS, cell: (change) => valueCell(change.before) },
      value: { header: 'Value', maxWidth: CELL_UNITS, cell: (change) => valueCell(change.value) },
      difference: { header: 'Difference', alignRight: true, cell: (change) => number(change.difference, DIFFERENCE) },
      unit: { header: 'Unit', cell: (change) => text(change.unit, body) },
      words: {
        header: 'Description',
        maxWidth: 60,
        cell: (change) => text(truncateToLines(change.words, 60, CELL_LINES, '…'), wrapped),
      },
      version: { header: 'Version', alignRight: true, cell: (change) => number(change.version, plainNumber) },
      id: { header: 'Id', maxWidth: 40, cell: (change) => text(change.id, wrapped) },
    },
    marks: [
      mark(changes.area('event'), isOneOf(here, EVENT_LABELS.withdrawn, EVENT_LABELS.rejected), 'bad'),
      mark(changes.area('event'), is(here, '=', EVENT_LABELS.accepted), 'good'),
    ],
  })
}

/** A value as received: numbers as numbers, everything else as text. */
function valueCell(value: Change['value']): Cell {
  if (typeof value === 'number') return number(value, VALUE)
  if (typeof value === 'boolean') return text(value ? 'true' : 'false', body)
  return text(value === null ? null : truncateToLines(value, CELL_UNITS, CELL_LINES, '…'), wrapped)
}
