import type { Readable } from 'node:stream'
import type { ChannelReport } from '../src/compare/channel/channel-report-model.js'
import type { RfqReport } from '../src/compare/report/rfq-report-model.js'
import { channelIdentity } from './channel/layout.js'
import { channelSheets } from './channel/workbook.js'
import { rfqIdentity } from './rfq/layout.js'
import { rfqSheets } from './rfq/workbook.js'
import { type BuildOptions, streamWorkbook } from './xlsx/workbook-writer.js'

/** The workbook of an RFQ, which is generated while its stream is read. */
export const rfqWorkbook = (report: RfqReport, options: BuildOptions = {}): Readable =>
  streamWorkbook(rfqSheets(report), rfqIdentity(report), options)

/** The overview of a channel, like `rfqWorkbook`. */
export const channelWorkbook = (report: ChannelReport, options: BuildOptions = {}): Readable =>
  streamWorkbook(channelSheets(report), channelIdentity(report), options)
