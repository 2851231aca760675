import type { ChannelReport } from '../../src/compare/channel/summarise-channel.js'
import { sum } from '../../src/core/numbers.js'
import { asOfLabel } from '../layout/wording.js'
import { volumeStyle } from '../xlsx/cell-styles.js'
import type { ReportIdentity } from '../xlsx/workbook.js'

/** The input of the sheets of a channel's workbook: the report, and what all of them show. */
export type ChannelLayout = ReturnType<typeof channelLayout>

export function channelLayout(report: ChannelReport) {
  const { rfqs, offers, listings } = report
  const volumes = [
    ...rfqs.flatMap(({ minVolume, maxVolume }) => [minVolume, maxVolume]),
    ...offers.map(({ volume }) => volume),
    ...listings.map(({ availableVolume }) => availableVolume),
  ]
  return {
    report,
    subject: subjectOf(report),
    tonnes: volumeStyle(volumes),
    /** Offers of RFQs that were not read yet. */
    unreadOffers: sum(rfqs.map(({ unreadOffers }) => unreadOffers)),
    /** Row of an RFQ on `RFQs`, 1, 2, …, by identifier. */
    rowOf: new Map(rfqs.map(({ id }, index) => [id, index + 1])),
  }
}

const subjectOf = ({ context }: ChannelReport) => `${context.channel} · ${asOfLabel(context.asOf)}`

export const channelIdentity = (report: ChannelReport): ReportIdentity => ({
  title: `Channel ${report.context.channel}: overview`,
  subject: 'RFQs, offers, closings and listings of a channel',
  footer: subjectOf(report),
  asOf: new Date(report.context.asOf),
})
