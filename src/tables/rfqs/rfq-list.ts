import { daysBetween } from '../../compare/date-math.js'
import type { Settings } from '../../core/decision/settings.js'
import { byCodeUnit, sum } from '../../core/numbers.js'
import { nameById, plainNames } from '../../core/text/rfq-name.js'
import { createOverdueTest } from '../../core/time/expiry.js'
import { TimeSlice } from '../../core/time/time-slice.js'
import { factsOf, NO_FACTS, type RfqFacts, searchText } from '../../recommendations/rfq-facts.js'
import { NO_FIGURES, type RfqFigures } from '../../recommendations/rfq-figures.js'
import { readDocuments, rfqStateOf, type StateStore } from '../../recommendations/rfq-state.js'
import { settingsAt } from '../../recommendations/settings-at.js'
import type { ExchangeRates, ListedRfq, ListedRfqPage, RecommendationQueries } from '../../store/contract.js'
import { type ChannelRules, createDayStarts, createRulesLookup } from '../channels/channel-rules.js'

/** An RFQ in a list. */
export interface RfqListRow extends RfqFacts {
  channel: string
  id: string
  /** What to call it in commands and paths: its number, its id if others have that number too, or else `id:…`. */
  name: string
  /** Days from today to the due date, in the channel's time zone; negative after it. */
  daysToDue: number | null
  /** The channel's, in which due dates end at midnight. */
  timeZone: string
  /** Open although the due date and the channel's grace period have passed. */
  overdue: boolean
  /** Offers that are not missing. */
  offers: number
  /** When the RFQ itself, with the status and prices of its offers, was last read; null if never. */
  readAt: string | null
  /** When the RFQ itself, not an offer, was first observed as it is. */
  changedAt: string
  missingSince: string | null
  valid: boolean
  version: number
  /** The text that is searched, with developers and projects as they were recorded. */
  search: string
}

export interface RfqListSource {
  store: StateStore &
    Pick<ExchangeRates, 'ratesAt'> &
    Pick<RecommendationQueries, 'listedRfqs' | 'countRfqs' | 'sharedNames' | 'rfqFigures'>
  channels: readonly ChannelRules[]
  /** Those to compare with. */
  settings: Settings
  /** Up to so many RFQs, all rows are read where some would do. Default 500. */
  maxSmall?: number
}

/** Lists RFQs from recorded rows (src/recommendations); what is not recorded yet is computed. */
export interface RfqList {
  /** Open ones first, due soonest first; then the others, newest number first. */
  rows(filter: RfqListFilter): Promise<RfqListRow[]>
  /**
   * A part of the list, as the database finds and sorts it: by what is recorded, which may be some seconds old.
   * @returns null if there are so few RFQs that all of `rows` take no longer
   */
  page(filter: RfqPageFilter): Promise<RfqListPage | null>
  /** The figures of some rows of `rows`, called with the same `now`; in the same order. */
  figures(rows: readonly RfqListRow[], now: Date): Promise<RfqFigures[]>
}

export interface RfqListFilter {
  now: Date
  channel?: string
  /** At least these. */
  ids?: readonly string[]
}

export interface RfqPageFilter extends ListedRfqPage {
  now: Date
  channel?: string
  state?: string
  search?: { words: readonly string[]; id: string }
}

export interface RfqListPage {
  rows: RfqListRow[]
  /** RFQs that match. */
  total: number
  /** Every state that occurs in the channel, sorted. */
  states: string[]
}

/** Today in a channel, and the test whether its RFQs are past due. */
export interface ChannelDates {
  today: string
  timeZone: string
  isOverdue: (dueDate: string | null) => boolean
}

export const channelDates = (
  { calendar, graceHours }: Pick<ReturnType<ReturnType<typeof createRulesLookup>>, 'calendar' | 'graceHours'>,
  at: Date,
): ChannelDates => ({
  today: calendar.dateAt(at),
  timeZone: calendar.timeZone,
  isOverdue: createOverdueTest(calendar, graceHours, at),
})

/** How many days an RFQ has left, in which time zone, and whether it is past due. */
export const dueOf = ({ state, responseDueDate }: RfqFacts, dates: ChannelDates) => ({
  daysToDue: daysBetween(dates.today, responseDueDate),
  timeZone: dates.timeZone,
  overdue: state === 'open' && dates.isOverdue(responseDueDate),
})

