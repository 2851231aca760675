import type { ChannelReport } from '../../src/domain/comparison/channel/channel-report-model.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { type TextRow, termRows, textSheet, titledSection } from '../layout/text-sheet.js'
import { type ChannelLayout, channelHeading } from './layout.js'

const NOTE = 'What the figures mean, what they rest on, and what the data cannot say.'

/** `About` of a channel's workbook. */
export const channelAboutSheet = (layout: ChannelLayout): SheetPlan =>
  textSheet(channelHeading(layout, 'About this workbook', NOTE), () => aboutRows(layout.report))

function* aboutRows({ context, about }: ChannelReport): Generator<TextRow> {
  yield* titledSection(
    'How to read it',
    termRows([
      [
        'Made by',
        `Quotekeeper ${context.programVersion}. When this file was made is its own date; it is not written inside.`,
      ],
      [
        'As of',
        `${context.asOf}: what had been observed by then, and nothing later. Days are counted from ${context.asOfDate}, in the calendar of ${context.timeZone}.`,
      ],
      [
        'Formulas',
        'Counts and sums on RFQs and Summary are formulas over Offers; each holds the result it was written with.',
      ],
    ]),
  )
  yield* titledSection('Definitions', termRows(about.definitions.map(({ term, words }) => [term, words])))
  yield* titledSection(
    'What the data cannot say',
    termRows(about.limits.map((words, index) => [`${index + 1}`, words])),
  )
  yield* titledSection('Sources', termRows([['Observation runs', runRanges(about.runs)]]))
}

/** Runs in a row are told by the first and the last of them. */
export function runRanges(runs: readonly number[]): string {
  const spans: [number, number][] = []
  for (const run of runs) {
    const last = spans.at(-1)
    if (last !== undefined && run === last[1] + 1) last[1] = run
    else spans.push([run, run])
  }
  return spans.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ') || 'none'
}
