import type { ListingRow } from '../../src/domain/comparison/channel/channel-report-model.js'
import { columnsOf } from '../layout/columns.js'
import { headingOf } from '../layout/rows.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import { joinList } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { webLink } from '../xlsx/cells.js'
import type { ChannelLayout } from './layout.js'

const NOTE = 'One row per listing, as described by its developer: labels, methodologies and registry ids are claims.'

/** `Listings` of a channel. */
export function channelListingsSheet(layout: ChannelLayout): SheetPlan {
  const { volume, price } = layout.numbers
  const { text, codes, country, number, date, moment, yesNo, cells } = columnsOf<ListingRow>()
  const own = (listing: ListingRow) => price(style.currencyCode(listing.currency))
  return tableSheet({
    grid: 'Listings',
    heading: headingOf(layout, 'Listings', NOTE),
    rows: layout.report.listings,
    emptyText: 'No listings.',
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
      facts: number('Facts stated (of 6)', (listing) => listing.factsStated, style.integer),
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
