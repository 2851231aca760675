import { setTimeout as delay } from 'node:timers/promises'
import { createContext } from '../compare/comparison-context.js'
import { daysBetween } from '../compare/date-math.js'
import { assessRfq } from '../compare/rfq-assessment.js'
import { parseStoredResponse, parseStoredRfq } from '../compare/stored-documents.js'
import { createOverdueTest } from '../core/expiry.js'
import { byCodeUnit } from '../core/numbers.js'
import { RecentlyUsed } from '../core/recently-used.js'
import type { KnownDocument, RfqEntry } from '../core/records.js'
import { nameById, plainNames } from '../core/rfq-name.js'
import type { Settings } from '../core/settings.js'
import { listedOf } from '../core/sources.js'
import { TimeSlice } from '../core/time-slice.js'
import type { Overview } from '../store/contract.js'
import { type ChannelRules, createRulesLookup } from './channel-rules.js'
import { factsOf, NO_FACTS, type RfqFacts } from './rfq-facts.js'
import { figuresOf, NO_FIGURES, type RfqFigures } from './rfq-figures.js'
import { readSummaryTimes, type SummaryStore } from './summary-times.js'

/** An RFQ in a list, as known at a moment. */
export interface RfqListRow extends RfqFacts {
  channel: string
  id: string
  /** What to call it in commands and paths: its number, its id if others have that number too, or else `id:…`. */
  name: string
  /** Days from the day of the moment to the due date, in the channel's time zone; negative after it. */
  daysToDue: number | null
  /** Open although the due date and the channel's grace period have passed. */
  overdue: boolean
  /** Offers that are not missing. */
  offers: number
  /** When the RFQ itself, with the status and prices of its offers, was last read; null if never, and as of a past moment. */
  readAt: string | null
  /** When the RFQ itself, not an offer, was first observed as it is. */
  changedAt: string
  missingSince: string | null
  valid: boolean
  version: number
}

export interface RfqListSource {
  store: Pick<Overview, 'rfqEntries'> & SummaryStore
  channels: readonly ChannelRules[]
  settings: Settings
}

export interface RfqListMoment {
  now: Date
  /** Default: the current state. */
  asOf?: Date
}

/** Lists RFQs. It keeps what it read of each document in memory, so that only what changed is read again. */
export interface RfqList {
  /** Open ones first, due soonest first; then the others, newest number first. */
  rows(filter: RfqListMoment & { channel?: string }): Promise<RfqListRow[]>
  /** The figures of some rows of `rows`, called with the same moment; in the same order. */
  figures(rows: readonly RfqListRow[], moment: RfqListMoment): Promise<RfqFigures[]>
  /**
   * Computes figures that are not in memory yet, for a second at most, with pauses in which other requests are answered.
   * @returns whether none are left
   */
  computeFigures(moment: { now: Date }): Promise<boolean>
}

/** Today in a channel, and the test whether its RFQs are past due. */
export interface ChannelDates {
  today: string
  isOverdue: (dueDate: string | null) => boolean
}

export const channelDates = (
  { calendar, graceHours }: Pick<ReturnType<ReturnType<typeof createRulesLookup>>, 'calendar' | 'graceHours'>,
  at: Date,
): ChannelDates => ({ today: calendar.dateAt(at), isOverdue: createOverdueTest(calendar, graceHours, at) })

/** How many days an RFQ has left, and whether it is past due. */
export const dueOf = ({ state, responseDueDate }: RfqFacts, dates: ChannelDates) => ({
  daysToDue: daysBetween(dates.today, responseDueDate),
  overdue: state === 'open' && dates.isOverdue(responseDueDate),
})

/** RFQs that are read at once: their documents, and those of all their offers. */
const DOCUMENTS_BATCH = 100
const OFFERS_BATCH = 10
/** Versions of RFQs whose facts, and figures, are kept in memory: at most 80 MB. */
const MAX_REMEMBERED = 50_000
/** How long figures are computed ahead, and the pause after each batch of RFQs, in milliseconds. */
const AHEAD_MS = 1_000
const PAUSE_MS = 5

