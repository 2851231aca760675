import type { OfferRow } from '../../src/domain/comparison/channel/channel-report-model.js'
import { unreadText } from '../../src/domain/comparison/rfq/rfq-flags.js'
import { columnsOf } from '../layout/columns.js'
import { here, is, mark } from '../layout/marks.js'
import { headingOf } from '../layout/rows.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import { yesNo as inWords } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import type { ChannelLayout, OfferRowKey } from './layout.js'

const NOTE =
  'One row per offer, in the order of RFQs, then by rank. “No.” is the row number of its RFQ on the sheet RFQs.'

/** `Offers` of a channel. */
export function channelOffersSheet(layout: ChannelLayout): SheetPlan {
  const { offers, numbers, rowOf, unreadOffers } = layout
  const { text, codes, number, date, moment, yesNo, days } = columnsOf<OfferRow, OfferRowKey>(offers)
  const compared = (offer: OfferRow) => numbers.money(style.currencyCode(offer.comparisonCurrency))
  const own = (offer: OfferRow) => numbers.money(style.currencyCode(offer.currency))
  return tableSheet({
    grid: offers,
    heading: headingOf(layout, 'Offers', NOTE),
    rows: layout.report.offers,
    emptyText: unreadOffers === 0 ? 'No offers received.' : `${unreadText(unreadOffers)}.`,
    frozenColumns: 3,
    columns: {
      rfq: { ...number('No.', (offer) => rowOf.get(offer.rfqId)), workbookOnly: true },
      number: number('RFQ', (offer) => offer.rfqNumber),
      label: text('Offer', (offer) => offer.label, { maxWidth: 36 }),
      developer: text('Developer', (offer) => offer.developer),
      project: text('Project', (offer) => offer.project, { maxWidth: 36 }),
      status: codes('Status', (offer) => offer.status ?? 'unknown'),
      ranked: yesNo('Ranked', (offer) => offer.rank !== null),
      rank: number('Rank', (offer) => offer.rank),
      score: number('Score (0–100)', (offer) => offer.score, style.oneDecimal),
      price: number('Price per tonne, comparison currency', (offer) => offer.compared.pricePerTonne, compared),
      total: number('Total, comparison currency', (offer) => offer.compared.total, compared),
      comparedIn: text('Comparison currency', (offer) => offer.comparisonCurrency),
      volume: number('Volume (t)', (offer) => offer.volume, numbers.volume),
      ownPrice: number('Price per tonne, own currency', (offer) => offer.pricePerTonne, own),
      ownTotal: number('Total, own currency', (offer) => offer.total, own),
      currency: text('Currency', (offer) => offer.currency),
      meets: yesNo('Meets all requirements', (offer) => offer.meetsRequirements),
      why: text('Reason not ranked', (offer) => offer.exclusions.join('\n'), { maxWidth: 44 }),
      high: number('High flags', (offer) => offer.flags.high, style.integer),
      medium: number('Medium flags', (offer) => offer.flags.medium, style.integer),
      low: number('Low flags', (offer) => offer.flags.low, style.integer),
      flags: text('Flags', (offer) => offer.flagWords.join('\n'), { maxWidth: 70 }),
      contract: codes('Contract type', (offer) => offer.contractType),
      submitted: moment('Submitted', (offer) => offer.submittedAt),
      late: text('Submitted late', (offer) => inWords(offer.late)),
      expiry: date('Expires', (offer) => offer.expiryDate),
      daysToExpiry: days('Days to expiry', 'expiry', (offer) => [offer.expiryDate, offer.daysToExpiry]),
      view: text('Visible on marketplace', (offer) => inWords(offer.inView)),
      version: number('Version', (offer) => offer.version),
      observed: moment('Observed', (offer) => offer.observedAt),
      id: text('Offer id', (offer) => offer.id, { maxWidth: 40 }),
    },
    marks: () => [
      mark(offers.area('rank'), is(here, '=', 1), 'good'),
      mark(offers.area('high'), is(here, '>', 0), 'bad'),
    ],
  })
}
