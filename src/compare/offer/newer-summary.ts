import type { ResponseSummary } from '../../core/documents/observation.js'
import { nonBlank } from '../../core/numbers.js'
import type { LastSummaries, NewerSummaries } from '../../core/sources/offer-sources.js'
import { describeReadTimes } from '../../core/sources/source-text.js'
import { formatMoney, formatTonnes, truncate } from '../../core/text/number-format.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { DocumentProblem, ParsedRfq, VersionMetadata } from '../input/comparison-input.js'
import type { OfferFacts } from './offer-terms.js'

/**
 * Which summaries are newer than the offers themselves: those named, or `by-version` as of a past moment, when it is only known which
 * versions there were.
 */
export type SummaryTimes = NewerSummaries | 'by-version' | null

/** How the summary of an offer in the RFQ differs from the offer itself, which was read earlier. */
export interface NewerSummary {
  /** When the RFQ was last read; as of a past moment, when its version was first read. */
  rfqAt: Timestamp
  /** The same of the offer itself. */
  offerAt: Timestamp
  /** In the order of SUMMARY_MEMBERS. */
  differences: SummaryDifference[]
  /** In one sentence. */
  message: string
}

export interface SummaryDifference {
  member: SummaryMember
  /** As the RFQ and the offer itself have it. */
  rfq: string | number
  offer: string | number
}

type SummaryMember = 'status' | 'totalPrice' | 'totalVolume' | 'currency' | 'expiryDate' | 'contractType'

/** Paths of the members of a summary in the offer itself, as problems name them (core/offer-sources.ts). */
const PATHS: Record<SummaryMember, string> = {
  status: 'status',
  totalPrice: 'offer.totalPrice',
  totalVolume: 'offer.totalVolume',
  currency: 'offer.currency',
  expiryDate: 'offer.expiryDate',
  contractType: 'offer.contractType',
}
const SUMMARY_MEMBERS = Object.keys(PATHS) as SummaryMember[]

/** The summaries of an RFQ, to compare its offers with. */
export interface SummarySource {
  rfq: ParsedRfq
  times: SummaryTimes
  /** Default none. */
  lastSummaries?: LastSummaries | undefined
  /** Paths of the members that an offer and its summary were found to contradict each other in when both were read. */
  conflictsOf: (responseId: string) => ReadonlySet<string>
}

/** The paths in which each offer was found to contradict its summary. @param problems those known at the moment */
export function conflictPaths(problems: readonly DocumentProblem[]): (responseId: string) => ReadonlySet<string> {
  const paths = new Map<string, Set<string>>()
  for (const { kind, entityId, path, code } of problems) {
    if (kind !== 'response' || code !== 'conflict') continue
    const known = paths.get(entityId)
    if (known === undefined) paths.set(entityId, new Set([path]))
    else known.add(path)
  }
  return (id) => paths.get(id) ?? NO_PATHS
}
const NO_PATHS: ReadonlySet<string> = new Set()
const NO_SUMMARIES: LastSummaries = new Map()

/** An offer as it was itself read. */
type OwnFacts = Pick<OfferFacts, 'shape' | 'status' | 'terms' | 'hasOffer'>

/** A summary of an offer, and when it and the offer itself were read; `isDated` if that is more than the times of versions. */
interface SummaryFound {
  summary: ResponseSummary
  rfqAt: Timestamp
  offerAt: Timestamp | undefined
  isDated: boolean
}

/**
 * Finds what newer summaries say otherwise; the function returns null for an offer if that is nothing. Of an offer that is missing from
 * the RFQ, it is what the RFQ said last, if that is that the offer was accepted.
 */
export function createNewerSummaries({ rfq, times, lastSummaries = NO_SUMMARIES, conflictsOf }: SummarySource) {
  const present = presentSummaries(rfq, times)
  return (known: VersionMetadata, own: OwnFacts): NewerSummary | null => {
    if (own.shape !== 'full' || !own.hasOffer) return null
    const found = known.missingSince === null ? present(known) : lastSummaryOf(known, lastSummaries)
    if (found?.offerAt === undefined) return null
    const { summary, rfqAt, offerAt } = found
    const all = differencesOf(summary, own)
    // An offer that was read again after the RFQ, and was the same, has such a problem.
    const differences = found.isDated ? all : all.filter(({ member }) => !conflictsOf(known.id).has(PATHS[member]))
    if (differences.length === 0) return null
    return { rfqAt, offerAt, differences, message: textOf({ ...found, offerAt, differences }, summary, own) }
  }
}

