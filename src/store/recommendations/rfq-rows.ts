import { formsOfId } from '../../core/documents/identifier.js'
import { searchable } from '../../core/text/comparable-text.js'
import { fromStoredText, toStoredText } from '../documents/stored-text.js'
import { allOf, type Dialect, type Queries, type Transaction } from '../sql/sql-database.js'
import { hasWords, wordPatterns } from '../sql/word-search.js'
import type {
  ComputedRfq,
  ListedRfq,
  ListedRfqFilter,
  ListedRfqPage,
  ListedRfqSort,
  RecommendationQueries,
  RfqRow,
} from './recommendation-contract.js'

/** The columns of a row, and the members with their values. */
const COLUMNS = {
  ...{ channel: 'channel', rfq_id: 'rfqId', version: 'version', valid: 'valid', offers: 'presentOffers' },
  ...{ facts: 'facts', figures: 'figures', award: 'award', search: 'search', number: 'number', title: 'title' },
  ...{ offer_count: 'offers', recommended: 'recommended', wanted: 'wanted', coverage: 'coverage' },
  ...{ best_price: 'bestPricePerTonne', attention: 'attention', computed_at: 'computedAt' },
  ...{ engine_version: 'engineVersion', award_status: 'awardStatus', stakes: 'stakes', price: 'price', total: 'total' },
} satisfies Record<string, keyof RfqRow>
const INSERT = `insert into rfq_rows (${Object.keys(COLUMNS).join(', ')}) values (@${Object.values(COLUMNS).join(', @')})`

/** Replaces the row of an RFQ, its names and its listings. */
export async function recordRow(tx: Transaction, { row, names, listings }: ComputedRfq): Promise<void> {
  const key = { channel: row.channel, rfqId: toStoredText(row.rfqId) }
  const remove = (table: string) => tx.run(`delete from ${table} where channel = @channel and rfq_id = @rfqId`, key)
  if ((await remove('rfq_rows')) > 0) for (const table of ['rfq_names', 'rfq_listings']) await remove(table)
  const texts = { search: toStoredText(row.search), title: storedOrNull(row.title) }
  const recommended = storedOrNull(row.recommended)
  await tx.run(INSERT, { ...row, rfqId: key.rfqId, valid: row.valid ? 1 : 0, recommended, ...texts })
  const stored = new Set(names.map((name) => toStoredText(searchable(name))))
  await tx.run(
    `insert into rfq_names (channel, name, rfq_id) select @channel, value ->> 'name', @rfqId from ${tx.dialect.elementsOf('@names')}`,
    { ...key, names: JSON.stringify([...stored].map((name) => ({ name }))) },
  )
  await tx.run(
    `insert into rfq_listings (channel, rfq_id, listing_id) select @channel, @rfqId, value ->> 'id' from ${tx.dialect.elementsOf('@listings')}`,
    { ...key, listings: JSON.stringify(listings.map((id) => ({ id: toStoredText(id) }))) },
  )
}

const storedOrNull = (text: string | null) => (text === null ? null : toStoredText(text))

interface ListedRow {
  channel: string
  id: string
  version: number
  changed_at: string
  missing_since: string | null
  read_at: string | null
  is_dirty: number
  /** Null, like the following columns, if there is no row. */
  valid: number | null
  offers: number
  facts: string
  search: string
  computed_at: string
}

const toListed = (row: ListedRow): ListedRfq => ({
  channel: row.channel,
  rfqId: fromStoredText(row.id),
  version: row.version,
  changedAt: row.changed_at,
  missingSince: row.missing_since,
  readAt: row.read_at,
  row:
    row.valid === null
      ? null
      : {
          valid: row.valid === 1,
          presentOffers: row.offers,
          facts: row.facts,
          search: fromStoredText(row.search),
          computedAt: row.computed_at,
        },
  isDirty: row.is_dirty === 1,
})

const FROM = ({ leftJoin }: Dialect) => `from documents e
${leftJoin('rfq_rows', 'r', 'r.channel = e.channel and r.rfq_id = e.id')}
${leftJoin('dirty_rfqs', 'd', 'd.channel = e.channel and d.rfq_id = e.id')}`

const selectListed = (dialect: Dialect, where: string, order: string) => `
select e.channel, e.id, e.version, e.changed_at, e.missing_since, e.full_read_at as read_at,
  case when d.rfq_id is null then 0 else 1 end as is_dirty,
  r.valid, r.offers, r.facts, r.search, r.computed_at
${FROM(dialect)}
where ${where}
${order}`

