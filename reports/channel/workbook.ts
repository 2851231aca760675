import type { ChannelReport } from '../../src/compare/channel/channel-report-model.js'
import type { SheetFactory } from '../layout/sheet-plan.js'
import { channelAboutSheet } from './about-sheet.js'
import { channelLayout } from './layout.js'
import { channelClosingsSheet, channelListingsSheet, channelOffersSheet } from './record-sheets.js'
import { channelRfqsSheet } from './rfqs-sheet.js'
import { channelSummarySheet } from './summary-sheet.js'

/** The sheets of a channel's workbook in order, each created only when it is written. */
export function channelSheets(report: ChannelReport): SheetFactory[] {
  const layout = channelLayout(report)
  return [
    channelSummarySheet,
    channelRfqsSheet,
    channelOffersSheet,
    channelClosingsSheet,
    channelListingsSheet,
    channelAboutSheet,
  ].map((make) => () => make(layout))
}
