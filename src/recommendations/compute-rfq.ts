import {
  figuresOfRecommendation,
  type RecommendationFigures,
  type RecordedRecommendation,
} from '../core/decision/recommendation.js'
import type { Settings } from '../core/decision/settings.js'
import { canonicalJson } from '../core/documents/canonical-json.js'
import { rfqFacts } from '../core/events/event-facts.js'
import type { KnownDocument } from '../core/records.js'
import { addDays, firstInstantOf } from '../core/time/calendar-days.js'
import { createCalendar } from '../core/time/expiry.js'
import { TimeSlice } from '../core/time/time-slice.js'
import type {
  Awards,
  ComputedRfq,
  DirtyRfq,
  ExchangeRates,
  NewRecommendation,
  RecommendationQueries,
  RfqSortValues,
} from '../store/contract.js'
import { StoreError } from '../store/errors.js'
import { VERSION } from '../version.js'
import { attentionOf } from './attention.js'
import { type AwardBrief, awardInBrief } from './awards/award-in-brief.js'
import { changeReason, isOtherAward } from './change-reason.js'
import { searchText } from './rfq-facts.js'
import { COMPARISON_RULES, type RfqState, rfqStateOf, type StateStore } from './rfq-state.js'
import { settingsAt } from './settings-at.js'

/** The version of the comparison. Another version may compute different figures from the same documents and settings. */
export const ENGINE_VERSION = `${VERSION}/${COMPARISON_RULES}`

export interface ComputeSource {
  store: StateStore &
    Pick<
      RecommendationQueries,
      'changeMoments' | 'recommendationAt' | 'settingsInForce' | 'settingsChanges' | 'rfqRow'
    > &
    Pick<Awards, 'awards'> &
    Pick<ExchangeRates, 'ratesAt' | 'rateFetches'>
  /** IANA name of a channel's time zone. */
  timeZoneOf: (channel: string) => string
  /** The settings to use if none were in force. */
  settings: Settings
}

/**
 * Computes the recommendation for an RFQ at each moment since it was marked: when its documents, the settings or the exchange rates changed, and
 * at midnight. The newest moment is computed from the current documents.
 * @throws StoreError
 * @throws RangeError if the RFQ is no longer stored
 */
async function computeRfq(source: ComputeSource, dirty: DirtyRfq, now: Date, lookups: Lookups): Promise<ComputedRfq> {
  const { store } = source
  const { channel, rfqId } = dirty
  const [found] = await store.rfqs({ channel, ids: [rfqId] })
  if (found === undefined) throw new RangeError('the RFQ is no longer stored')
  const states = createStates(source, dirty, lookups.settingsAt)
  const current = await states.of(found, now)
  const moments = await momentsOf(source, dirty, { state: current, now, lookups })
  const [standing] = await store.awards({ channel, rfqId, standing: true })
  const award = standing === undefined ? null : awardInBrief(standing, current)
  const recommendations: NewRecommendation[] = []
  let last: Recorded | null = await store.recommendationAt({ channel, rfqId })
  for (const [at, moment] of moments.entries()) {
    const state = at === moments.length - 1 ? current : await states.past(new Date(moment))
    if (state === null || (last !== null && isEqual(last, state.recommendation))) continue
    const isChange = last !== null && isOtherAward(last, state.recommendation)
    const before = isChange ? await states.past(new Date(Date.parse(moment) - 1)) : null
    const reason = last !== null && isChange ? reasonOf(last, before, state) : null
    const made: NewRecommendation = {
      ...state.recommendation,
      ...{ at: later(last?.at ?? '', moment), engineVersion: ENGINE_VERSION, reason, settings: state.settings },
      event:
        last !== null && reason !== null
          ? { rfq: rfqFacts(rfqId, found.rfq), ...toEventData(last, state, reason) }
          : null,
    }
    recommendations.push(made)
    last = made
  }
  const offers = found.responses.filter(({ missingSince }) => missingSince === null).length
  return {
    dirty,
    recommendations,
    row: {
      ...{ channel, rfqId, version: found.rfq.version, valid: found.rfq.valid },
      offers,
      facts: JSON.stringify(current.facts),
      figures: JSON.stringify(current.figures),
      ...listColumns(found.rfq, offers, current, award),
      award: award && JSON.stringify(award),
      computedAt: later(now.toISOString(), moments.at(-1) ?? ''),
      engineVersion: ENGINE_VERSION,
    },
  }
}

/** The values by which lists are searched and sorted, and the names of the RFQ. */
function listColumns(
  { channel, id, valid }: KnownDocument,
  offers: number,
  { facts, figures, assessed: { offers: assessed } }: RfqState,
  award: AwardBrief | null,
) {
  const { number, title, names, unreadOffers } = facts
  const [recommended] = (figures.accepted ?? figures.award)?.offers ?? []
  const sort: RfqSortValues = {
    search: searchText({ ...facts, channel }, assessed),
    ...{ number, title: title?.toLowerCase() ?? null, offers: offers + unreadOffers },
    ...{ recommended: recommended?.toLowerCase() ?? null, wanted: figures.wanted },
    ...{ coverage: figures.coverage, bestPricePerTonne: figures.bestPricePerTonne },
  }
  return {
    names: [id, names.number, names.reference].filter((name) => name !== null),
    listings: [...new Set(assessed.flatMap(({ listingId }) => listingId ?? []))],
    sort,
    attention: attentionOf({ ...facts, valid }, award),
  }
}

type Recorded = RecommendationFigures & Pick<RecordedRecommendation, 'at'>

/**
 * Why the recommendation changed.
 * @param before the state just before, recomputed; it differs from the recorded one if the rules have changed, or after a restore
 */
