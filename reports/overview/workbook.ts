import { listNamed } from '../../src/tables/lists/lists.js'
import { aboutSheet, definitionSection, LIMITS, madeByTerm, type Term } from '../layout/about-sheet.js'
import { listSheet } from '../layout/list-sheet.js'
import { asOfLabel } from '../layout/wording.js'
import type { ReportIdentity, WriteSheet } from '../xlsx/workbook.js'
import { nameOf, OVERVIEW_LISTS, type Overview } from './overview.js'
import { overviewSummarySheet } from './summary-sheet.js'

/** The sheets of an overview in order. */
export function overviewSheets(overview: Overview): Record<string, WriteSheet> {
  const layout = { subject: subjectOf(overview) }
  const lists = OVERVIEW_LISTS.map((name) => listOf(name, overview))
  return {
    Summary: overviewSummarySheet(overview),
    ...Object.fromEntries(lists.map((list) => [list.title, listSheet(layout, list)])),
    About: aboutSheet(
      layout,
      'Definitions and limits of the data.',
      [['How to read this workbook', terms(overview)], LIMITS],
      [definitionSection(overview.settings)],
    ),
  }
}

/** Where all rows are of one channel, it is not said in each. */
function listOf(name: (typeof OVERVIEW_LISTS)[number], { channel, rows }: Overview) {
  const { title, about, columns } = listNamed(name)
  const shown = columns.filter(({ key }) => channel === null || key !== 'channel' || name === 'channels')
  return { title, about, columns: shown, rows: rows[name] }
}

const terms = (overview: Overview): Term[] => [
  ['As of', `${overview.now.toISOString()}: what was recorded by then, and the figures that were recorded with it.`],
  ['Award', 'Of an RFQ: the award on record, or else what is accepted, or else what is recommended.'],
  ['Savings', 'Of that award, against the maximum price of the RFQ.'],
  [
    'At stake',
    'What is accepted, else awarded on record, else recommended, of RFQs that are open or undecided. Each tonne counts once.',
  ],
  [
    'Changes',
    'What was seen in the last seven days: awards and recommendations, then the newest of the documents, at most 1,000.',
  ],
  madeByTerm(overview),
]

const subjectOf = (overview: Overview) => `${nameOf(overview)} · ${asOfLabel(overview.now.toISOString())}`

export const overviewIdentity = (overview: Overview): ReportIdentity => ({
  title: `${nameOf(overview)}: overview`,
  subject: 'RFQs, awards, changes, closings and listings',
  footer: subjectOf(overview),
  asOf: overview.now,
})
