import type { ChannelReport } from '../../src/compare/channel/channel-report-model.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import {
  contextTerms,
  definitionSection,
  limitSection,
  termRows,
  textSheet,
  titledSection,
} from '../layout/text-sheet.js'
import type { ChannelLayout } from './layout.js'

const NOTE = 'Definitions, sources and limits of the data.'

/** `About` of a channel's workbook. */
export const channelAboutSheet = (layout: ChannelLayout) => textSheet(layout, NOTE, () => aboutRows(layout.report))

function* aboutRows({ context, about }: ChannelReport): Generator<RowPlan> {
  yield* titledSection('How to read this workbook', termRows(contextTerms(context)))
  yield* definitionSection(about)
  yield* limitSection(about)
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