function reasonOf(recorded: RecommendationFigures, before: RfqState | null, state: RfqState): string {
  return before === null || !isOtherAward(before.recommendation, state.recommendation)
    ? `${recordedName(recorded)} → ${recordedName(state.recommendation)}, because Quotekeeper compares offers differently now`
    : changeReason(before, state)
}

const toEventData = (before: RecommendationFigures, { recommendation }: RfqState, reason: string) => ({
  reason,
  recommendation: { before: toEventFigures(before), after: toEventFigures(recommendation) },
})

/** Cached data that many RFQs share. */
interface Lookups {
  /** The settings in force at a moment, with the exchange rates known at that time. */
  settingsAt: (at: Date) => Promise<Settings>
  /** The moments at which settings came into force or exchange rates were recorded. */
  otherMoments: () => Promise<string[]>
}

function createLookups({ store, settings }: ComputeSource): Lookups {
  const known = new Map<number, Promise<Settings>>()
  const load = async (at: Date) => settingsAt(store, (await store.settingsInForce(at)) ?? settings, at)
  let moments: Promise<string[]> | undefined
  const begin = new Date(0)
  return {
    settingsAt(at) {
      const found = known.get(at.getTime()) ?? load(at)
      known.set(at.getTime(), found)
      return found
    },
    otherMoments() {
      moments ??= Promise.all([store.settingsChanges(begin), store.rateFetches(begin)]).then((each) => each.flat())
      return moments
    },
  }
}

/** States of one RFQ, now and at past moments. */
function createStates(
  { store, timeZoneOf }: ComputeSource,
  { channel, rfqId }: DirtyRfq,
  inForce: Lookups['settingsAt'],
) {
  const timeZone = timeZoneOf(channel)
  return {
    of: async (found: Parameters<typeof rfqStateOf>[1], at: Date) =>
      rfqStateOf(store, found, { timeZone, at, settings: await inForce(at) }),
    async past(at: Date): Promise<RfqState | null> {
      const [found] = await store.rfqs({ channel, ids: [rfqId], asOf: at })
      return found === undefined
        ? null
        : rfqStateOf(store, found, { timeZone, at, asOf: at, settings: await inForce(at) })
    },
  }
}

/** The moments to compute, in order. There is at least one. */
async function momentsOf(
  { store, timeZoneOf }: ComputeSource,
  { channel, rfqId, since }: DirtyRfq,
  { state, now, lookups }: { state: RfqState; now: Date; lookups: Lookups },
): Promise<string[]> {
  const row = await store.rfqRow(channel, rfqId)
  // Until this moment, the row was valid except for changes of documents.
  const through = new Date(row === null || row.computedAt > since ? since : row.computedAt)
  const moments = new Set([
    ...(await store.changeMoments({ channel, rfqId, since: new Date(since), listings: state.listings })),
    ...midnightsBetween(through, now, timeZoneOf(channel)),
    // Days of exchange rates are in UTC.
    ...(state.settings.ratesFrom === null ? [] : midnightsBetween(through, now, 'UTC')),
    ...(await lookups.otherMoments()).filter((moment) => moment > through.toISOString()),
  ])
  return moments.size === 0 ? [later(since, through.toISOString())] : [...moments].sort()
}

/** The maximum number of midnights to compute; earlier ones are skipped. */
const MAX_DAYS = 31

/** The midnights after a moment, up to another one; if there are many, the last ones. */
function midnightsBetween(after: Date, upTo: Date, timeZone: string): string[] {
  const calendar = createCalendar(timeZone)
  const last = calendar.dateAt(upTo)
  const midnights: string[] = []
  const [next, first] = [addDays(calendar.dateAt(after), 1), addDays(last, 1 - MAX_DAYS)]
  for (let day = next > first ? next : first; day <= last; day = addDays(day, 1)) {
    const instant = firstInstantOf(day, (at) => calendar.dateAt(at))
    if (instant !== null) midnights.push(instant.toISOString())
  }
  return midnights
}

const isEqual = (a: RecommendationFigures, b: RecommendationFigures) =>
  canonicalJson(figuresOfRecommendation(a)) === canonicalJson(figuresOfRecommendation(b))

const toEventFigures = ({ status, offers, tonnes, cost, pricePerTonne, currency }: RecommendationFigures) => ({
  status,
  offers,
  tonnes,
  cost,
  pricePerTonne,
  currency,
})

const recordedName = ({ offers }: RecommendationFigures) =>
  offers.length === 0 ? 'no award' : new Intl.ListFormat('en-GB').format(offers.map(({ name }) => name))

const later = (a: string, b: string) => (a > b ? a : b)

/** The computed RFQs, and those that could not be computed. Plain data, which can be sent between threads. */
export interface ComputedBatch {
  computed: ComputedRfq[]
  failed: { rfq: DirtyRfq; message: string }[]
}

/**
 * Computes dirty RFQs. An RFQ that cannot be computed does not affect the others.
 * @throws StoreError
 */
export async function computeRfqs(
  source: ComputeSource,
  dirty: readonly DirtyRfq[],
  now: Date,
): Promise<ComputedBatch> {
  const batch: ComputedBatch = { computed: [], failed: [] }
  const lookups = createLookups(source)
  const slice = new TimeSlice()
  for (const rfq of dirty) {
    if (slice.isOver) await slice.next()
    try {
      batch.computed.push(await computeRfq(source, rfq, now, lookups))
    } catch (error) {
      if (error instanceof StoreError) throw error
      batch.failed.push({ rfq, message: (error as Error).message })
    }
  }
  return batch
}
