import type { ChannelReport } from '../../src/compare/channel/summarise-channel.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import { channelAboutSheet } from './about-sheet.js'
import { channelLayout } from './layout.js'
import { channelClosingsSheet, channelListingsSheet, channelOffersSheet } from './record-sheets.js'
import { channelRfqsSheet } from './rfqs-sheet.js'
import { channelSummarySheet } from './summary-sheet.js'

/** The sheets of a channel's workbook in order. */
export function channelSheets(report: ChannelReport): Record<string, WriteSheet> {
  const layout = channelLayout(report)
  return {
    Summary: channelSummarySheet(layout),
    RFQs: channelRfqsSheet(layout),
    Offers: channelOffersSheet(layout),
    Closings: channelClosingsSheet(layout),
    Listings: channelListingsSheet(layout),
    About: channelAboutSheet(layout),
  }
}
