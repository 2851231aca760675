import { z } from 'zod'
import { comparableId } from '../../core/documents/identifier.js'
import { byCodeUnit, compareNullsLast } from '../../core/numbers.js'
import { searchWords } from '../../core/text/search-words.js'
import { type RfqFigures, rfqFigures } from '../../recommendations/rfq-figures.js'
import type { Awards, ListedRfqSort, Overview } from '../../store/contract.js'
import { type ListCursor, type ListPage, takePage } from '../cursor.js'
import { channelKey, count, nullableNumber, nullableText, text, timestamp } from '../schema.js'
import type { RfqList, RfqListRow } from './rfq-list.js'

/** The terms of an RFQ, in lists and by itself. */
export const rfqTerms = {
  channel: channelKey,
  id: text,
  name: text.describe('What to call it in paths and commands.'),
  number: nullableNumber,
  reference: nullableText,
  title: nullableText,
  state: nullableText.describe('`open`, `closed`, or what else the marketplace sent.'),
  responseDueDate: nullableText,
  fulfilmentDueDate: nullableText,
  minVolume: nullableNumber,
  maxVolume: nullableNumber,
  minUnitPrice: nullableNumber,
  maxUnitPrice: nullableNumber,
  currency: nullableText,
  daysToDue: z.int().nullable().describe('Negative after the due date. Counted in `timeZone`.'),
  timeZone: text.describe("The channel's, in which due dates end at midnight."),
  overdue: z.boolean().describe('Open, past due and past the grace period.'),
  offers: count.describe('Offers that are not missing.'),
  unreadOffers: count.describe('Offers that the list shows of an RFQ that was never read itself.'),
  readState: z
    .enum(['read', 'changed-since-read', 'not-read'])
    .describe(
      'Whether it was read itself, and whether its entry in the list changed since. `not-read` shows the entry.',
    ),
}

export const rfqItem = z
  .strictObject({
    ...rfqTerms,
    changedAt: timestamp,
    readAt: timestamp
      .nullable()
      .describe('When the RFQ itself, with status and prices of its offers, was last read. Null if never.'),
    missingSince: timestamp.nullable(),
    valid: z.boolean(),
    version: z.int().min(1),
    awarded: z
      .strictObject({
        award: z.int().describe('Its number in the award log.'),
        at: timestamp,
        by: text,
        offers: z.array(text),
        tonnes: z.number(),
        pricePerTonne: z.number(),
        currency: text,
      })
      .nullable()
      .describe('The award that the desk recorded and did not withdraw; null if there is none.'),
    figures: rfqFigures.optional().describe('Only if they are asked for.'),
  })
  .meta({ id: 'RfqItem' })
/** An RFQ in a list. */
export type RfqItem = z.infer<typeof rfqItem>

type Value = string | number | null

/** What the list can be sorted by, without and with the figures of the offers. */
const ROW_VALUES = {
  number: ({ number: value }) => value,
  channel: ({ channel }) => channel,
  title: ({ title }) => title?.toLowerCase() ?? null,
  state: ({ state }) => state,
  due: ({ responseDueDate }) => responseDueDate,
  offers: ({ offers, unreadOffers }) => offers + unreadOffers,
  changed: ({ changedAt }) => changedAt,
} satisfies Record<string, (row: RfqListRow) => Value>

const FIGURE_VALUES = {
  wanted: ({ wanted }) => wanted,
  coverage: ({ coverage }) => coverage,
  bestPricePerTonne: ({ bestPricePerTonne }) => bestPricePerTonne,
  recommendation: ({ accepted, award }) => (accepted ?? award)?.offers[0]?.toLowerCase() ?? null,
} satisfies Record<string, (figures: RfqFigures) => Value>

/** The same in the database. */
const SORTED_BY: Record<RfqSortKey, ListedRfqSort> = {
  ...{ number: 'number', channel: 'channel', title: 'title', state: 'state', due: 'due', offers: 'offers' },
  ...{ changed: 'changedAt', wanted: 'wanted', coverage: 'coverage', bestPricePerTonne: 'bestPricePerTonne' },
  recommendation: 'recommended',
}

export type RfqSortKey = keyof typeof ROW_VALUES | keyof typeof FIGURE_VALUES
export const RFQ_SORT_KEYS = [...Object.keys(ROW_VALUES), ...Object.keys(FIGURE_VALUES)] as [
  RfqSortKey,
  ...RfqSortKey[],
]

