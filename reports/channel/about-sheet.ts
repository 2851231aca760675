import { aboutSheet, contextTerms, definitionSection, limitSection } from '../layout/about-sheet.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import type { ChannelLayout } from './layout.js'

const NOTE = 'Definitions, sources and limits of the data.'

/** `About` of a channel's workbook. */
export const channelAboutSheet = (layout: ChannelLayout): WriteSheet => {
  const { context, about } = layout.report
  const sections = [['How to read this workbook', contextTerms(context)], limitSection(about)] as const
  const runs = ['Sources', [['Observation runs', runRanges(about.runs)]]] as const
  return aboutSheet(layout, NOTE, sections, [definitionSection(about), runs])
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
