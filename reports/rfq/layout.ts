import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import type { RfqReport } from '../../src/compare/report/compare-offers.js'
import { oneLine } from '../../src/core/text/clean-text.js'
import { rfqView } from '../../src/tables/rfq/rfq-view.js'
import { asOfLabel } from '../layout/wording.js'
import { volumeStyle } from '../xlsx/cell-styles.js'
import type { ReportIdentity } from '../xlsx/workbook.js'

/** The input of the sheets of an RFQ's workbook: the report, and what all of them show. */
export type RfqLayout = ReturnType<typeof rfqLayout>
export type OfferLine = RfqLayout['lines'][number]
export type OfferPrepayment = RfqLayout['payments'][number]

export function rfqLayout(report: RfqReport) {
  const { rfq, offers, currency } = report
  const lines = offers.flatMap((offer) => offer.lines.map((line) => ({ offer, line })))
  const view = rfqView(report)
  const code = currency.comparison
  return {
    report,
    name: rfqName(report),
    subject: subjectOf(report),
    tonnes: volumeStyle([
      ...[rfq.minVolume, rfq.maxVolume],
      ...offers.map(({ terms }) => terms.statedVolume),
      ...lines.map(({ line }) => line.volume),
    ]),
    /** Headers of columns in the comparison currency: `Total (EUR)`, `Price (EUR/t)`. */
    inCurrency: (header: string) => (code === null ? header : `${header} (${code})`),
    perTonne: (header: string) => (code === null ? `${header} per tonne` : `${header} (${code}/t)`),
    /** Each offer as every surface shows it, by id. */
    views: new Map(view.offers.map((offer) => [offer.id, offer])),
    /** `Developer · Project`, as far as they are known. */
    nameOf: ({ developer, project, label }: OfferReport) =>
      oneLine(developer !== null && project !== null ? `${developer} · ${project}` : label),
    lines,
    payments: offers.flatMap((offer) => offer.prepayments.map((payment) => ({ offer, payment }))),
  }
}

/** `RFQ 42 · REF-7`; without a number, the identifier. */
function rfqName({ rfq }: RfqReport): string {
  const name = `RFQ ${rfq.number ?? rfq.id}`
  return rfq.reference === null ? name : `${name} · ${oneLine(rfq.reference)}`
}

export const rfqIdentity = (report: RfqReport): ReportIdentity => ({
  title: `${rfqName(report)}: offer comparison`,
  subject: report.rfq.title ?? 'Offer comparison',
  footer: `${rfqName(report)} · ${report.context.channel} · ${asOfLabel(report.context.asOf)}`,
  asOf: new Date(report.context.asOf),
})

/** The same line on all sheets. */
function subjectOf(report: RfqReport): string {
  const parts = [rfqName(report), report.rfq.title ?? '', report.context.channel, asOfLabel(report.context.asOf)]
  return parts.map(oneLine).filter(Boolean).join(' · ')
}
