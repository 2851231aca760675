import type { ChannelReport } from '../../src/domain/comparison/channel/channel-report-model.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { type TextRow, termRows, textSheet, titledSection } from '../layout/text-sheet.js'
import { type ChannelLayout, channelHeading } from './layout.js'

const NOTE = 'Definitions, sources and limits of the data.'

/** `About` of a channel's workbook. */
export const channelAboutSheet = (layout: ChannelLayout): SheetPlan =>
  textSheet(channelHeading(layout, 'About this workbook', NOTE), () => aboutRows(layout.report))

function* aboutRows({ context, about }: ChannelReport): Generator<TextRow> {
  yield* titledSection(
    'How to read this workbook',
    termRows([
      [
        'Made by',
        `Quotekeeper ${context.programVersion}. The time of generation is the date of the file itself and is not stored inside.`,
      ],
      [
        'As of',
        `${context.asOf}: everything observed up to then, nothing later. Days are counted from ${context.asOfDate}, in the time zone ${context.timeZone}.`,
      ],
      ['Formulas', 'Counts and sums on RFQs and Summary are formulas over Offers, stored with their results.'],
    ]),
  )
  yield* titledSection('Definitions', termRows(about.definitions.map(({ term, words }) => [term, words])))
  yield* titledSection(
    'What the data cannot say',
    termRows(about.limits.map((words, index) => [`${index + 1}`, words])),
  )
  yield* titledSection('Sources', termRows([['Observation runs', runRanges(about.runs)]]))
}

/** Run numbers as text; consecutive ones as ranges, such as `1–3, 7`. */
export function runRanges(runs: readonly number[]): string {
  const spans: [number, number][] = []
  for (const run of runs) {
    const last = spans.at(-1)
    if (last !== undefined && run === last[1] + 1) last[1] = run
    else spans.push([run, run])
  }
  return spans.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ') || 'none'
}
