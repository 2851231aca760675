import type { ChannelReport } from '../src/compare/channel/summarise-channel.js'
import type { RfqReport } from '../src/compare/report/compare-offers.js'
import { channelIdentity } from './channel/layout.js'
import { channelSheets } from './channel/workbook.js'
import { rfqIdentity } from './rfq/layout.js'
import { rfqSheets } from './rfq/workbook.js'
import { type BuildOptions, buildWorkbook, streamWorkbook } from './xlsx/workbook.js'

/** The workbook of an RFQ, as the bytes of a file. */
export const rfqWorkbook = (report: RfqReport, options: BuildOptions = {}): Promise<Buffer> =>
  buildWorkbook(rfqSheets(report), rfqIdentity(report), options)

/** The overview of a channel, which may have 100,000 offers. */
export const channelWorkbook = (report: ChannelReport, options: BuildOptions = {}): Promise<Buffer> =>
  streamWorkbook(channelSheets(report), channelIdentity(report), options)
