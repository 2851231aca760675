import type { ChannelReport } from '../src/domain/comparison/channel-model.js'
import { channelAboutSheet } from './channel/about.js'
import { channelClosingsSheet } from './channel/closings.js'
import { channelListingsSheet } from './channel/listings.js'
import { channelOffersSheet } from './channel/offers.js'
import { channelRfqsSheet } from './channel/rfqs.js'
import { channelSummarySheet } from './channel/summary.js'
import { channelBook, channelIdentity } from './channel-book.js'
import type { SheetMaker } from './plan.js'
import { type BuildOptions, buildWorkbook } from './workbook.js'

/** Makers of the sheets of a channel's workbook, in order. */
export function channelSheets(report: ChannelReport): SheetMaker[] {
  const book = channelBook(report)
  return [
    channelSummarySheet,
    channelRfqsSheet,
    channelOffersSheet,
    channelClosingsSheet,
    channelListingsSheet,
    channelAboutSheet,
  ].map((make) => () => make(book))
}

/**
 * The overview workbook of a channel, as bytes. Equal reports give equal bytes.
 * @throws whatever `options.signal` was aborted with
 */
export function channelWorkbook(report: ChannelReport, options: BuildOptions = {}): Promise<Buffer> {
  return buildWorkbook(channelSheets(report), channelIdentity(report), options)
}
