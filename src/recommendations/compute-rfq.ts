import type { AwardRecord } from '../core/decision/award-record.js'
import {
  figuresOfRecommendation,
  type RecommendationFigures,
  type RecordedRecommendation,
} from '../core/decision/recommendation.js'
import { type Settings, settingsSchema } from '../core/decision/settings.js'
import { canonicalJson } from '../core/documents/canonical-json.js'
import { isAddressable } from '../core/documents/identifier.js'
import { rfqFacts } from '../core/events/event-facts.js'
import type { KnownDocument } from '../core/records.js'
import type { Timestamp } from '../core/time/clock.js'
import { TimeSlice } from '../core/time/time-slice.js'
import type {
  Attention,
  Awards,
  ComputedRfq,
  DirtyRfq,
  ExchangeRates,
  NewRecommendation,
  PollStates,
  RecommendationQueries,
} from '../store/contract.js'
import { StoreError } from '../store/errors.js'
import { type AwardBrief, awardInBrief } from './awards/award-in-brief.js'
import { changeReason, isOtherAward } from './change-reason.js'
import { claimsOf } from './credit-claims.js'
import { createListingReader } from './listing-reader.js'
import { type RfqFacts, searchText } from './rfq-facts.js'
import type { RfqFigures } from './rfq-figures.js'
import {
  type RfqDocuments,
  type RfqState,
  readDocuments,
  rfqStateOf,
  type StateMoment,
  type StateStore,
} from './rfq-state.js'
import { settingsAt } from './settings-at.js'

export interface ComputeSource {
  store: StateStore &
    Pick<PollStates, 'responseStates'> &
    Pick<RecommendationQueries, 'newestRecommendations'> &
    Pick<Awards, 'awards'> &
    Pick<ExchangeRates, 'ratesAt'>
  /** IANA name of a channel's time zone. */
  timeZoneOf: (channel: string) => string
  settings: Settings
}

/** An RFQ that is computed. */
interface Subject extends RfqDocuments {
  dirty: DirtyRfq
  /** Its standing award. */
  standing: AwardRecord | undefined
  /** Its newest recommendation. */
  last: RecordedRecommendation | undefined
}

async function computeRfq(source: ComputeSource, subject: Subject, now: StateMoment): Promise<ComputedRfq> {
  const { dirty, rfq, responses, standing } = subject
  const { channel, id: rfqId, version, valid } = rfq
  const state = await rfqStateOf(source.store, subject, now, standing)
  const { facts, figures } = state
  const { offers } = state.assessed
  const award = standing === undefined ? null : awardInBrief(standing, state)
  const presentOffers = responses.filter(({ missingSince }) => missingSince === null).length
  const { decision, stakes } = figures
  const claims = claimsOf(state, standing)
  // Another process whose clock is ahead may have recorded the documents.
  const computedAt = later(now.at.toISOString(), rfq.lastObservedAt ?? '')
  return {
    dirty,
    recommendation: await changeOf(source, subject, state, computedAt),
    row: {
      channel,
      rfqId,
      version,
      valid,
      presentOffers,
      facts: JSON.stringify(facts),
      figures: JSON.stringify(figures),
      award: award && JSON.stringify(award),
      search: searchText({ ...facts, channel }, offers),
      number: facts.number,
      title: facts.title?.toLowerCase() ?? null,
      offers: presentOffers + facts.unreadOffers,
      recommended: decision?.offers[0]?.toLowerCase() ?? null,
      price: decision?.pricePerTonne ?? null,
      total: decision?.total ?? null,
      stakes: stakes.length === 0 ? null : JSON.stringify(stakes),
      claims: claims.length === 0 ? null : JSON.stringify(claims),
      awardStatus: award?.status ?? null,
      wanted: figures.wanted,
      coverage: figures.coverage,
      bestPricePerTonne: figures.bestPricePerTonne,
      attention: attentionOf({ ...facts, ...figures, valid }, award),
      computedAt,
    },
  }
}

/**
 * Whether a person has to look at an RFQ, whatever its due date: 2 (now) if its recorded award has to be decided again or expires by
 * tomorrow; 1 if the award waits for something else, if it closed and nobody decided whom to award, or if its document is invalid, so that
 * nothing closes it.
 * @param award the state of its standing award; null if there is none
 */
function attentionOf(
  { state, valid, undecided }: Pick<RfqFacts, 'state'> & Pick<RfqFigures, 'undecided'> & { valid: boolean },
  award: AwardBrief | null,
): Attention {
  const waiting = award?.findings.filter(({ code }) => code !== 'accepted') ?? []
  if (waiting.some(({ loud }) => loud)) return 2
  return waiting.length > 0 || undecided || (!valid && state !== 'closed') ? 1 : 0
}

