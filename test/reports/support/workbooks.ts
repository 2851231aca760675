import { buffer } from 'node:stream/consumers'
import * as workbooks from '../../../reports/workbooks.js'
import { type BuildOptions, streamWorkbook } from '../../../reports/xlsx/workbook-writer.js'
import type { ChannelReport } from '../../../src/compare/channel/channel-report-model.js'
import type { RfqReport } from '../../../src/compare/report/rfq-report-model.js'

/** Whole workbooks, as bytes. */
export const rfqWorkbook = (report: RfqReport, options?: BuildOptions): Promise<Buffer> =>
  buffer(workbooks.rfqWorkbook(report, options))
export const channelWorkbook = (report: ChannelReport, options?: BuildOptions): Promise<Buffer> =>
  buffer(workbooks.channelWorkbook(report, options))
export const buildWorkbook = (...args: Parameters<typeof streamWorkbook>): Promise<Buffer> =>
  buffer(streamWorkbook(...args))
