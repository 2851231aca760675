import type { ChannelReport } from '../../src/domain/comparison/channel-model.js'
import { type AboutRow, pairs, titled, wordsSheet } from '../layout/text-sheet.js'
import type { SheetPlan } from '../plan.js'
import { type ChannelBook, channelHeading } from './layout.js'

const NOTE = 'What the figures mean, what they rest on, and what the data cannot say.'

/** `About` of a channel's workbook. */
export const channelAboutSheet = (book: ChannelBook): SheetPlan =>
  wordsSheet(channelHeading(book, 'About this workbook', NOTE), () => aboutRows(book.report))

function* aboutRows({ context, about }: ChannelReport): Generator<AboutRow> {
  yield* titled(
    'How to read it',
    pairs([
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
  yield* titled('Definitions', pairs(about.definitions.map(({ term, words }) => [term, words])))
  yield* titled('What the data cannot say', pairs(about.limits.map((words, index) => [`${index + 1}`, words])))
  yield* titled('Sources', pairs([['Observation runs', runWords(about.runs)]]))
}

/** Runs in a row are told by the first and the last of them. */
export function runWords(runs: readonly number[]): string {
  const spans: [number, number][] = []
  for (const run of runs) {
    const last = spans.at(-1)
    if (last !== undefined && run === last[1] + 1) last[1] = run
    else spans.push([run, run])
  }
  return spans.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ') || 'none'
}
