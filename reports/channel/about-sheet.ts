import { aboutSheet, contextTerms, definitionSection, LIMITS } from '../layout/about-sheet.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import type { ChannelLayout } from './layout.js'

/** `About` of a channel's workbook. */
export const channelAboutSheet = (layout: ChannelLayout): WriteSheet => {
  const { context, settings } = layout.report
  const sections = [['How to read this workbook', contextTerms(context)], LIMITS] as const
  return aboutSheet(layout, 'Definitions and limits of the data.', sections, [definitionSection(settings)])
}
