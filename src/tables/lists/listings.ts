import { field, money } from '../column.js'
import { channelFilter, sinceFilter } from '../filter.js'
import { sqlList } from '../list.js'

const currency = ({ currency: code }: { currency?: string }) => code

/** The projects that developers offer credits from. */
export const listings = sqlList({
  name: 'listings',
  title: 'Listings',
  about: 'The projects that developers offer credits from, by name.',
  empty: 'No listings yet. `quotekeeper sync` polls the marketplace.',
  columns: [
    field('project', 'Project', 'text', 9, 't.project_name'),
    field('developer', 'Developer', 'text', 8, 't.organization_name'),
    field('country', 'Country', 'text', 6, 't.country'),
    field('registry', 'Registry', 'text', 4, 't.registry'),
    field('registryId', 'Registry id', 'id', 3, 't.registry_id'),
    field('available', 'Available', 'tonnes', 9, 't.total_available_volume'),
    field('minPrice', 'Price from', 'price', 8, 't.min_unit_price', {
      value: (row) => money(row.minPrice, currency(row)),
    }),
    field('maxPrice', 'Price to', 'price', 5, 't.max_unit_price', {
      value: (row) => money(row.maxPrice, currency(row)),
    }),
    field('missingSince', 'Missing since', 'moment', 7, 't.missing_since'),
    field('changedAt', 'Changed', 'moment', 3, 't.changed_at'),
    field('channel', 'Channel', 'text', 7, 't.channel'),
    field('valid', 'Valid', 'state', 4, "case when t.valid = 1 then null else 'not valid' end"),
    field('id', 'Id', 'id', 0, 't.id'),
  ],
  filters: [
    channelFilter(),
    {
      ...{ name: 'q', kind: 'words', header: 'Search' },
      describe: 'Words that project, developer, country or registry contain, all of them; or the id.',
      where: `lower(coalesce(t.project_name, '') || ' ' || coalesce(t.organization_name, '') || ' ' || coalesce(t.country, '') || ' ' ||
        coalesce(t.registry, '') || ' ' || coalesce(t.registry_id, ''))`,
    },
    sinceFilter('t.changed_at > @since', 'Only listings that are new or changed since'),
  ],
  query: {
    table: 'listings',
    key: ['channel', 'id'],
    select: { currency: 't.currency' },
    order: [{ expression: 't.project_name' }],
  },
})
