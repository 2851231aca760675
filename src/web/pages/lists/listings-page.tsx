import type { ListingItem } from '../../../tables/listings/listings.js'
import { channelColumn, momentColumn, withUnit } from '../../components/columns.js'
import { amount, Badge, plain, price, range, UNKNOWN } from '../../components/format.js'
import type { Column } from '../../tables/table.js'
import { type PageContent, type PageRequest, pageOf, readChannel, readPast, readSearch } from '../page.js'
import { listPage } from './list-page.js'

/** `/listings`: the projects that developers offer credits from. */
export async function listingsPage(page: PageRequest): Promise<PageContent> {
  const { query, queries, channels } = page
  const channel = await readChannel(page)
  const past = await readPast(page, { ...channel, kind: 'listings' })
  const search = readSearch(query)
  const rows = await queries.listings({ ...channel, search, ...(past && { asOf: past.asOf }) })
  return listPage(page, {
    path: '/listings',
    title: 'Listings',
    past,
    search: { name: 'q', title: 'Search', hint: 'Project, developer, country' },
    choices: [{ name: 'channel', title: 'Channel', values: channels }],
    shown: pageOf(page, {
      name: 'listings',
      caption: 'Listings',
      columns: [...COLUMNS, channelColumn(channels), CHANGED],
      narrow: 'lines',
      rows,
      empty:
        search === '' ? (
          <>No listings were seen yet. They appear with the next poll.</>
        ) : (
          <>
            No listing has all of these words. <a href="/listings">Show all listings</a>
          </>
        ),
    }),
  })
}

const COLUMNS: readonly Column<ListingItem>[] = [
  {
    key: 'projectName',
    title: 'Project',
    width: 'clip',
    value: ({ projectName }) => projectName,
    cell: ({ projectName, missingSince, valid }) => (
      <>
        {plain(projectName)} {missingSince !== null && <Badge tone="warn">missing</Badge>}
        {!valid && <Badge tone="warn">not valid</Badge>}
      </>
    ),
  },
  {
    key: 'organizationName',
    title: 'Developer',
    width: 'clip',
    value: ({ organizationName }) => organizationName,
  },
  { key: 'country', title: 'Country', value: ({ country }) => country },
  {
    key: 'registry',
    title: 'Registry',
    width: 'clip',
    value: ({ registry }) => registry,
    cell: ({ registry, registryId }) => plain(`${registry ?? ''} ${registryId ?? ''}`),
  },
  {
    key: 'price',
    title: 'Price per t',
    align: 'right',
    value: ({ minUnitPrice }) => minUnitPrice,
    cell: ({ minUnitPrice, maxUnitPrice, currency }) =>
      minUnitPrice === null && maxUnitPrice === null
        ? UNKNOWN
        : withUnit(`${range(minUnitPrice, maxUnitPrice, price)} ${plain(currency)}`, 'per t'),
  },
  {
    key: 'volume',
    title: 'Available, t',
    align: 'right',
    value: ({ totalAvailableVolume }) => totalAvailableVolume,
    cell: ({ totalAvailableVolume: volume }) => (volume === null ? UNKNOWN : withUnit(amount(volume), 't available')),
  },
]

const CHANGED = momentColumn<ListingItem>('observedAt', 'Changed', ({ observedAt }) => observedAt, {
  fileOnly: true,
})
