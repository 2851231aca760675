import type { CreditClaim } from '../../core/decision/recommendation.js'
import type { Listing } from '../../core/documents/observation.js'
import { byCodeUnit, plausibleOrNull, round6 } from '../../core/numbers.js'
import { formatAmount, formatTonnes } from '../../core/text/number-format.js'
import { daysBetween, yearOf } from '../date-math.js'
import type { DeliveryLine } from './offer-terms.js'

/** Tonnes of a year, or of years that an entry for more than one of them joins. */
export interface Shortage extends Years {
  offered: number
  /** What is offered, with what other offers claim. */
  together: number
  available: number
  /** The RFQs for which those offers are, by what is claimed; empty if there are none. */
  others: { kind: CreditClaim['kind']; rfqs: string[] }[]
}

/** Tonnes of the vintage years from `first` to `last`; null if they are not known. */
interface YearEntry {
  first: number
  last: number
  tonnes: number | null
}

/** What a listing has of each year: by its `creditAvailability`, and at most by its `availableVolume`. */
export interface Availability {
  credits: YearEntry[]
  ranges: YearEntry[]
  /** The years of both; those that follow one another are one. */
  years: Years[]
}

type Years = Pick<YearEntry, 'first' | 'last'>

export const NOTHING_AVAILABLE: Availability = { credits: [], ranges: [], years: [] }

/** A volume that is not fixed is not known. */
export function availabilityOf({
  creditAvailability,
  availableVolume,
}: Pick<Listing, 'creditAvailability' | 'availableVolume'>): Availability {
  const credits = creditAvailability.flatMap((entry) => {
    const volume = entry.availableVolume?.type === 'fixed' ? entry.availableVolume.value : null
    return entryOf(entry.reportingPeriodStart, entry.reportingPeriodEnd, volume)
  })
  const ranges = availableVolume.flatMap((entry) =>
    entryOf(entry.reportingPeriodStart, entry.reportingPeriodEnd, entry.availableVolumeRange?.max ?? null),
  )
  return { credits, ranges, years: joinedYears([...credits, ...ranges], 1) }
}

/**
 * The years of which an offer has more tonnes than its listing, alone or with what other offers claim. A period belongs to the year in which
 * it ends, and joins all of its years if it is longer than one. Nothing is said of years without an entry in the listing, or with a volume
 * that is not known.
 * @param others of the same listing
 */
export function shortagesOf(
  lines: readonly Pick<DeliveryLine, 'periodStart' | 'periodEnd' | 'volume'>[],
  { credits, ranges, years }: Availability,
  others: readonly OtherClaim[] = [],
): Shortage[] {
  const offered = lines.flatMap(({ periodStart, periodEnd, volume }) => entryOf(periodStart, periodEnd, volume ?? 0))
  const isListed = ({ first, last }: Years) => years.some((one) => one.first <= first && last <= one.last)
  const claimed = others.flatMap((claim) =>
    entryOf(claim.periodStart, claim.periodEnd, claim.volume).flatMap((entry) =>
      (entry.tonnes ?? 0) > 0 && isListed(entry) ? { claim, ...entry } : [],
    ),
  )
  const beyond: Shortage[] = []
  for (const joined of joinedYears([...offered, ...claimed, ...credits, ...ranges])) {
    const { first, last } = joined
    const isWithin = (one: Years) => one.first >= first && one.last <= last
    const isUnknown = (one: YearEntry) => one.tonnes === null && isWithin(one)
    if (!offered.some(isWithin) || !isListed(joined) || credits.some(isUnknown) || ranges.some(isUnknown)) continue
    const total = (entries: readonly YearEntry[]) =>
      round6(entries.reduce((tonnes, one) => (isWithin(one) ? tonnes + (one.tonnes ?? 0) : tonnes), 0))
    const [own, available] = [total(offered), Math.max(total(credits), total(ranges))]
    const together = round6(own + total(claimed))
    if (own === 0 || together <= available) continue
    const named = rfqsByKind(claimed.filter(isWithin).map(({ claim }) => claim))
    beyond.push({ first, last, offered: own, together, available, others: named })
  }
  // What it has too many of by itself stays so, whatever years others join.
  const alone = claimed.length === 0 ? [] : shortagesOf(lines, { credits, ranges, years })
  return [
    ...alone.filter((one) => !beyond.some(({ first, last }) => first <= one.last && one.first <= last)),
    ...beyond,
  ]
}

