import { type Change, EVENT_LABELS, isChange } from '../../src/compare/report/document-changes.js'
import { columnsOf } from '../layout/columns.js'
import { here, is, isOneOf, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import { truncateToLines } from '../layout/text-metrics.js'
import * as style from '../xlsx/cell-styles.js'
import type { RfqLayout } from './layout.js'

/** How many changes there are, apart from first sightings, and how to read their times. */
function noteOf({ report: { changes } }: RfqLayout): string {
  const changed = changes.filter(isChange).length
  const counts = `${changed} ${changed === 1 ? 'change' : 'changes'}, apart from ${changes.length - changed} first sightings and readings.`
  return `${counts} Oldest first. Each happened between “After” and “Seen”; the exact time is not known.`
}

const kindOf = (change: Change) =>
  isChange(change) ? 'change' : change.event === 'appeared' ? 'first sighting' : 'reading'

const CELL_LINES = 12
const MESSAGE_UNITS = 90

/** `Changes`: the history of the RFQ and its offers. */
export function changesSheet(layout: RfqLayout): SheetPlan {
  const { text, number, moment } = columnsOf<Change>()
  const short = { style: style.body }
  return tableSheet(layout, {
    grid: 'Changes',
    title: 'Changes',
    note: noteOf(layout),
    rows: layout.report.changes,
    emptyText: 'No changes observed.',
    frozenColumns: 1,
    columns: {
      observedAt: moment('Seen', (change) => change.observedAt),
      notBefore: moment('After', (change) => change.notBefore),
      label: text('Name', (change) => change.label),
      message: text('What changed', (change) => truncateToLines(change.message, MESSAGE_UNITS, CELL_LINES, '…'), {
        maxWidth: MESSAGE_UNITS,
      }),
      kind: text('Kind', kindOf, short),
      event: text('Event', (change) => EVENT_LABELS[change.event], short),
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