/** Open RFQs first, by due date; then the others by number, newest first. */
const BY_URGENCY = `case when e.state = 'open' then 0 else 1 end,
  case when e.state = 'open' then coalesce(e.due_date, '9999') end, coalesce(r.number, -1) desc, e.channel, e.id`

const SORT_COLUMNS: Record<Exclude<ListedRfqSort, 'price' | 'total'>, string> = {
  ...{
    number: 'r.number',
    title: 'r.title',
    offers: 'r.offer_count',
    recommended: 'r.recommended',
    wanted: 'r.wanted',
  },
  ...{ coverage: 'r.coverage', bestPricePerTonne: 'r.best_price', channel: 'e.channel', state: 'e.state' },
  ...{ due: 'e.due_date', changedAt: 'e.changed_at' },
}

function orderOf({ sort }: ListedRfqPage): string {
  if (sort === undefined) return BY_URGENCY
  const column = SORT_COLUMNS[sort.key as 'due']
  return `case when ${column} is null then 1 else 0 end, ${column}${sort.descending ? ' desc' : ''}, ${BY_URGENCY}`
}

/** The condition and parameters of a filter. */
function conditionOf(filter: ListedRfqFilter, { anyOf }: Dialect) {
  const { channel, ids, state, search } = filter
  const words = search?.words ?? []
  const found = words.length > 0 && `(${hasWords('r.search', words)} or ${anyOf('e.id', '@searchIds')})`
  const where = allOf(
    `e.kind = 'rfq'`,
    channel === undefined ? 'e.channel in (select channel from channels)' : 'e.channel = @channel',
    ids !== undefined && anyOf('e.id', '@ids'),
    state !== undefined && 'e.state = @state',
    found,
  )
  return {
    where,
    parameters: {
      ...{
        channel: channel ?? null,
        ids: ids?.map(toStoredText) ?? [],
        state: state === undefined ? null : toStoredText(state),
      },
      searchIds: search === undefined ? [] : formsOfId(search.id).map(toStoredText),
      ...wordPatterns(words),
    },
  }
}

export const createRfqRowQueries = (
  queries: Queries,
): Pick<RecommendationQueries, 'listedRfqs' | 'countRfqs' | 'sharedNames' | 'rfqFigures'> => ({
  async listedRfqs(filter: ListedRfqFilter, page?: ListedRfqPage) {
    const { where, parameters } = conditionOf(filter, queries.dialect)
    const order = page === undefined ? 'e.channel, e.id' : `${orderOf(page)} limit @limit offset @from`
    const rows = await queries.all<ListedRow>(selectListed(queries.dialect, where, `order by ${order}`), {
      ...parameters,
      ...(page && { from: page.from, limit: Math.max(0, page.to - page.from) }),
    })
    return rows.map(toListed)
  },
  async countRfqs(filter) {
    const { where, parameters } = conditionOf(filter, queries.dialect)
    // Joins rows only if the filter uses them.
    const from = filter.search === undefined ? 'from documents e' : FROM(queries.dialect)
    const rows = await queries.all<{ state: string | null; rfqs: number }>(
      `select e.state, count(*) as rfqs ${from} where ${where} group by e.state order by e.state`,
      parameters,
    )
    return rows.map(({ state, rfqs }) => ({ state: state === null ? null : fromStoredText(state), rfqs }))
  },
  async sharedNames(channel, names) {
    const rows = await queries.all<{ name: string }>(
      `select name from rfq_names where channel = @channel and ${queries.dialect.anyOf('name', '@names')}
      group by name having count(*) > 1`,
      { channel, names: names.map((name) => toStoredText(searchable(name))) },
    )
    return new Set(rows.map(({ name }) => fromStoredText(name)))
  },
  async rfqFigures(channel, rfqIds) {
    const rows = await queries.all<{ rfq_id: string; figures: string }>(
      `select rfq_id, figures from rfq_rows where channel = @channel and ${queries.dialect.anyOf('rfq_id', '@ids')}`,
      { channel, ids: rfqIds.map(toStoredText) },
    )
    return new Map(rows.map(({ rfq_id, figures }) => [fromStoredText(rfq_id), figures]))
  },
})