/** The orders in which they can be asked for: `urgency`, or one of the keys, with `-` before it for the other direction. */
export const RFQ_SORTS = ['urgency', ...RFQ_SORT_KEYS.flatMap((key) => [key, `-${key}` as const])] as const
export type RfqSort = (typeof RFQ_SORTS)[number]

/** Undefined for the order of the list. */
export const sortOf = (sort: RfqSort): RfqQuery['sort'] =>
  sort === 'urgency' ? undefined : { key: sort.replace('-', '') as RfqSortKey, descending: sort.startsWith('-') }

/** Which RFQs are listed: those of which everything is true. */
export interface RfqFilter {
  channel?: string
  state?: string
  /** Words that its number, reference, title, channel, developers and projects contain, all of them; or its id. */
  search?: string
  /** Response due date before this one, or after it. */
  dueBefore?: string
  dueAfter?: string
  overdue?: boolean
  missing?: boolean
  /** It, or one of its offers, changed after this moment. */
  changedSince?: Date
}

export interface RfqQuery extends RfqFilter {
  now: Date
  /** Default: open ones first, due soonest first. */
  sort?: { key: RfqSortKey; descending: boolean }
  /** The rows to return: counted from 0, `to` exclusive; or those after a cursor. */
  page: { from: number; to: number } | { cursor: ListCursor | null; limit: number }
  /** Whether to compute the figures of the offers too. */
  figures: boolean
}

export interface RfqPage extends ListPage<RfqItem> {
  /** Every state that occurs in the channel, sorted. */
  states: string[]
}

/** What an RFQ is called. */
export interface RfqNames {
  channel: string
  rfqId: string
  /** In paths. */
  name: string
  number: number | null
  title: string | null
}

interface RfqsSource {
  rfqs: RfqList
  store: Pick<Overview, 'offerRevisions'> & Pick<Awards, 'awards'>
}

/** Lists of RFQs. */
export const rfqsViews = (source: RfqsSource) => ({
  rfqs: (query: RfqQuery): Promise<RfqPage> => listRfqs(source, query),
  /** Every state that an RFQ has. */
  async rfqStates(now: Date): Promise<string[]> {
    return statesOf(await source.rfqs.rows({ now }))
  },
  /** What RFQs are called, in any order; those that are not stored are left out. */
  async rfqNames({
    rfqs,
    now,
  }: {
    rfqs: readonly Pick<RfqNames, 'channel' | 'rfqId'>[]
    now: Date
  }): Promise<RfqNames[]> {
    const read = [...new Set(rfqs.map(({ channel }) => channel))].map(async (channel) => {
      const ids = new Set(rfqs.flatMap((rfq) => (rfq.channel === channel ? rfq.rfqId : [])))
      const rows = await source.rfqs.rows({ now, channel, ids: [...ids] })
      return rows.flatMap(({ id, name, number, title }) =>
        ids.has(id) ? [{ channel, rfqId: id, name, number, title }] : [],
      )
    })
    return (await Promise.all(read)).flat()
  },
})

/** Finds, sorts and cuts the list. Figures are computed for the rows returned, and for all if they are sorted by one. */
async function listRfqs(source: RfqsSource, query: RfqQuery): Promise<RfqPage> {
  const { rfqs: list, store } = source
  const { now, channel, page, sort } = query
  const ofChannel = channel === undefined ? {} : { channel }
  const fromDatabase = await readPage(list, query)
  if (fromDatabase !== null) {
    const { rows, total, states } = fromDatabase
    const last = 'limit' in page && rows.length < total ? rows.at(-1) : undefined
    const next = last === undefined ? null : { key: keyOf(last), position: rows.length - 1 }
    return { items: await toItems(source, rows, query), next, total, states }
  }
  const all = await list.rows({ now, ...ofChannel })
  const wanted = await createFilter(store, query)
  const found = all.filter(wanted)
  const sorted = sort === undefined ? found : await sortRfqs(found, sort, list, now)
  const { items, next, total } =
    'limit' in page
      ? takePage(sorted, keyOf, page)
      : { items: sorted.slice(page.from, page.to), next: null, total: sorted.length }
  return { items: await toItems(source, items, query), next, total, states: statesOf(all) }
}

const keyOf = ({ channel, id }: Pick<RfqListRow, 'channel' | 'id'>) => `${channel}\t${id}`
const statesOf = (rows: readonly RfqListRow[]) => [...new Set(rows.flatMap(({ state }) => state ?? []))].sort()
const rangeOf = (page: RfqQuery['page']) => ('limit' in page ? { from: 0, to: page.limit } : page)

