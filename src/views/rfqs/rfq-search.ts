import { byCodeUnit, compareNullsLast } from '../../core/numbers.js'
import { searchText } from '../../recommendations/rfq-facts.js'
import { NO_FIGURES, type RfqFigures } from '../../recommendations/rfq-figures.js'
import type { ListedRfqSort } from '../../store/contract.js'
import type { RfqList, RfqListMoment, RfqListRow } from './rfq-list.js'

/** A row of the list with the figures of its offers. */
export type RfqSearchRow = RfqListRow & { figures: RfqFigures }

export interface RfqSearch extends RfqListMoment {
  channel?: string
  state?: string
  /** Words that its number, reference, title or channel contain, all of them; or its id. */
  search?: string
  /** Default: open ones first, due soonest first. */
  sort?: { key: RfqSortKey; descending: boolean }
  /** Rows to return, counted from 0; `to` is exclusive. */
  from: number
  to: number
  /** Whether to leave out the figures of the offers. Default false. */
  withoutFigures?: boolean
}

export interface RfqSearchResult {
  rows: RfqSearchRow[]
  /** RFQs that match. */
  total: number
  /** Every state that occurs in the channel. */
  states: string[]
}

type Value = string | number | null

/** What the list can be sorted by, without and with the figures of the offers. */
const ROW_VALUES = {
  number: ({ number }) => number,
  channel: ({ channel }) => channel,
  title: ({ title }) => title?.toLowerCase() ?? null,
  state: ({ state }) => state,
  due: ({ responseDueDate }) => responseDueDate,
  offers: ({ offers, unreadOffers }) => offers + unreadOffers,
  changedAt: ({ changedAt }) => changedAt,
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
  ...{ changedAt: 'changedAt', wanted: 'wanted', coverage: 'coverage', bestPricePerTonne: 'bestPricePerTonne' },
  recommendation: 'recommended',
}

export type RfqSortKey = keyof typeof ROW_VALUES | keyof typeof FIGURE_VALUES

/** Finds, sorts and cuts the list. Figures are computed for the rows returned, and for all if they are sorted by one. */
export async function searchRfqs(
  list: RfqList,
  { from, to, sort, withoutFigures = false, ...search }: RfqSearch,
): Promise<RfqSearchResult> {
  const { search: text = '', ...place } = search
  const words = wordsOf(text)
  const page = await list.page({
    ...{ ...place, from, to },
    ...(sort && { sort: { key: SORTED_BY[sort.key], descending: sort.descending } }),
    ...(words.length > 0 && { search: { words, id: text.trim() } }),
  })
  if (page !== null) {
    const figures = withoutFigures ? [] : await list.figures(page.rows, search)
    return { ...page, rows: page.rows.map((row, at) => ({ ...row, figures: figures[at] ?? NO_FIGURES })) }
  }
  const all = await list.rows(search)
  const states = [...new Set(all.flatMap(({ state }) => state ?? []))].sort()
  const found = all.filter(matcher(search))
  const sorted = sort === undefined ? found : await sortRfqs(found, sort, list, search)
  const shown = sorted.slice(from, to)
  const figures = withoutFigures ? [] : await list.figures(shown, search)
  return {
    rows: shown.map((row, at) => ({ ...row, figures: figures[at] ?? NO_FIGURES })),
    total: found.length,
    states,
  }
}

const wordsOf = (search: string): string[] =>
  search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')

function matcher({ state, search = '' }: Pick<RfqSearch, 'state' | 'search'>): (row: RfqListRow) => boolean {
  const words = wordsOf(search)
  return (row) => {
    if (state !== undefined && row.state !== state) return false
    if (words.length === 0) return true
    const text = searchText(row)
    return words.every((word) => text.includes(word)) || row.id === search.trim()
  }
}

/** Sorts rows by one of their values, or of their figures. */
export async function sortRfqs(
  rows: readonly RfqListRow[],
  { key, descending }: NonNullable<RfqSearch['sort']>,
  list: RfqList,
  moment: RfqListMoment,
): Promise<RfqListRow[]> {
  const byRow = (ROW_VALUES as Partial<Record<RfqSortKey, (row: RfqListRow) => Value>>)[key]
  const byFigures = (FIGURE_VALUES as Partial<Record<RfqSortKey, (figures: RfqFigures) => Value>>)[key]
  const values = byFigures ? (await list.figures(rows, moment)).map(byFigures) : rows.map(byRow ?? (() => null))
  return rows
    .map((row, at) => ({ row, value: values[at] ?? null }))
    .sort((a, b) => compareNullsLast(a.value, b.value, compareValues, descending))
    .map(({ row }) => row)
}

const compareValues = (a: string | number, b: string | number) =>
  typeof a === 'string' ? byCodeUnit(a, String(b)) : a - Number(b)

export const RFQ_SORT_KEYS = [...Object.keys(ROW_VALUES), ...Object.keys(FIGURE_VALUES)] as readonly RfqSortKey[]