/** `2024`, `2022 to 2024`. */
export const yearsText = ({ first, last }: Years): string => (first === last ? `${last}` : `${first} to ${last}`)

/** `26,100 t of 2024; the listing has 6,600.`, `Credits of 2024 are also recommended for RFQ 1006 and 1007: together 17,135 of 11,800 t.` */
export const shortageText = ({ offered, together, available, others, ...years }: Shortage): string =>
  others.length === 0
    ? `${formatTonnes(offered)} of ${yearsText(years)}; the listing has ${formatAmount(available)}.`
    : `Credits of ${yearsText(years)} are also ${LIST.format(others.map(({ kind, rfqs }) => `${kind} for ${rfqsText(rfqs)}`))}: together ${formatAmount(together)} of ${formatTonnes(available)}.`

const LIST = new Intl.ListFormat('en-GB')
/** More RFQs are counted. */
const MAX_NAMED = 4

/** `RFQ 1006 and 1007`. */
export const rfqsText = (rfqs: readonly string[]): string =>
  `RFQ ${LIST.format(rfqs.length > MAX_NAMED ? [...rfqs.slice(0, MAX_NAMED), `${rfqs.length - MAX_NAMED} more`] : rfqs)}`

/**
 * The claims that add to what an offer claims, or would: those on its listing by offers for other RFQs; by others for its own RFQ only if it
 * is claimed itself, because otherwise it is an alternative to them.
 */
export function otherClaims(
  all: readonly CreditClaim[] = [],
  { id, listingId }: { id: string; listingId: string | null },
  rfq: Pick<CreditClaim, 'channel' | 'rfqId'>,
): OtherClaim[] {
  const isOwnRfq = ({ channel, rfqId }: CreditClaim) => channel === rfq.channel && rfqId === rfq.rfqId
  const isOwn = (claim: CreditClaim) => isOwnRfq(claim) && claim.offerId === id
  const isClaimed = all.some(isOwn)
  return all.flatMap((claim) => {
    if (claim.listingId !== listingId || isOwn(claim) || (isOwnRfq(claim) && !isClaimed)) return []
    const name = claim.rfqNumber ?? claim.rfqId
    return [{ rfq: claim.channel === rfq.channel ? `${name}` : `${claim.channel}/${name}`, ...claim }]
  })
}

/** With the name of its RFQ: `1006`, in another channel `meridian/removals/1002`. */
type OtherClaim = CreditClaim & { rfq: string }

const rfqsByKind = (claims: readonly OtherClaim[]): Shortage['others'] =>
  (['accepted', 'awarded', 'recommended'] as const).flatMap((kind) => {
    const rfqs = [...new Set(claims.flatMap((claim) => (claim.kind === kind ? claim.rfq : [])))].sort(byCodeUnit)
    return rfqs.length === 0 ? [] : { kind, rfqs }
  })

function entryOf(start: string | null, end: string | null, tonnes: number | null): YearEntry[] {
  if (end === null) return []
  const [first, last] = [yearOf(start ?? end), yearOf(end)]
  const isLong = start !== null && first < last && (daysBetween(start, end) ?? 0) > 366
  return [{ first: isLong ? first : last, last, tonnes: plausibleOrNull(tonnes) }]
}

/** The ranges of years of the entries, which it sorts; those that overlap, or are at most `gap` years apart, are one. */
function joinedYears(entries: YearEntry[], gap = 0): Years[] {
  const joined: Years[] = []
  for (const { first, last } of entries.sort((a, b) => a.first - b.first)) {
    const open = joined.at(-1)
    if (open !== undefined && first <= open.last + gap) open.last = Math.max(open.last, last)
    else joined.push({ first, last })
  }
  return joined
}