/** Creates the list; keep it for as long as the store is open. */
export function createRfqList({ store, channels, settings }: RfqListSource): RfqList {
  const rulesOf = createRulesLookup(channels)
  const knownFacts = new RecentlyUsed<RfqFacts>(MAX_REMEMBERED)
  const knownFigures = new RecentlyUsed<RfqFigures>(MAX_REMEMBERED)
  /** What the figures of a row depend on, besides the date. */
  const contents = new WeakMap<RfqListRow, string>()

  /** The facts of each entry. Reads the documents of the versions that are not in memory. */
  async function loadFacts(entries: readonly RfqEntry[], asOf: Date | undefined): Promise<Map<string, RfqFacts>> {
    // Requests for several moments run at the same time, so each has a map of its own.
    const facts = new Map<string, RfqFacts>()
    const unknown = entries.filter((entry) => {
      const found = knownFacts.get(factsKey(entry))
      if (found !== undefined) facts.set(entityKey(entry), found)
      return found === undefined
    })
    for (const [channel, group] of byChannel(unknown)) {
      for (const batch of batches(group, DOCUMENTS_BATCH)) {
        const ids = batch.map(({ id }) => id)
        const found = await store.rfqs({ channel, ids, withoutResponses: true, ...(asOf && { asOf }) })
        const slice = new TimeSlice()
        for (const { rfq } of found) {
          if (slice.isOver) await slice.next()
          const own = factsOf(rfq, listedOf(rfq))
          facts.set(entityKey(rfq), own)
          knownFacts.set(factsKey(entryOf(rfq)), own)
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

  function toRow(entry: RfqEntry, facts: RfqFacts, dates: ChannelDates): RfqListRow {
    const { channel, id, version, readAt, changedAt, missingSince, valid, offers } = entry
    const row = {
      channel,
      id,
      name: id,
      ...facts,
      ...dueOf(facts, dates),
      offers,
      readAt,
      changedAt,
      missingSince,
      valid,
      version,
    }
    contents.set(row, `${missingSince ?? ''} ${entry.responsesKey}`)
    return row
  }

  /** Computes the figures of rows of one channel. */
  async function figuresOfBatch(
    rows: readonly RfqListRow[],
    { now, asOf }: RfqListMoment,
  ): Promise<Map<RfqListRow, RfqFigures>> {
    const figures = new Map<RfqListRow, RfqFigures>()
    const channel = rows[0]?.channel ?? ''
    const context = createContext({
      channel,
      timeZone: rulesOf(channel).timeZone,
      asOf: asOf ?? now,
      generatedAt: now,
      programVersion: '',
      settings,
    })
    const found = await store.rfqs({ channel, ids: rows.map(({ id }) => id), ...(asOf && { asOf }) })
    const slice = new TimeSlice()
    for (const { rfq, responses } of found) {
      if (slice.isOver) await slice.next()
      const row = rows.find(({ id }) => id === rfq.id)
      if (row === undefined) continue
      const parsed = { rfq: parseStoredRfq(rfq), responses: responses.map(parseStoredResponse) }
      const summaries = await readSummaryTimes(store, rfq, parsed, asOf)
      // Neither numbers of problems nor listings influence these figures.
      const assessed = assessRfq(
        { ...parsed, listings: new Map(), problemsOf: () => 0, ...summaries },
        { ...context, report: { ...context.report, listed: row.listed } },
      )
      const own = figuresOf(assessed, context)
      figures.set(row, own)
      // A poll may have recorded another version since the rows were read. That an offer was read again, and is the same, is no version.
      if (rfq.version === row.version && summaries === null) knownFigures.set(figuresKey(row, context.asOfDate), own)
    }
    return figures
  }

  /** Offers that a newer list no longer has are not awarded. */
  const goneOf = ({ listed }: RfqListRow) => JSON.stringify(listed?.offersGone.map(({ id }) => id) ?? [])
  const figuresKey = (row: RfqListRow, date: string) =>
    `${versionKey(row)} ${date} ${goneOf(row)} ${contents.get(row) ?? ''}`

  async function rows({ channel, now, asOf }: RfqListMoment & { channel?: string }): Promise<RfqListRow[]> {
    const entries = await store.rfqEntries({ ...(channel !== undefined && { channel }), ...(asOf && { asOf }) })
    const facts = await loadFacts(entries, asOf)
    const datesOf = createDates(asOf ?? now)
    const found = entries.map((entry) => toRow(entry, facts.get(entityKey(entry)) ?? NO_FACTS, datesOf(entry.channel)))
    return withNames(found).sort(byUrgency)
  }

  /** The figures that are in memory, and the rows without, in batches of one channel. */
  function splitKnown(all: readonly RfqListRow[], { now, asOf = now }: RfqListMoment) {
    const datesOf = createDates(asOf)
    const figures = new Map<RfqListRow, RfqFigures>()
    const unknown = all.filter((row) => {
      const found = knownFigures.get(figuresKey(row, datesOf(row.channel).today))
      if (found !== undefined) figures.set(row, found)
      return found === undefined
    })
    return { figures, unknown: [...byChannel(unknown).values()].flatMap((group) => batches(group, OFFERS_BATCH)) }
  }

  return {
    rows,
    async figures(all, moment) {
      const { figures, unknown } = splitKnown(all, moment)
      for (const batch of unknown) for (const [row, own] of await figuresOfBatch(batch, moment)) figures.set(row, own)
      return all.map((row) => figures.get(row) ?? NO_FIGURES)
    },
    async computeFigures(moment) {
      const all = await rows(moment)
      const end = performance.now() + AHEAD_MS
      for (const batch of splitKnown(all.slice(0, MAX_REMEMBERED), moment).unknown) {
        if (performance.now() > end) return false
        await figuresOfBatch(batch, moment)
        await delay(PAUSE_MS)
      }
      return true
    },
  }
}

const entityKey = ({ channel, id }: { channel: string; id: string }) => `${channel}\t${id}`
const versionKey = (document: { channel: string; id: string; version: number }) =>
  `${entityKey(document)}\t${document.version}`

/** Without its body, which is parsed on each access. */
const entryOf = ({ channel, id, version, readAt, entry }: KnownDocument) => ({
  ...{ channel, id, version, readAt },
  listedAt: entry?.at ?? null,
  isFollowed: (entry?.followedAt ?? null) !== null,
})

/** What the facts of an RFQ depend on. */
const factsKey = (rfq: Pick<RfqEntry, 'channel' | 'id' | 'version' | 'listedAt' | 'isFollowed' | 'readAt'>) =>
  // What the list says otherwise is told with when the RFQ was last read.
  `${versionKey(rfq)}\t${rfq.listedAt ?? ''}\t${rfq.isFollowed}\t${rfq.readAt ?? ''}`

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

/** Open ones first, by days to due (unknown last); then the others by number, newest first. */
function byUrgency(a: RfqListRow, b: RfqListRow): number {
  const closed = ({ state }: RfqListRow) => (state === 'open' ? 0 : 1)
  const due = ({ daysToDue }: RfqListRow) => daysToDue ?? Number.MAX_SAFE_INTEGER
  const urgency = a.state === 'open' && b.state === 'open' ? due(a) - due(b) : 0
  return closed(a) - closed(b) || urgency || (b.number ?? -1) - (a.number ?? -1) || byCodeUnit(a.id, b.id)
}