function presentSummaries(rfq: ParsedRfq, times: SummaryTimes): (known: VersionMetadata) => SummaryFound | null {
  if (times === null || rfq.shape !== 'full' || rfq.document === null) return () => null
  const summaries = new Map(rfq.document.responses.map((summary) => [summary.id as string, summary]))
  const readAt = times === 'by-version' ? null : new Map(times.offers.map((offer) => [offer.id, offer.readAt]))
  const rfqAt = times === 'by-version' ? rfq.observedAt : times.rfqReadAt
  return (known) => {
    const summary = summaries.get(known.id)
    if (summary === undefined) return null
    const offerAt = readAt === null ? ofVersion(known, rfq.observedAt) : readAt.get(known.id)
    return { summary, rfqAt, offerAt, isDated: readAt !== null }
  }
}

function lastSummaryOf(known: VersionMetadata, lastSummaries: LastSummaries): SummaryFound | null {
  const last = lastSummaries.get(known.id)
  if (last === undefined) return null
  const { summary, observedAt } = last
  return { summary, rfqAt: observedAt, offerAt: ofVersion(known, observedAt), isDated: false }
}

/** Both versions are first observed at the same time if they were read together. */
const ofVersion = ({ observedAt }: VersionMetadata, rfqAt: Timestamp) => (observedAt < rfqAt ? observedAt : undefined)

/** Absent and null members are not compared. */
function differencesOf(summary: ResponseSummary, own: OwnFacts): SummaryDifference[] {
  const [listed, offered] = [valuesOfSummary(summary), valuesOfOffer(own)]
  return SUMMARY_MEMBERS.flatMap((member) => {
    const [rfq, offer] = [listed[member], offered[member]]
    return rfq === null || offer === null || rfq === offer ? [] : [{ member, rfq, offer }]
  })
}

type Values = Record<SummaryMember, string | number | null>

const valuesOfSummary = (summary: ResponseSummary): Values => ({
  status: nonBlank(summary.status),
  totalPrice: summary.totalPrice,
  totalVolume: summary.totalVolume,
  currency: nonBlank(summary.currency),
  expiryDate: summary.expiryDate ?? null,
  contractType: nonBlank(summary.contractType),
})

const valuesOfOffer = ({ status, terms }: OwnFacts): Values => ({
  status,
  totalPrice: terms.statedTotal,
  totalVolume: terms.statedVolume,
  currency: terms.currency,
  expiryDate: terms.expiryDate,
  contractType: terms.contractType,
})

/** `The RFQ, read at 2026-01-31 14:02 UTC, says accepted, total 60,000 USD; the offer itself, read at 13:20, says submitted, total 72,000 USD.` */
function textOf(
  { rfqAt, offerAt, differences, isDated }: Omit<NewerSummary, 'message'> & { isDated: boolean },
  summary: ResponseSummary,
  { terms }: OwnFacts,
): string {
  const { newer, older } = describeReadTimes(rfqAt, offerAt)
  const said = differences.map(({ member, rfq }) => valueText(member, rfq, summary.currency))
  const own = differences.map(({ member, offer }) => valueText(member, offer, terms.currency))
  // A version may have been read again since, and was the same.
  const read = isDated ? 'read at' : 'first read so at'
  return `The RFQ, ${read} ${newer}, says ${said.join(', ')}; the offer itself, ${read} ${older}, says ${own.join(', ')}.`
}

function valueText(member: SummaryMember, value: string | number, currency: string | null): string {
  if (member === 'totalPrice') return `total ${formatMoney(Number(value), currency)}`
  if (member === 'totalVolume') return `volume ${formatTonnes(Number(value))}`
  const text = truncate(String(value), 40)
  if (member === 'expiryDate') return `expiry ${text}`
  return member === 'currency' ? `currency ${text}` : text
}

/** Whether more than the status differs: volume, price, expiry or contract. The status of the summary is used; these cannot be. */
export const hasOtherTerms = (summary: NewerSummary | null): summary is NewerSummary =>
  summary?.differences.some(({ member }) => member !== 'status') ?? false

/** The status that the RFQ shows, if that is newer and another one. */
export function newerStatus(summary: NewerSummary | null): string | null {
  const found = summary?.differences.find(({ member }) => member === 'status')
  return found === undefined ? null : String(found.rfq)
}
