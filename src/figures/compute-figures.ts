import { hash } from 'node:crypto'
import type { ListingQuality } from '../compare/offer/listing-quality.js'
import type { AwardRecord } from '../core/decision/award-record.js'
import type { RecommendationFigures, RecordedRecommendation } from '../core/decision/recommendation.js'
import { type Settings, settingsSchema } from '../core/decision/settings.js'
import { canonicalJson } from '../core/documents/canonical-json.js'
import { isAddressable } from '../core/documents/identifier.js'
import { awardTerms, describeMove } from '../core/events/event-text.js'
import type { KnownDocument } from '../core/records.js'
import { searchTextOf } from '../core/text/comparable-text.js'
import type { Timestamp } from '../core/time/clock.js'
import { createCalendar } from '../core/time/expiry.js'
import { createTimeSlices } from '../core/time/time-slice.js'
import type { ComputedFigures, FigureBasis, FigureComputer, FigureSource } from '../store/contract.js'
import { StoreError } from '../store/errors.js'
import { SETTLED } from '../store/figures/figure-contract.js'
import { VERSION } from '../version.js'
import { changeReason, hasAccepted } from './change-reason.js'
import { settingsAt } from './exchange-rates.js'
import {
  type RfqDocuments,
  type RfqState,
  readDocuments,
  rfqStateAt,
  rfqStateOf,
  type StateMoment,
} from './rfq-state.js'

interface FigureOptions {
  /** As configured. */
  settings: Settings
  /** IANA name of a channel's time zone. */
  timeZoneOf: (channel: string) => string
  /** Called with each RFQ that cannot be computed. */
  onFailed: (rfq: { channel: string; rfqId: string }, message: string) => void
}

/** What a batch of RFQs is computed with. */
interface Context extends StateMoment {
  source: FigureSource
  key: string
}

/** An RFQ that is computed, with its standing award and its newest recommendation. */
interface Subject extends RfqDocuments {
  standing: AwardRecord | undefined
  last: RecordedRecommendation | undefined
}

async function computeRfq(context: Context, subject: Subject): Promise<ComputedFigures> {
  const { source, key } = context
  const { rfq, standing, last } = subject
  const { channel, id: rfqId, valid } = rfq
  const state = await rfqStateOf(source, subject, context, standing)
  const { facts, figures, stakes, claims, award } = state
  const { offers } = state.assessed
  const { number, reference, title } = facts
  const { decision } = figures
  const isDecided = !figures.undecided && (award === null || award.status === 'accepted' || award.status === 'no-award')
  const names = new Set(offers.flatMap(({ developer, project }) => [developer, project]))
  // Another process whose clock is ahead may have recorded the documents.
  const computedAt = later(later(context.at.toISOString(), rfq.lastObservedAt ?? ''), last?.at ?? '')
  return {
    ...(await changeOf(context, subject, state, computedAt)),
    row: {
      channel,
      rfqId,
      key: facts.state === 'closed' && isDecided ? SETTLED : key,
      valid: valid ? 1 : 0,
      offers: offers.filter(({ missingSince }) => missingSince === null).length,
      facts: JSON.stringify(facts),
      figures: JSON.stringify(figures),
      award: award && JSON.stringify({ status: award.status, findings: award.findings, next: award.next }),
      search: searchTextOf(number, reference, title, channel, ...names),
      number,
      title: title?.toLowerCase() ?? null,
      recommended: decision?.offers[0]?.toLowerCase() ?? null,
      price: decision?.pricePerTonne ?? null,
      total: decision?.total ?? null,
      stakes: JSON.stringify(stakes),
      claims: claims.length === 0 ? null : JSON.stringify(claims),
      awardStatus: award?.status ?? null,
      wanted: figures.wanted,
      coverage: figures.coverage,
      bestPrice: figures.bestPricePerTonne,
      attention: attentionOf(state, valid),
      computedAt,
    },
  }
}

/**
 * Whether a person has to look at an RFQ, whatever its due date: 2 (now) if its recorded award has to be decided again or expires by
 * tomorrow; 1 if the award waits for something else, if it closed and nobody decided whom to award, or if its document is invalid, so that
 * nothing closes it.
 */
function attentionOf({ facts, figures, award }: RfqState, valid: boolean): 0 | 1 | 2 {
  const waiting = award?.findings.filter(({ code }) => code !== 'accepted') ?? []
  if (waiting.some(({ loud }) => loud)) return 2
  return waiting.length > 0 || figures.undecided || (!valid && facts.state !== 'closed') ? 1 : 0
}

