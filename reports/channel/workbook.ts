import type { ChannelReport } from '../../src/domain/comparison/channel/channel-report-model.js'
import { guardSheet } from '../layout/guard.js'
import type { SheetFactory } from '../layout/sheet-plan.js'
import { type BuildOptions, buildWorkbook } from '../xlsx/workbook-writer.js'
import { channelAboutSheet } from './about-sheet.js'
import { channelClosingsSheet } from './closings-sheet.js'
import { channelIdentity, channelLayout } from './layout.js'
import { channelListingsSheet } from './listings-sheet.js'
import { channelOffersSheet } from './offers-sheet.js'
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
  ].map((make) => () => guardSheet(make(layout)))
}

/**
 * The overview workbook of a channel, as bytes. Equal reports give equal bytes.
 * @throws whatever `options.signal` was aborted with
 */
export function channelWorkbook(report: ChannelReport, options: BuildOptions = {}): Promise<Buffer> {
  return buildWorkbook(channelSheets(report), channelIdentity(report), options)
}
