import { formatCount, truncate } from '../text/number-format.js'
import { ageOf, type Timestamp } from '../time/clock.js'
import type { PricesRead, TermsRead } from './offer-sources.js'
import type { ListDiff } from './sources.js'

// Sentences about the sources of RFQs and offers.

/** Offers that a sentence names. */
const MAX_NAMED = 3

/**
 * How the list differs, in one sentence: `The list of 2026-11-21 14:02 UTC says closed and no longer has 1 offer (Acme); this RFQ was last
 * read at 13:20.`
 * @param names of the offers that are gone, the most important first
 */
export function describeListDiff(
  changes: ListDiff,
  names: readonly string[] = changes.removedOffers.map(({ name }) => name),
): string {
  const { at, readAt, own } = changes
  if (own !== undefined && readAt !== null) {
    const said = truncate(own, 60)
    const other = joined(clausesOf(changes, names))
    return `The list of ${minuteOf(at)} UTC ${other}; the RFQ itself, read at ${readTimeText(readAt, at)}, says ${said}.`
  }
  const read = readAt === null ? '' : `; this RFQ was last read at ${readTimeText(readAt, at)}`
  return `The list of ${minuteOf(at)} UTC ${joined(clausesOf(changes, names))}${read}.`
}

/** How the list differs, as data and in one sentence. */
export const withListMessage = (changes: ListDiff | null): (ListDiff & { message: string }) | null =>
  changes && { ...changes, message: describeListDiff(changes) }

/** The same sentence about one offer that the list no longer has. */
export const describeRemoval = ({ at, readAt }: ListDiff): string =>
  `The list of ${minuteOf(at)} UTC no longer has this offer${readAt === null ? '' : `; its RFQ was last read at ${readTimeText(readAt, at)}`}.`

/** A short label for tables: `closed, 1 offer gone`. */
export function listDiffLabel({ removedOffers, addedOffers, fields, ...changes }: ListDiff): string {
  const count = (offers: readonly unknown[], what: string) =>
    offers.length === 0 ? [] : [`${formatCount(offers.length, 'offer')} ${what}`]
  const ambiguous = changes.ambiguous ? ['ambiguous'] : []
  const terms = [...termsText(changes), ...ambiguous, ...count(removedOffers, 'gone'), ...count(addedOffers, 'new')]
  return terms.length === 0 ? `other ${fieldsText(fields)}` : terms.join(', ')
}

function clausesOf(changes: ListDiff, names: readonly string[]): string[] {
  const { removedOffers, addedOffers, fields } = changes
  const terms = termsText(changes)
  const decisive = [
    ...(terms.length === 0 ? [] : [`says ${terms.join(', ')}`]),
    ...(removedOffers.length === 0
      ? []
      : [`no longer has ${formatCount(removedOffers.length, 'offer')} (${named(names)})`]),
    ...(addedOffers.length === 0 ? [] : [`has ${formatCount(addedOffers.length, 'new offer')}`]),
  ]
  if (changes.ambiguous)
    decisive.push('has an entry of it that is ambiguous (a key twice, or a number that is not exact) or contradicts it')
  // Times of changes matter only if nothing else differs.
  return fields.every(isTimeOfChange) && decisive.length > 0
    ? decisive
    : [...decisive, `has another ${fieldsText(fields)}`]
}

const termsText = ({
  state,
  responseDueDate,
  fulfilmentDueDate,
}: Pick<ListDiff, 'state' | 'responseDueDate' | 'fulfilmentDueDate'>): string[] => [
  ...(state === null ? [] : [truncate(state, 40)]),
  ...(responseDueDate === null ? [] : [`due ${truncate(responseDueDate, 40)}`]),
  ...(fulfilmentDueDate === null ? [] : [`delivery by ${truncate(fulfilmentDueDate, 40)}`]),
]

const named = (names: readonly string[]): string => {
  const more = names.length > MAX_NAMED ? `; and ${names.length - MAX_NAMED} more` : ''
  return `${names
    .slice(0, MAX_NAMED)
    .map((name) => truncate(name, 60))
    .join('; ')}${more}`
}

const isTimeOfChange = (name: string): boolean => name.endsWith('At')

/** Times of changes are named only if nothing else differs. */
function fieldsText(fields: readonly string[]): string {
  const terms = fields.filter((name) => !isTimeOfChange(name))
  const shown = (terms.length > 0 ? terms : fields).map((name) => truncate(name, 40))
  return shown.length > MAX_NAMED ? `${shown.slice(0, MAX_NAMED).join(', ')} and more` : joined(shown)
}

const joined = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`

/** Two times for one sentence: `2026-01-31 14:02 UTC` and, on the same day, `13:20`; with seconds if they are in the same minute. */
export const describeReadTimes = (newer: Timestamp, older: Timestamp): { newer: string; older: string } =>
  minuteOf(newer) === minuteOf(older)
    ? { newer: `${minuteOf(newer)}${newer.slice(16, 19)} UTC`, older: older.slice(11, 19) }
    : { newer: `${minuteOf(newer)} UTC`, older: readTimeText(older, newer) }

/** `2026-01-31 14:02`. */
export const minuteOf = (time: Timestamp): string => time.slice(0, 16).replace('T', ' ')
const readTimeText = (time: Timestamp, of: Timestamp): string =>
  time.slice(0, 10) === of.slice(0, 10) ? time.slice(11, 16) : `${minuteOf(time)} UTC`

/**
 * How old the status and prices of offers are, if the newest complete poll did not read them: `prices and status read 8 min ago`.
 * @param now the moment from which the age is counted
 * @param ago `before` where the moment is not now
 */
export function describePricesRead(read: PricesRead | null, now: Date, ago: 'ago' | 'before' = 'ago'): string | null {
  return read?.behindPoll ? `prices and status read ${formatAges(read, now)} ${ago}` : null
}

/**
 * How old the terms of offers are: `terms read 14 min ago`, or `terms read 3 to 14 min ago`.
 * @param now the moment from which the age is counted
 * @param ago `before` where the moment is not now
 */
export function describeTermsRead(read: TermsRead, now: Date, ago: 'ago' | 'before' = 'ago'): string {
  const { unread } = read
  const rest = unread === 0 ? '' : `, of ${unread} ${unread === 1 ? 'offer' : 'offers'} only the summary`
  return `terms read ${formatAges(read, now)} ${ago}${rest}`
}

/** `14 min`, or `3 to 14 min`. */
export function formatAges({ oldest, newest }: Pick<TermsRead, 'oldest' | 'newest'>, now: Date): string {
  const [longest, shortest] = [formatAge(oldest, now), formatAge(newest, now)]
  return shortest === longest ? longest : `${shortest.replace(unitOf(longest), '')} to ${longest}`
}

/** ` min` of `14 min`, so that a unit is not repeated. */
const unitOf = (age: string): string => age.slice(age.lastIndexOf(' '))

/** `45 s`, `14 min`, `3 h`; `an unknown time` if it is in the future. */
export function formatAge(time: Timestamp, now: Date): string {
  const age = ageOf(time, now)
  if (age === null) return 'an unknown time'
  const seconds = Math.round(age / 1_000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
