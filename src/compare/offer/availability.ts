import type { Listing } from '../../core/documents/observation.js'
import { plausibleOrNull, round6, sum } from '../../core/numbers.js'
import { formatAmount, formatTonnes } from '../../core/text/number-format.js'
import { daysBetween, yearOf } from '../date-math.js'
import type { DeliveryLine } from './offer-terms.js'

/** Tonnes of a year, or of years that an entry for more than one of them joins. */
export interface Shortage {
  /** `2024`, `2022 to 2024`. */
  years: string
  offered: number
  available: number
}

/** Tonnes of the vintage years from `first` to `last`; null if they are not known. */
export interface YearEntry {
  first: number
  last: number
  tonnes: number | null
}

/** What a listing has of each year: by its `creditAvailability`, and at most by its `availableVolume`. */
export interface Availability {
  credits: YearEntry[]
  ranges: YearEntry[]
}

/** A volume that is not fixed is not known. */
export const availabilityOf = ({
  creditAvailability,
  availableVolume,
}: Pick<Listing, 'creditAvailability' | 'availableVolume'>): Availability => ({
  credits: creditAvailability.flatMap((entry) => {
    const volume = entry.availableVolume?.type === 'fixed' ? entry.availableVolume.value : null
    return entryOf(entry.reportingPeriodStart, entry.reportingPeriodEnd, volume)
  }),
  ranges: availableVolume.flatMap((entry) =>
    entryOf(entry.reportingPeriodStart, entry.reportingPeriodEnd, entry.availableVolumeRange?.max ?? null),
  ),
})

/**
 * The years of which an offer has more tonnes than its listing. A period belongs to the year in which it ends, and joins all of its years if
 * it is longer than one. Nothing is said of years without an entry in the listing, or with a volume that is not known.
 */
export function shortagesOf(lines: readonly DeliveryLine[], { credits, ranges }: Availability): Shortage[] {
  const offered = lines.flatMap(({ periodStart, periodEnd, volume }) => entryOf(periodStart, periodEnd, volume ?? 0))
  const listed = [...credits, ...ranges]
  return joinedYears([...offered, ...listed]).flatMap(({ first, last }) => {
    const within = (entries: readonly YearEntry[]) => entries.filter((one) => one.first >= first && one.last <= last)
    if (within(offered).length === 0) return []
    const years = Array.from({ length: last - first + 1 }, (_, at) => first + at)
    const isListed = years.every((year) => listed.some((one) => one.first <= year && year <= one.last))
    if (!isListed || within(listed).some(({ tonnes }) => tonnes === null)) return []
    const total = (entries: readonly YearEntry[]) => round6(sum(within(entries).map(({ tonnes }) => tonnes ?? 0)))
    const available = Math.max(total(credits), total(ranges))
    if (total(offered) <= available) return []
    return [{ years: first === last ? `${last}` : `${first} to ${last}`, offered: total(offered), available }]
  })
}

/** `26,100 t of 2024; the listing has 6,600.` */
export const shortageText = ({ years, offered, available }: Shortage): string =>
  `${formatTonnes(offered)} of ${years}; the listing has ${formatAmount(available)}.`

function entryOf(start: string | null, end: string | null, tonnes: number | null): YearEntry[] {
  if (end === null) return []
  const isLong = start !== null && (daysBetween(start, end) ?? 0) > 366
  return [{ first: yearOf(isLong ? start : end), last: yearOf(end), tonnes: plausibleOrNull(tonnes) }]
}

/** The ranges of years of the entries; those that overlap are one. */
function joinedYears(entries: readonly YearEntry[]): Pick<YearEntry, 'first' | 'last'>[] {
  const joined: { first: number; last: number }[] = []
  for (const { first, last } of [...entries].sort((a, b) => a.first - b.first)) {
    const open = joined.at(-1)
    if (open !== undefined && first <= open.last) open.last = Math.max(open.last, last)
    else joined.push({ first, last })
  }
  return joined
}
