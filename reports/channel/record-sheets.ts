import type { ListingRow, OfferRow } from '../../src/compare/channel/summarise-channel.js'
import type { ReportedDecision } from '../../src/compare/input/comparison-input.js'
import { columnsOf } from '../layout/columns.js'
import { tableSheet } from '../layout/table-sheet.js'
import { joinList, yesNo as yesNoText } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { webLink } from '../xlsx/cells.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import type { ChannelLayout } from './layout.js'

/** `Offers` of a channel. */
export function channelOffersSheet(layout: ChannelLayout): WriteSheet {
  const { tonnes, rowOf } = layout
  const { text, codes, number, date, moment, yesNo } = columnsOf<OfferRow>()
  const compared = (offer: OfferRow) => style.totalIn(offer.comparisonCurrency)
  const own = (offer: OfferRow) => style.totalIn(offer.currency)
  return tableSheet(layout, {
    name: 'Offers',
    title: 'Offers',
    note: 'One row per offer, in the order of RFQs, then by rank. “No.” is the row number of its RFQ on the sheet RFQs.',
    rows: layout.report.offers,
    frozenColumns: 3,
    columns: {
      rfq: number('No.', (offer) => rowOf.get(offer.rfqId)),
      number: number('RFQ', (offer) => offer.rfqNumber),
      label: text('Offer', (offer) => offer.label, { maxWidth: 36 }),
      developer: text('Developer', (offer) => offer.developer),
      project: text('Project', (offer) => offer.project, { maxWidth: 36 }),
      status: codes('Status', (offer) => offer.status ?? 'unknown'),
      ranked: yesNo('Ranked', (offer) => offer.rank !== null),
      rank: number(
        'Rank',
        (offer) => offer.rank,
        ({ rank }) => (rank === 1 ? style.asGood(style.plainNumber) : style.plainNumber),
      ),
      price: number('Price per tonne, comparison currency', (offer) => offer.compared.pricePerTonne, compared),
      total: number('Total, comparison currency', (offer) => offer.compared.total, compared),
      comparedIn: text('Comparison currency', (offer) => offer.comparisonCurrency),
      volume: number('Volume (t)', (offer) => offer.volume, tonnes),
      ownPrice: number('Own price per tonne', (offer) => offer.pricePerTonne, own),
      ownTotal: number('Own total', (offer) => offer.total, own),
      currency: text('Own currency', (offer) => offer.currency),
      why: text('Reason not ranked', (offer) => offer.why, { maxWidth: 44 }),
      loud: number(
        'Loud flags',
        (offer) => offer.flags.loud,
        (offer) => style.badIf(offer.flags.loud > 0, style.integer),
      ),
      quiet: number('Quiet flags', (offer) => offer.flags.quiet, style.integer),
      flags: text('Flags', (offer) => offer.flagMessages.join('\n'), { maxWidth: 70 }),
      contract: codes('Contract type', (offer) => offer.contractType),
      submitted: moment('Submitted', (offer) => offer.submittedAt),
      late: text('Submitted late', (offer) => yesNoText(offer.late)),
      expiry: date('Expires', (offer) => offer.expiryDate),
      daysToExpiry: number('Days to expiry', (offer) => offer.daysToExpiry),
      view: text('Visible on marketplace', (offer) => yesNoText(offer.inView)),
      version: number('Version', (offer) => offer.version),
      observed: moment('Observed', (offer) => offer.observedAt),
      id: text('Offer id', (offer) => offer.id, { maxWidth: 40 }),
    },
  })
}

const FAILED: ReadonlySet<string> = new Set(['failed', 'refused', 'unknown'])

/** `Closings` of a channel. */
export function channelClosingsSheet(layout: ChannelLayout): WriteSheet {
  const { text, codes, number, date, moment } = columnsOf<ReportedDecision>()
  return tableSheet(layout, {
    name: 'Closings',
    title: 'Closings',
    note: 'Decisions to close or keep RFQs, newest first, with their reasons and outcomes.',
    rows: layout.report.closings,
    frozenColumns: 2,
    columns: {
      decided: moment('Decided', (decision) => decision.decidedAt),
      number: number('RFQ', (decision) => decision.rfqNumber),
      due: date('Response due date', (decision) => decision.dueDate),
      zone: text('Time zone', (decision) => decision.timeZone),
      decision: codes('Decision', (decision) => decision.decision),
      outcome: codes('Outcome', (decision) => decision.outcome, {
        style: ({ outcome }) => style.badIf(FAILED.has(outcome ?? ''), style.wrapped),
      }),
      reason: text('Reason', (decision) => decision.reason, { maxWidth: 70 }),
      http: number('HTTP status', (decision) => decision.httpStatus),
      message: text('Message', (decision) => decision.message, { maxWidth: 40 }),
      before: number('Version before', (decision) => decision.versionBefore),
      after: number('Version after', (decision) => decision.versionAfter),
      run: number('Run', (decision) => decision.runId),
      no: number('No.', (decision) => decision.id),
      id: text('RFQ id', (decision) => decision.rfqId, { maxWidth: 40 }),
    },
  })
}

/** `Listings` of a channel. */
export function channelListingsSheet(layout: ChannelLayout): WriteSheet {
  const { tonnes: volume } = layout
  const { text, codes, country, number, date, moment, yesNo, cells } = columnsOf<ListingRow>()
  const own = (listing: ListingRow) => style.priceIn(listing.currency)
  return tableSheet(layout, {
    name: 'Listings',
    title: 'Listings',
    note: 'One row per listing, as described by its developer: labels, methodologies and registry ids are claims.',
    rows: layout.report.listings,
    frozenColumns: 1,
    columns: {
      project: text('Project', (listing) => listing.projectName, { maxWidth: 40 }),
      organization: text('Developer', (listing) => listing.organizationName),
      country: country('Country', (listing) => listing.country),
      registry: codes('Registry', (listing) => listing.registry),
      registryId: text('Registry id', (listing) => listing.registryId),
      methodologies: text('Methodologies', (listing) => joinList(listing.methodologies), { maxWidth: 40 }),
      activity: codes('Mitigation activity', (listing) => listing.mitigationActivity),
      ecosystems: codes('Ecosystems', (listing) => [...listing.ecosystemTypes, ...listing.ecosystemSubtypes]),
      labels: codes('Labels, as claimed', (listing) => listing.labels),
      stages: codes('Project stages', (listing) => listing.projectStages),
      issued: date('First issuance', (listing) => listing.firstIssuanceDate),
      available: number('Available volume (t)', (listing) => listing.availableVolume, volume),
      offered: number('Volume in offers (t)', (listing) => listing.offeredVolume, volume),
      rfqs: number('RFQs', (listing) => listing.rfqs, style.integer),
      offers: number('Offers', (listing) => listing.offers, style.integer),
      minPrice: number('Lowest price per tonne', (listing) => listing.minUnitPrice, own),
      maxPrice: number('Highest price per tonne', (listing) => listing.maxUnitPrice, own),
      currency: text('Currency', (listing) => listing.currency),
      storefront: cells('Storefront', ({ storefrontUrl }) =>
        webLink(storefrontUrl === null ? null : 'open', storefrontUrl, style.link, style.body),
      ),
      missing: moment('Missing since', (listing) => listing.missingSince),
      valid: yesNo('Matches API documentation', (listing) => listing.valid),
      version: number('Version', (listing) => listing.version),
      observed: moment('Observed', (listing) => listing.observedAt),
      id: text('Listing id', (listing) => listing.id, { maxWidth: 40 }),
    },
  })
}