/** RFQs whose documents are read at once. */
const DOCUMENTS_BATCH = 100
const OFFERS_BATCH = 10
/** RFQs that are not recorded and whose figures are computed for one list: more take seconds. */
const MAX_COMPUTED = 1_000
/** RFQs of which all rows are read as fast as some. */
const MAX_SMALL = 500

/** Creates the list. */
export function createRfqList({ store, channels, settings, maxSmall = MAX_SMALL }: RfqListSource): RfqList {
  const rulesOf = createRulesLookup(channels)
  /** The rows whose figures are recorded. */
  const recorded = new WeakSet<RfqListRow>()

  /** The facts of each RFQ, from its document. */
  async function loadFacts(rfqs: readonly { channel: string; id: string }[]): Promise<Map<string, DocumentFacts>> {
    const facts = new Map<string, DocumentFacts>()
    for (const [channel, group] of byChannel(rfqs)) {
      for (const batch of batches(group, DOCUMENTS_BATCH)) {
        const ids = batch.map(({ id }) => id)
        const found = await store.rfqs({ channel, ids })
        const slice = new TimeSlice()
        for (const { rfq, responses } of found) {
          if (slice.isOver) await slice.next()
          const offers = responses.filter(({ missingSince }) => missingSince === null).length
          facts.set(entityKey(rfq), { facts: factsOf(rfq), valid: rfq.valid, offers })
        }
      }
    }
    return facts
  }

  /** Slow to create, so created once for each channel. */
  function createDates(at: Date) {
    const known = new Map<string, ChannelDates>()
    return (channel: string) => {
      const dates = known.get(channel) ?? channelDates(rulesOf(channel), at)
      known.set(channel, dates)
      return dates
    }
  }

  async function presentRows(all: readonly ListedRfq[], now: Date): Promise<RfqListRow[]> {
    const datesOf = createDates(now)
    const startOf = createDayStarts(channels, now)
    const isCurrent = ({ channel: key, row, isDirty }: ListedRfq) =>
      row !== null && !isDirty && row.computedAt >= startOf(key)
    const others = await loadFacts(
      all.flatMap((each) => (isCurrent(each) ? [] : { channel: each.channel, id: each.rfqId })),
    )
    return all.map((each) => {
      const { channel: key, rfqId: id, row, version, readAt, changedAt, missingSince } = each
      const other = others.get(entityKey({ channel: key, id }))
      const facts = other?.facts ?? (row === null ? NO_FACTS : (JSON.parse(row.facts) as RfqFacts))
      const made: RfqListRow = {
        ...{ channel: key, id, name: id },
        ...facts,
        ...dueOf(facts, datesOf(key)),
        offers: other?.offers ?? row?.presentOffers ?? 0,
        ...{ readAt, changedAt, missingSince, valid: other?.valid ?? row?.valid ?? false, version },
        search: row?.search ?? searchText({ ...facts, channel: key }),
      }
      if (other === undefined) recorded.add(made)
      return made
    })
  }

  const isSmall = async (channel: string | undefined): Promise<boolean> =>
    countOf(await store.countRfqs(channel === undefined ? {} : { channel })) <= maxSmall

  /** The same for a part of the list; RFQs that are not recorded yet are named by their ids. */
  async function nameRows(rows: RfqListRow[]): Promise<RfqListRow[]> {
    for (const [channel, group] of byChannel(rows)) {
      const names = group.flatMap((row) => plainNames(row))
      const shared = await store.sharedNames(channel, names)
      for (const row of group)
        row.name =
          (recorded.has(row) ? plainNames(row) : []).find((name) => !shared.has(name.toLowerCase())) ?? nameById(row.id)
    }
    return rows
  }

  /** Computes the figures of rows of one channel. */
  async function computeBatch(rows: readonly RfqListRow[], now: Date): Promise<Map<RfqListRow, RfqFigures>> {
    const channel = rows[0]?.channel ?? ''
    const { timeZone } = rulesOf(channel)
    const own = await settingsAt(store, settings, now)
    const found = await readDocuments(store, { channel, ids: rows.map(({ id }) => id) })
    const byId = new Map(rows.map((row) => [row.id, row]))
    const figures = new Map<RfqListRow, RfqFigures>()
    const slice = new TimeSlice()
    for (const each of found) {
      if (slice.isOver) await slice.next()
      const row = byId.get(each.rfq.id)
      const state = await rfqStateOf(store, each, { timeZone, at: now, settings: own })
      if (row !== undefined) figures.set(row, state.figures)
    }
    return figures
  }

  async function recordedFigures(rows: readonly RfqListRow[]): Promise<Map<RfqListRow, RfqFigures>> {
    const figures = new Map<RfqListRow, RfqFigures>()
    for (const [channel, group] of byChannel(rows)) {
      const texts = await store.rfqFigures(
        channel,
        group.map(({ id }) => id),
      )
      for (const row of group) {
        const text = texts.get(row.id)
        if (text !== undefined) figures.set(row, JSON.parse(text) as RfqFigures)
      }
    }
    return figures
  }

  return {
    async rows({ channel, now, ids }) {
      const ofChannel = channel === undefined ? {} : { channel }
      const isAll = ids === undefined || (await isSmall(channel))
      const part = isAll ? {} : { ids }
      const all = await presentRows(await store.listedRfqs({ ...ofChannel, ...part }), now)
      return (isAll ? withNames(all) : await nameRows(all)).sort(byUrgency)
    },
    async page({ now, channel, state, search, ...page }) {
      const ofChannel = channel === undefined ? {} : { channel }
      const states = await store.countRfqs(ofChannel)
      if (countOf(states) <= maxSmall) return null
      const filter = { ...ofChannel, ...(state !== undefined && { state }), ...(search && { search }) }
      const found = await store.listedRfqs(filter, page)
      return {
        rows: await nameRows(await presentRows(found, now)),
        total: countOf(search === undefined && state === undefined ? states : await store.countRfqs(filter)),
        states: states.flatMap(({ state: known }) => known ?? []).sort(),
      }
    },
    async figures(all, now) {
      const figures = await recordedFigures(all.filter((row) => recorded.has(row)))
      const others = all.filter((row) => !figures.has(row)).slice(0, MAX_COMPUTED)
      for (const [, group] of byChannel(others)) {
        for (const batch of batches(group, OFFERS_BATCH))
          for (const [row, own] of await computeBatch(batch, now)) figures.set(row, own)
      }
      return all.map((row) => figures.get(row) ?? NO_FIGURES)
    },
  }
}