/** The recommendation to record; null if it is the newest one, or if offers were not read yet. */
async function changeOf(
  source: ComputeSource,
  { rfq, last }: Subject,
  state: RfqState,
  computedAt: Timestamp,
): Promise<NewRecommendation | null> {
  const { recommendation } = state
  if (last !== undefined && isEqual(last, recommendation)) return null
  if (await hasUnreadOffers(source.store, rfq, state)) return null
  const at = later(last?.at ?? '', computedAt)
  const made = { ...recommendation, at }
  const isOther = last !== undefined && isOtherAward(last, recommendation)
  if (last === undefined || (!isOther && last.cost === recommendation.cost))
    return { ...made, reason: null, event: null }
  const reason = isOther ? reasonOf(last, await stateOf(source, rfq, last), state) : 'the same award for another total'
  const figures = { before: toEventFigures(last), after: toEventFigures(recommendation) }
  return {
    ...made,
    reason: isOther ? reason : null,
    event: { rfq: rfqFacts(rfq.id, rfq), reason, recommendation: figures },
  }
}

/** Whether offers of an RFQ were listed and neither read nor requested yet, and can be. */
async function hasUnreadOffers(
  store: ComputeSource['store'],
  rfq: KnownDocument,
  { facts, figures }: RfqState,
): Promise<boolean> {
  if (facts.unreadOffers > 0 || figures.summaryOnly === 0) return facts.unreadOffers > 0
  const states = await store.responseStates(rfq.channel, [rfq.id])
  return states.some((each) => each.requestedAt === null && each.missingSince === null && isAddressable(each.id))
}

/** The state of an RFQ when a recommendation was recorded. */
async function stateOf(
  { store, timeZoneOf, settings: configured }: ComputeSource,
  { channel, id }: KnownDocument,
  recorded: RecordedRecommendation,
): Promise<RfqState | null> {
  const at = new Date(recorded.at)
  const [found] = await readDocuments(store, { channel, ids: [id], asOf: at })
  if (found === undefined) return null
  // Those of another version may have settings that no longer exist.
  const settings = settingsSchema.safeParse(recorded.settings).data ?? configured
  return rfqStateOf(store, found, { timeZone: timeZoneOf(channel), at, asOf: at, settings })
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

const isEqual = (a: RecommendationFigures, b: RecommendationFigures) =>
  canonicalJson(figuresOfRecommendation(a)) === canonicalJson(figuresOfRecommendation(b))

function toEventFigures(of: RecommendationFigures) {
  const { coverage: _coverage, bestPrice: _bestPrice, ...figures } = figuresOfRecommendation(of)
  return figures
}

const recordedName = ({ offers }: RecommendationFigures) =>
  offers.length === 0 ? 'no award' : new Intl.ListFormat('en-GB').format(offers.map(({ name }) => name))

const later = (a: string, b: string) => (a > b ? a : b)

/** The computed RFQs, and those that could not be computed. Plain data, which can be sent between threads. */
export interface ComputedBatch {
  /** With the exchange rates known then. */
  settings: Settings
  computed: ComputedRfq[]
  failed: { rfq: DirtyRfq; message: string }[]
}

export type ComputeRfqs = (dirty: readonly DirtyRfq[], now: Date) => Promise<ComputedBatch>

/**
 * Computes dirty RFQs, and keeps the listings that it has read. An RFQ that cannot be computed does not affect the others.
 * @throws StoreError
 */
export function createComputeRfqs(source: ComputeSource): ComputeRfqs {
  const { store, timeZoneOf } = source
  const readListings = createListingReader(store)
  return async (dirty, at) => {
    const settings = await settingsAt(store, source.settings, at)
    const batch: ComputedBatch = { settings, computed: [], failed: [] }
    const slice = new TimeSlice()
    for (const channel of new Set(dirty.map((rfq) => rfq.channel))) {
      const now = { timeZone: timeZoneOf(channel), at, settings }
      const ofChannel = dirty.filter((rfq) => rfq.channel === channel)
      const ids = ofChannel.map(({ rfqId }) => rfqId)
      const documents = await readDocuments(store, { channel, ids }, readListings)
      const stored = new Map(documents.map((each) => [each.rfq.id, each]))
      const awards = await store.awards({ channel, rfqIds: ids, standing: true })
      const newest = await store.newestRecommendations(channel, ids)
      for (const rfq of ofChannel) {
        if (slice.isOver) await slice.next()
        try {
          const found = stored.get(rfq.rfqId)
          if (found === undefined) throw new RangeError('the RFQ is no longer stored')
          const isOfRfq = ({ rfqId }: { rfqId: string }) => rfqId === rfq.rfqId
          const subject = { ...found, dirty: rfq, standing: awards.find(isOfRfq), last: newest.find(isOfRfq) }
          batch.computed.push(await computeRfq(source, subject, now))
        } catch (error) {
          if (error instanceof StoreError) throw error
          batch.failed.push({ rfq, message: (error as Error).message })
        }
      }
    }
    return batch
  }
}
