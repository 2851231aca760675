import { type ComparisonContext, createContext } from '../domain/comparison/comparison-context.js'
import { daysBetween } from '../domain/comparison/date-math.js'
import { type AwardInBrief, awardInBrief } from '../domain/comparison/decision/award-in-brief.js'
import { byCodeUnit } from '../domain/comparison/numbers.js'
import { summariseOffers } from '../domain/comparison/report/rfq-statistics.js'
import { assessRfq, type RfqAssessment } from '../domain/comparison/rfq-assessment.js'
import type { Settings } from '../domain/comparison/settings.js'
import { parseStoredResponse, parseStoredRfq } from '../domain/comparison/stored-documents.js'
import { createOverdueTest } from '../domain/expiry.js'
import type { RfqEntry } from '../domain/records.js'
import { TimeSlice } from '../domain/time-slice.js'
import type { History, Overview } from '../store/contract.js'
import { type ChannelRules, createRulesLookup } from './channel-rules.js'
import { RecentlyUsed } from './recently-used.js'
import { factsOf, NO_FACTS, type RfqFacts } from './rfq-facts.js'

/** An RFQ in a list, as known at a moment. */
export interface RfqListRow extends RfqFacts {
  channel: string
  id: string
  /** What to call it in commands and paths: its number, or its id if it has none or shares it with another RFQ. */
  name: string
  /** Days from the day of the moment to the due date, in the channel's time zone; negative after it. */
  daysToDue: number | null
  /** Open although the due date and the channel's grace period have passed. */
  overdue: boolean
  /** Offers that are not missing. */
  offers: number
  /** When the RFQ itself, not an offer, was first observed as it is. */
  changedAt: string
  missingSince: string | null
  valid: boolean
  version: number
}

/** Figures of an RFQ's offers, the same as in the channel overview of the report. */
export interface RfqFigures {
  /** Offers that can be ranked, and that meet all hard requirements. */
  ranked: number
  meetRequirements: number
  /** Wanted tonnes; null if the RFQ states none. */
  wanted: number | null
  /** Tonnes of the ranked offers. */
  volume: number
  /** The share of the wanted volume that the ranked offers cover, at most 1. */
  coverage: number | null
  /** The currency in which offers are compared. */
  currency: string | null
  /** The lowest price per tonne of the ranked offers. */
  bestPricePerTonne: number | null
  /** Whose offer that is. */
  bestPriceOffer: string | null
  /** The recommended award; null if the award rule depends on scores, which need more than these figures. */
  award: AwardInBrief | null
}

export interface RfqListSource {
  store: Pick<Overview, 'rfqEntries'> & Pick<History, 'rfqs'>
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
}

interface ChannelDates {
  today: string
  isOverdue: (dueDate: string | null) => boolean
}