const countOf = (states: readonly { rfqs: number }[]): number => sum(states.map(({ rfqs }) => rfqs))

interface DocumentFacts {
  facts: RfqFacts
  valid: boolean
  /** Offers that are not missing. */
  offers: number
}

const entityKey = ({ channel, id }: { channel: string; id: string }) => `${channel}\t${id}`
function byChannel<T extends { channel: string }>(entries: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const entry of entries) {
    const group = groups.get(entry.channel)
    if (group === undefined) groups.set(entry.channel, [entry])
    else group.push(entry)
  }
  return groups
}

const batches = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))

/** Names each RFQ by its number or its id, where no other RFQ of its channel is called so. */
function withNames(rows: RfqListRow[]): RfqListRow[] {
  const counts = new Map<string, number>()
  // Upper and lower case are the same in references.
  const keyOf = (channel: string, name: string) => entityKey({ channel, id: name.toLowerCase() })
  for (const { channel, id, names } of rows) {
    const own = [id, names.number, names.reference].flatMap((name) => (name === null ? [] : keyOf(channel, name)))
    for (const key of new Set(own)) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  for (const row of rows) {
    row.name = plainNames(row).find((name) => counts.get(keyOf(row.channel, name)) === 1) ?? nameById(row.id)
  }
  return rows
}

/** Orders RFQs: open ones first, by days to due (unknown last); then the others by number, newest first. */
export function byUrgency(a: RfqListRow, b: RfqListRow): number {
  const closed = ({ state }: RfqListRow) => (state === 'open' ? 0 : 1)
  const due = ({ daysToDue }: RfqListRow) => daysToDue ?? Number.MAX_SAFE_INTEGER
  const urgency = a.state === 'open' && b.state === 'open' ? due(a) - due(b) : 0
  return closed(a) - closed(b) || urgency || (b.number ?? -1) - (a.number ?? -1) || byCodeUnit(a.id, b.id)
}