/** A page of a long list, as the database finds and sorts it; null if it cannot, or need not. */
async function readPage(list: RfqList, { page, sort, search = '', ...query }: RfqQuery) {
  const { now, channel, state, dueBefore, dueAfter, overdue, missing, changedSince } = query
  if ([dueBefore, dueAfter, overdue, missing, changedSince].some((each) => each !== undefined)) return null
  if ('limit' in page && page.cursor !== null) return null
  const words = searchWords(search)
  return list.page({
    ...{ now, ...rangeOf(page) },
    ...(channel !== undefined && { channel }),
    ...(state !== undefined && { state }),
    ...(sort && { sort: { key: SORTED_BY[sort.key], descending: sort.descending } }),
    ...(words.length > 0 && { search: { words, id: search.trim() } }),
  })
}

async function toItems(
  { rfqs: list, store }: RfqsSource,
  rows: readonly RfqListRow[],
  { now, figures }: RfqQuery,
): Promise<RfqItem[]> {
  const awards = await standingAwardsOf(store, rows)
  const known = figures ? await list.figures(rows, now) : []
  return rows.map((row, at) => {
    const { names: _names, search: _search, ...item } = row
    const awarded = awards.get(keyOf(row)) ?? null
    return { ...item, awarded, ...(known[at] && { figures: known[at] }) }
  })
}

/** The awards that stand, by `keyOf` of their RFQs. */
async function standingAwardsOf(
  store: RfqsSource['store'],
  rows: readonly RfqListRow[],
): Promise<Map<string, NonNullable<RfqItem['awarded']>>> {
  const awarded = new Map<string, NonNullable<RfqItem['awarded']>>()
  for (const channel of new Set(rows.map((row) => row.channel))) {
    const rfqIds = rows.filter((row) => row.channel === channel).map(({ id }) => id)
    for (const award of await store.awards({ channel, rfqIds, standing: true })) {
      const { id, rfqId, at, by, offers, tonnes, pricePerTonne, currency } = award
      const names = offers.map(({ name }) => name)
      const item = { award: id, at, by, offers: names, tonnes, pricePerTonne, currency }
      awarded.set(keyOf({ channel, id: rfqId }), item)
    }
  }
  return awarded
}

async function createFilter(
  store: RfqsSource['store'],
  { channel, ...filter }: RfqQuery,
): Promise<(row: RfqListRow) => boolean> {
  const { state, search = '', dueBefore, dueAfter, overdue, missing, changedSince } = filter
  const words = searchWords(search)
  const since = changedSince?.toISOString()
  const changed = changedSince
    ? await store.offerRevisions({ ...(channel !== undefined && { channel }), after: changedSince })
    : []
  const withChangedOffers = new Set(changed.map(({ channel: of, rfqId }) => keyOf({ channel: of, id: rfqId })))
  return (row) => {
    const { responseDueDate: due, search: searched } = row
    return (
      (state === undefined || row.state === state) &&
      (words.every((word) => searched.includes(word)) || comparableId(row.id) === comparableId(search.trim())) &&
      (dueBefore === undefined || (due !== null && due < dueBefore)) &&
      (dueAfter === undefined || (due !== null && due > dueAfter)) &&
      (overdue === undefined || row.overdue === overdue) &&
      (missing === undefined || (row.missingSince !== null) === missing) &&
      (since === undefined || row.changedAt > since || withChangedOffers.has(keyOf(row)))
    )
  }
}

/** Sorts rows by one of their values, or of their figures. */
async function sortRfqs(
  rows: readonly RfqListRow[],
  { key, descending }: NonNullable<RfqQuery['sort']>,
  list: RfqList,
  now: Date,
): Promise<RfqListRow[]> {
  const byRow = (ROW_VALUES as Partial<Record<RfqSortKey, (row: RfqListRow) => Value>>)[key]
  const byFigures = (FIGURE_VALUES as Partial<Record<RfqSortKey, (figures: RfqFigures) => Value>>)[key]
  const values = byFigures ? (await list.figures(rows, now)).map(byFigures) : rows.map(byRow ?? (() => null))
  return rows
    .map((row, at) => ({ row, value: values[at] ?? null }))
    .sort((a, b) => compareNullsLast(a.value, b.value, compareValues, descending))
    .map(({ row }) => row)
}

const compareValues = (a: string | number, b: string | number) =>
  typeof a === 'string' ? byCodeUnit(a, String(b)) : a - Number(b)