/** RFQs that are read at once: their documents, and those of all their offers. */
const DOCUMENTS_BATCH = 100
const OFFERS_BATCH = 10
/** Versions of RFQs whose facts, and figures, are kept in memory: about 50 MB. */
const MAX_REMEMBERED = 50_000

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
      const found = knownFacts.get(versionKey(entry))
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
          const own = factsOf(rfq)
          facts.set(entityKey(rfq), own)
          knownFacts.set(versionKey(rfq), own)
        }
      }
    }
    return facts
  }

  /** Today and the test whether RFQs are past due, which are slow to create, by channel. */
  function createDates(at: Date) {
    const known = new Map<string, ChannelDates>()
    return (channel: string) => {
      const { calendar, graceHours } = rulesOf(channel)
      const dates = known.get(channel) ?? {
        today: calendar.dateAt(at),
        isOverdue: createOverdueTest(calendar, graceHours, at),
      }
      known.set(channel, dates)
      return dates
    }
  }

  function toRow(entry: RfqEntry, facts: RfqFacts, dates: ChannelDates): RfqListRow {
    const { channel, id, version, changedAt, missingSince, valid, offers } = entry
    const row = {
      channel,
      id,
      name: id,
      ...facts,
      daysToDue: daysBetween(dates.today, facts.responseDueDate),
      overdue: facts.state === 'open' && dates.isOverdue(facts.responseDueDate),
      offers,
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
    channel: string,
    rows: readonly RfqListRow[],
    { now, asOf }: RfqListMoment,
  ): Promise<Map<RfqListRow, RfqFigures>> {
    const figures = new Map<RfqListRow, RfqFigures>()
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
      const assessed = assessRfq(
        // Neither problems nor listings influence these figures.
        {
          rfq: parseStoredRfq(rfq),
          responses: responses.map(parseStoredResponse),
          listings: new Map(),
          problemsOf: () => 0,
        },
        context,
      )
      const row = rows.find(({ id }) => id === rfq.id)
      if (row === undefined) continue
      const own = toFigures(assessed, context)
      figures.set(row, own)
      // A poll may have recorded another version since the rows were read.
      if (rfq.version === row.version) knownFigures.set(figuresKey(row, context.asOfDate), own)
    }
    return figures
  }

  const figuresKey = (row: RfqListRow, date: string) => `${versionKey(row)} ${date} ${contents.get(row) ?? ''}`

  return {
    async rows({ channel, now, asOf }) {
      const entries = await store.rfqEntries({ ...(channel !== undefined && { channel }), ...(asOf && { asOf }) })
      const facts = await loadFacts(entries, asOf)
      const datesOf = createDates(asOf ?? now)
      const rows = entries.map((entry) => toRow(entry, facts.get(entityKey(entry)) ?? NO_FACTS, datesOf(entry.channel)))
      return withNames(rows).sort(byUrgency)
    },
    async figures(rows, moment) {
      const datesOf = createDates(moment.asOf ?? moment.now)
      const figures = new Map<RfqListRow, RfqFigures>()
      const unknown = rows.filter((row) => {
        const found = knownFigures.get(figuresKey(row, datesOf(row.channel).today))
        if (found !== undefined) figures.set(row, found)
        return found === undefined
      })
      for (const [channel, group] of byChannel(unknown)) {
        for (const batch of batches(group, OFFERS_BATCH))
          for (const [row, own] of await figuresOfBatch(channel, batch, moment)) figures.set(row, own)
      }
      return rows.map((row) => figures.get(row) ?? NO_FIGURES)
    },
  }
}

const entityKey = ({ channel, id }: { channel: string; id: string }) => `${channel}\t${id}`
const versionKey = (document: { channel: string; id: string; version: number }) =>
  `${entityKey(document)}\t${document.version}`

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

/** Names each RFQ by its number where that is unique in its channel. */
function withNames(rows: RfqListRow[]): RfqListRow[] {
  const numberKey = ({ channel, number }: RfqListRow) => entityKey({ channel, id: String(number) })
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(numberKey(row), (counts.get(numberKey(row)) ?? 0) + 1)
  for (const row of rows) if (row.number !== null && counts.get(numberKey(row)) === 1) row.name = String(row.number)
  return rows
}

/** Open ones first, by days to due (unknown last); then the others by number, newest first. */
function byUrgency(a: RfqListRow, b: RfqListRow): number {
  const closed = ({ state }: RfqListRow) => (state === 'open' ? 0 : 1)
  const due = ({ daysToDue }: RfqListRow) => daysToDue ?? Number.MAX_SAFE_INTEGER
  const urgency = a.state === 'open' && b.state === 'open' ? due(a) - due(b) : 0
  return closed(a) - closed(b) || urgency || (b.number ?? -1) - (a.number ?? -1) || byCodeUnit(a.id, b.id)
}

/** Of an RFQ without offers, and where figures are not asked for. */
export const NO_FIGURES: RfqFigures = {
  ranked: 0,
  meetRequirements: 0,
  wanted: null,
  volume: 0,
  coverage: null,
  currency: null,
  bestPricePerTonne: null,
  bestPriceOffer: null,
  award: null,
}

function toFigures(assessed: RfqAssessment, context: ComparisonContext): RfqFigures {
  const { rfq, currency, offers } = assessed
  const summary = summariseOffers(offers, rfq.wanted.volume, { changes: 0, problems: 0 })
  const best = offers.find(({ rank, compared }) => rank !== null && compared.pricePerTonne === summary.price.lowest)
  return {
    ranked: summary.ranked,
    meetRequirements: summary.meetRequirements,
    wanted: rfq.wanted.volume,
    volume: summary.volume,
    coverage: summary.coverage,
    currency: currency.comparison,
    bestPricePerTonne: summary.price.lowest,
    bestPriceOffer: best?.label ?? null,
    award: context.settings.awardRule === 'best-score-compliant' ? null : awardInBrief(assessed, context),
  }
}
