import { type Change, EVENT_LABELS, isChange } from '../../src/compare/report/document-changes.js'
import { columnsOf } from '../layout/columns.js'
import { here, is, isOneOf, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import { truncateToLines } from '../layout/text-metrics.js'
import * as style from '../xlsx/cell-styles.js'
import { type Cell, number as numberCell, text as textCell } from '../xlsx/cells.js'
import type { RfqLayout } from './layout.js'

/** How many changes there are, apart from first sightings, and how to read their times. */
function noteOf({ report: { changes } }: RfqLayout): string {
  const changed = changes.filter(isChange).length
  const counts = `${changed} ${changed === 1 ? 'change' : 'changes'}, apart from ${changes.length - changed} first sightings and readings.`
  return `${counts} Oldest first. Each happened between “After” and “Seen by”; the exact time is not known.`
}

const kindOf = (change: Change) =>
  isChange(change) ? 'change' : change.event === 'appeared' ? 'first sighting' : 'reading'

const VALUE = style.withNumberFormat(style.plainNumber, '#,##0.####')
const DIFFERENCE = style.withNumberFormat(style.plainNumber, '+#,##0.####;-#,##0.####;0')
const CELL_LINES = 12
const CELL_UNITS = 44

/** `Changes`: the history of the RFQ and its offers. */
export function changesSheet(layout: RfqLayout): SheetPlan {
  const { text, number, moment, cells } = columnsOf<Change>()
  const short = { style: style.body }
  const values = (header: string, value: (change: Change) => Change['value']) => ({
    ...cells(header, (change) => valueCell(value(change)), { maxWidth: CELL_UNITS }),
    full: value,
  })
  return tableSheet(layout, {
    grid: 'Changes',
    title: 'Changes',
    note: noteOf(layout),
    rows: layout.report.changes,
    emptyText: 'No changes observed.',
    frozenColumns: 1,
    columns: {
      seenBy: moment('Seen by', (change) => change.seenBy),
      after: moment('After', (change) => change.after),
      entity: text('Type', (change) => (change.entity === 'rfq' ? 'RFQ' : 'offer'), short),
      label: text('Name', (change) => change.label),
      kind: text('Kind', kindOf, short),
      event: text('Event', (change) => EVENT_LABELS[change.event], short),
      field: text('Field', (change) => change.field, { maxWidth: 40 }),
      before: values('Before', (change) => change.before),
      value: values('Value', (change) => change.value),
      difference: number('Difference', (change) => change.difference, DIFFERENCE),
      unit: text('Unit', (change) => change.unit, short),
      message: text('Description', (change) => truncateToLines(change.message, 60, CELL_LINES, '…'), {
        maxWidth: 60,
        full: (change) => change.message,
      }),
      version: number('Version', (change) => change.version),
      id: text('Id', (change) => change.id, { maxWidth: 40 }),
    },
    marks: (changes) => [
      mark(changes.area('kind'), isOneOf(here, 'first sighting', 'reading'), 'muted'),
      mark(changes.area('event'), isOneOf(here, EVENT_LABELS.withdrawn, EVENT_LABELS.rejected), 'bad'),
      mark(changes.area('event'), is(here, '=', EVENT_LABELS.accepted), 'good'),
    ],
  })
}

/** A value as received: numbers as numbers, everything else as text. */
function valueCell(value: Change['value']): Cell {
  if (typeof value === 'number') return numberCell(value, VALUE)
  if (typeof value === 'boolean') return textCell(value ? 'true' : 'false', style.body)
  return textCell(value === null ? null : truncateToLines(value, CELL_UNITS, CELL_LINES, '…'), style.wrapped)
}
