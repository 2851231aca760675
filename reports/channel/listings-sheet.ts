import type { ListingRow } from '../../src/domain/comparison/channel/channel-report-model.js'
import { makeGrid } from '../layout/grid.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { type ColumnPlan, HEADER_ROW, tableSheet } from '../layout/table-sheet.js'
import { joinList, yesNo } from '../layout/wording.js'
import {
  body,
  calendarDate,
  centred,
  currencyCode,
  integer,
  link,
  plainNumber,
  type Style,
  timestamp,
  wrapped,
} from '../xlsx/cell-styles.js'
import { date, moment, number, text, webLink } from '../xlsx/cells.js'
import { type ChannelLayout, channelHeading } from './layout.js'

const NOTE = 'One row per listing, as described by its developer: labels, methodologies and registry ids are claims.'
const KEYS = [
  'project',
  'organization',
  'country',
  'registry',
  'registryId',
  'methodologies',
  'activity',
  'ecosystems',
  'labels',
  'stages',
  'issued',
  'available',
  'offered',
  'rfqs',
  'offers',
  'minPrice',
  'maxPrice',
  'currency',
  'facts',
  'storefront',
  'missing',
  'valid',
  'version',
  'observed',
  'id',
] as const
type Key = (typeof KEYS)[number]
type Column = ColumnPlan<ListingRow>

/** `Listings` of a channel. */
export function channelListingsSheet(layout: ChannelLayout): SheetPlan {
  return tableSheet<ListingRow, Key>({
    grid: makeGrid('Listings', KEYS, HEADER_ROW, layout.report.listings.length),
    heading: channelHeading(layout, 'Listings', NOTE),
    columns: columns(layout),
    rows: layout.report.listings,
    emptyText: 'No listings.',
    frozenColumns: 1,
    pagesWide: 2,
  })
}

function columns({ numbers }: ChannelLayout): Record<Key, Column> {
  const textColumn = (head: string, value: (listing: ListingRow) => unknown, maxWidth = 32): Column => ({
    header: head,
    maxWidth,
    cell: (listing) => text(value(listing), wrapped),
  })
  const numberColumn = (head: string, value: (listing: ListingRow) => number | null, style: Style): Column => ({
    header: head,
    alignRight: true,
    cell: (listing) => number(value(listing), style),
  })
  const price = (head: string, value: (listing: ListingRow) => number | null): Column => ({
    header: head,
    alignRight: true,
    cell: (listing) => number(value(listing), numbers.price(currencyCode(listing.currency))),
  })
  return {
    project: textColumn('Project', (listing) => listing.projectName, 40),
    organization: textColumn('Developer', (listing) => listing.organizationName),
    country: textColumn('Country', (listing) => listing.country),
    registry: textColumn('Registry', (listing) => listing.registry),
    registryId: textColumn('Registry id', (listing) => listing.registryId),
    methodologies: textColumn('Methodologies', (listing) => joinList(listing.methodologies), 40),
    activity: textColumn('Mitigation activity', (listing) => listing.mitigationActivity),
    ecosystems: textColumn('Ecosystems', ({ ecosystemTypes, ecosystemSubtypes }) =>
      joinList([...ecosystemTypes, ...ecosystemSubtypes]),
    ),
    labels: textColumn('Labels, as claimed', (listing) => joinList(listing.labels)),
    stages: textColumn('Project stages', (listing) => joinList(listing.projectStages)),
    issued: { header: 'First issuance', cell: (listing) => date(listing.firstIssuanceDate, calendarDate) },
    available: numberColumn('Available volume (t)', (listing) => listing.availableVolume, numbers.volume),
    offered: numberColumn('Volume in offers (t)', (listing) => listing.offeredVolume, numbers.volume),
    rfqs: numberColumn('RFQs', (listing) => listing.rfqs, integer),
    offers: numberColumn('Offers', (listing) => listing.offers, integer),
    minPrice: price('Lowest price per tonne', (listing) => listing.minUnitPrice),
    maxPrice: price('Highest price per tonne', (listing) => listing.maxUnitPrice),
    currency: textColumn('Currency', (listing) => listing.currency),
    facts: numberColumn('Facts stated (of 6)', (listing) => listing.factsStated, integer),
    storefront: {
      header: 'Storefront',
      cell: (listing) => webLink(listing.storefrontUrl === null ? null : 'open', listing.storefrontUrl, link, body),
    },
    missing: { header: 'Missing since', cell: (listing) => moment(listing.missingSince, timestamp) },
    valid: { header: 'Matches API documentation', cell: (listing) => text(yesNo(listing.valid), centred) },
    version: numberColumn('Version', (listing) => listing.version, plainNumber),
    observed: { header: 'Observed', cell: (listing) => moment(listing.observedAt, timestamp) },
    id: textColumn('Listing id', (listing) => listing.id, 40),
  }
}
