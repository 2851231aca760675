import { buffer } from 'node:stream/consumers'
import {
  type ChannelRenderOptions,
  type RfqRenderOptions,
  renderChannelReport,
  renderRfqReport,
} from '../../../reports/formats.js'
import { streamWorkbook } from '../../../reports/xlsx/workbook-writer.js'
import type { ChannelReport } from '../../../src/compare/channel/channel-report-model.js'
import type { RfqReport } from '../../../src/compare/report/rfq-report-model.js'

/** Whole workbooks, as bytes. */
export const rfqWorkbook = (report: RfqReport, options?: RfqRenderOptions): Promise<Buffer> =>
  buffer(renderRfqReport(report, 'xlsx', options))
export const channelWorkbook = (report: ChannelReport, options?: ChannelRenderOptions): Promise<Buffer> =>
  buffer(renderChannelReport(report, 'xlsx', options))
export const buildWorkbook = (...args: Parameters<typeof streamWorkbook>): Promise<Buffer> =>
  buffer(streamWorkbook(...args))
