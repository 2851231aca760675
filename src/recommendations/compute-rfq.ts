import type { AwardRecord } from '../core/decision/award-record.js'
import {
  figuresOfRecommendation,
  type RecommendationFigures,
  type RecordedRecommendation,
} from '../core/decision/recommendation.js'
import type { Settings } from '../core/decision/settings.js'
import { canonicalJson } from '../core/documents/canonical-json.js'
import { isAddressable } from '../core/documents/identifier.js'
import { rfqFacts } from '../core/events/event-facts.js'
import type { KnownDocument, RfqWithResponses } from '../core/records.js'
import type { Timestamp } from '../core/time/clock.js'
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
    Pick<RecommendationQueries, 'newestRecommendations' | 'settingsInForce'> &
    Pick<Awards, 'awards'> &
    Pick<ExchangeRates, 'ratesAt'>
  /** IANA name of a channel's time zone. */
  timeZoneOf: (channel: string) => string
  settings: Settings
}

/** An RFQ that is computed. */
interface Subject extends RfqWithResponses {
  dirty: DirtyRfq
  /** Its standing award. */
  standing: AwardRecord | undefined
  /** Its newest recommendation. */
  last: RecordedRecommendation | undefined
}

/** @param settings with the exchange rates known now */
async function computeRfq(
  source: ComputeSource,
  subject: Subject,
  { now, settings }: { now: Date; settings: Settings },
): Promise<ComputedRfq> {
  const { dirty, rfq, responses, standing } = subject
  const { channel, id: rfqId, version, valid } = rfq
  const timeZone = source.timeZoneOf(channel)
  const state = await rfqStateOf(source.store, subject, { timeZone, at: now, settings })
  const award = standing === undefined ? null : awardInBrief(standing, state)
  const offers = responses.filter(({ missingSince }) => missingSince === null).length
  // Another process whose clock is ahead may have recorded the documents.
  const computedAt = later(now.toISOString(), rfq.lastObservedAt ?? '')
  return {
    dirty,
    recommendation: await changeOf(source, subject, state, computedAt),
    row: {
      ...{ channel, rfqId, version, valid, offers },
      facts: JSON.stringify(state.facts),
      figures: JSON.stringify(state.figures),
      ...listColumns(rfq, offers, state, award),
      award: award && JSON.stringify(award),
      ...{ computedAt, engineVersion: ENGINE_VERSION },
    },
  }
}

/** The recommendation to record; null if it is the newest one, or if offers were not read yet. */
async function changeOf(
  source: ComputeSource,
  { rfq, responses, last }: Subject,
  state: RfqState,
  computedAt: Timestamp,
): Promise<NewRecommendation | null> {
  const { facts, recommendation, settings } = state
  if (last !== undefined && isEqual(last, recommendation)) return null
  if (facts.unreadOffers > 0 || (await hasUnreadOffers(source.store, rfq, responses))) return null
  const at = later(last?.at ?? '', computedAt)
  const made = { ...recommendation, at, engineVersion: ENGINE_VERSION, settings }
  if (last === undefined || !isOtherAward(last, recommendation)) return { ...made, reason: null, event: null }
  const reason = reasonOf(last, await stateAt(source, rfq, new Date(last.at)), state)
  return { ...made, reason, event: { rfq: rfqFacts(rfq.id, rfq), ...toEventData(last, state, reason) } }
}

/** Whether offers of an RFQ were listed and neither read nor requested yet, and can be. */
async function hasUnreadOffers(
  store: StateStore,
  { channel, id }: KnownDocument,
  responses: readonly KnownDocument[],
): Promise<boolean> {
  const listed = responses.flatMap((each) =>
    each.shape === 'summary' && each.missingSince === null && isAddressable(each.id) ? each.id : [],
  )
  if (listed.length === 0) return false
  const states = await store.responseStates(channel, [id])
  return states.some(({ id, requestedAt }) => requestedAt === null && listed.includes(id))
}

/** The state of an RFQ at a past moment, with the settings in force then. */
async function stateAt(
  { store, timeZoneOf, settings }: ComputeSource,
  { channel, id }: KnownDocument,
  at: Date,
): Promise<RfqState | null> {
  const [found] = await store.rfqs({ channel, ids: [id], asOf: at })
  if (found === undefined) return null
  const inForce = await settingsAt(store, (await store.settingsInForce(at)) ?? settings, at)
  return rfqStateOf(store, found, { timeZone: timeZoneOf(channel), at, asOf: at, settings: inForce })
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

/**
 * Why the recommendation changed.
 * @param before the state when it was recorded, recomputed; it differs if the rules have changed
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
  const { store } = source
  const batch: ComputedBatch = { computed: [], failed: [] }
  const settings = await settingsAt(store, source.settings, now)
  const slice = new TimeSlice()
  for (const channel of new Set(dirty.map((rfq) => rfq.channel))) {
    const ofChannel = dirty.filter((rfq) => rfq.channel === channel)
    const rfqIds = ofChannel.map(({ rfqId }) => rfqId)
    const stored = new Map((await store.rfqs({ channel, ids: rfqIds })).map((each) => [each.rfq.id, each]))
    const awards = new Map((await store.awards({ channel, rfqIds, standing: true })).map((each) => [each.rfqId, each]))
    const newest = new Map((await store.newestRecommendations(channel, rfqIds)).map((each) => [each.rfqId, each]))
    for (const rfq of ofChannel) {
      if (slice.isOver) await slice.next()
      try {
        const found = stored.get(rfq.rfqId)
        if (found === undefined) throw new RangeError('the RFQ is no longer stored')
        const subject = { ...found, dirty: rfq, standing: awards.get(rfq.rfqId), last: newest.get(rfq.rfqId) }
        batch.computed.push(await computeRfq(source, subject, { now, settings }))
      } catch (error) {
        if (error instanceof StoreError) throw error
        batch.failed.push({ rfq, message: (error as Error).message })
      }
    }
  }
  return batch
}