/** The recommendation to record, and its event: none if it is the newest one, or if offers were not read yet. */
async function changeOf(context: Context, { rfq, last, standing }: Subject, state: RfqState, at: Timestamp) {
  const { channel, id: rfqId } = rfq
  const { recommendation } = state
  const isSame = last !== undefined && keyOf(last) === keyOf(recommendation)
  if (isSame || (await hasUnreadOffers(context.source, rfq, state))) return { recommendation: null, event: null }
  const made = { channel, rfqId, at, ...recommendation }
  if (last === undefined) return { recommendation: { reason: null, ...made }, event: null }
  const then = new Date(last.at)
  // Those of another version may have settings that no longer exist.
  const settings = settingsSchema.safeParse(last.settings).data ?? context.settings
  const before = (await rfqStateAt(context.source, rfq, { ...context, at: then, asOf: then, settings })) ?? state
  const reason = changeReason(last, before, state)
  const moved = { before: awardTerms(last), after: awardTerms(recommendation) }
  // What is accepted is no longer recommended, and not lost either.
  const amounts = hasAccepted(before) || hasAccepted(state) ? [] : describeMove(moved)
  const { channel: _channel, rfqId: _rfqId, at: _at, settings: _with, reason: _reason, ...figures } = last
  const data = {
    reason,
    recommendation: { before: figures, after: recommendation },
    ...(standing === undefined && amounts.length > 0 && { moved }),
    messages: [`${reason}.`, ...amounts],
  }
  const event = { kind: 'recommendation.changed', at, channel, rfqId, data } as const
  return { recommendation: { reason, ...made }, event }
}

/** The same for recommendations of the same offers for the same amounts, whatever their names. */
const keyOf = ({ status, offers, currency }: RecommendationFigures): string =>
  JSON.stringify([status, ...offers.map(({ id, tonnes, total }) => [id, tonnes, total, currency])])

/** Whether offers of an RFQ were listed and neither read nor requested yet, and can be. */
async function hasUnreadOffers(source: FigureSource, rfq: KnownDocument, { facts, figures }: RfqState) {
  if (facts.unreadOffers > 0 || figures.summaryOnly === 0) return facts.unreadOffers > 0
  const states = await source.responseStates(rfq.channel, [rfq.id])
  return states.some((each) => each.requestedAt === null && each.missingSince === null && isAddressable(each.id))
}

const later = (a: string, b: string) => (a > b ? a : b)

/** Computes figures of RFQs, and keeps the listings that it has read. */
export function createFigureComputer({ settings, timeZoneOf, onFailed }: FigureOptions): FigureComputer {
  const listings = new Map<string, { polledBy: number | null; kept: Map<string, ListingQuality> }>()
  return {
    settings,

    async basisOf(source, channel, now): Promise<FigureBasis> {
      const known = await settingsAt(source, settings, now)
      const day = createCalendar(timeZoneOf(channel)).dateAt(now)
      return { settings: known, key: hash('sha256', canonicalJson({ settings: known, day, version: VERSION })) }
    },

    async compute(source, { channel, rfqs }, basis, at) {
      const context = { source, timeZone: timeZoneOf(channel), at, ...basis }
      const polledBy = await source.listingsPolledBy(channel)
      const last = listings.get(channel)
      const isCurrent = polledBy !== null && last?.polledBy === polledBy
      const kept = isCurrent ? last.kept : new Map<string, ListingQuality>()
      listings.set(channel, { polledBy, kept })
      const documents = await readDocuments(source, rfqs, { channel }, kept)
      const ids = rfqs.map(({ rfq }) => rfq.id)
      const awards = await source.awards({ channel, rfqIds: ids, standing: true })
      const newest = await source.newestRecommendations(channel, ids)
      const nextSlice = createTimeSlices()
      const computed: ComputedFigures[] = []
      for (const each of documents) {
        await nextSlice()
        const rfqId = each.rfq.id
        const isOfRfq = (other: { rfqId: string }) => other.rfqId === rfqId
        try {
          const subject = { standing: awards.find(isOfRfq), last: newest.find(isOfRfq), ...each }
          computed.push(await computeRfq(context, subject))
        } catch (error) {
          if (error instanceof StoreError) throw error
          onFailed({ channel, rfqId }, (error as Error).message)
        }
      }
      return computed
    },
  }
}
