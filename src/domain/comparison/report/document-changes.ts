import type { Timestamp } from '../../clock.js'
import { daysBetween } from '../calendar-dates.js'
import type { PastAbsence, PastVersion } from '../comparison-input.js'
import { amountOf, priceOf, shorten } from '../figure-text.js'
import { byCodeUnit } from '../numbers.js'
import { type ChangeValue, differences, leavesOf } from './document-fields.js'

/** A change happened after one observation and was seen by another; nobody knows when exactly. */
export interface Change {
  /** Last observation before it; null for what was there at the first. */
  after: Timestamp | null
  /** Observation that showed it. */
  seenBy: Timestamp
  entity: 'rfq' | 'offer'
  id: string
  label: string
  /** null for events without one (withdrawn, reinstated). */
  version: number | null
  event: ChangeEvent
  /** Path within the document, as `offer.scheduledDeliveries[0].vintages[1].unitPrice`; null for an event as a whole. */
  field: string | null
  before: ChangeValue
  value: ChangeValue
  /** Numbers: value − before; dates: days between; else null. */
  difference: number | null
  unit: 'number' | 'days' | null
  words: string
}

/**
 * `appeared`: first seen (the RFQ; an offer: submitted). `withdrawn`: the RFQ showed it no longer. `opened`, `closed`:
 * the RFQ's state. `accepted`, `rejected`, `status`: the offer's. `review`: its review's status. `detail`: its full
 * document was read for the first time (or could no longer be), no change of its terms. `changed`: any other field.
 */
export type ChangeEvent =
  | 'appeared'
  | 'withdrawn'
  | 'reinstated'
  | 'opened'
  | 'closed'
  | 'status'
  | 'accepted'
  | 'rejected'
  | 'review'
  | 'detail'
  | 'changed'

/** Fields of one version told one by one; the rest is counted. */
export const MOST_FIELDS = 500

interface Told {
  /** What an offer is called, by id; one that is not known any more goes by the beginning of its id. */
  labels: ReadonlyMap<string, string>
  asOf: string
}

/** What changed between observations up to as-of, oldest first: model.ts, `Change`. */
export function changesOf(versions: readonly PastVersion[], absences: readonly PastAbsence[], told: Told): Change[] {
  const known = versions.filter(({ kind, observedAt }) => kind !== 'listing' && observedAt <= told.asOf)
  const changes = [
    ...histories(known).flatMap((history) => historyChanges(history, told)),
    ...absences.filter(({ kind }) => kind !== 'listing').flatMap((absence) => absenceChanges(absence, told)),
  ]
  return changes.sort(inTime)
}

// Stable: fields of one version keep their order.
function inTime(a: Change, b: Change): number {
  const entity = (change: Change) => (change.entity === 'rfq' ? '0' : '1') + change.id
  return byCodeUnit(a.seenBy, b.seenBy) || byCodeUnit(entity(a), entity(b)) || (a.version ?? 0) - (b.version ?? 0)
}

function histories(versions: readonly PastVersion[]): PastVersion[][] {
  const byEntity = new Map<string, PastVersion[]>()
  for (const version of versions) {
    const key = `${version.kind} ${version.id}`
    const history = byEntity.get(key)
    if (history === undefined) byEntity.set(key, [version])
    else history.push(version)
  }
  return [...byEntity.values()].map((history) => history.sort((a, b) => a.version - b.version))
}

function historyChanges(history: readonly PastVersion[], told: Told): Change[] {
  const [first, ...later] = history
  if (first === undefined) return []
  let before = { version: first, fields: later.length > 0 ? fieldsOf(first) : new Map<string, ChangeValue>() }
  const changes = later.flatMap((version) => {
    const after = { version, fields: fieldsOf(version) }
    const changed = versionChanges(before, after, told)
    before = after
    return changed
  })
  return [appeared(first, told), ...changes]
}

interface Read {
  version: PastVersion
  fields: Map<string, ChangeValue>
}

function frame(version: PastVersion, told: Told) {
  return { after: version.notBefore, seenBy: version.observedAt, version: version.version, ...entityOf(version, told) }
}

function entityOf({ kind, id }: { kind: PastVersion['kind']; id: string }, told: Told) {
  return kind === 'rfq'
    ? { entity: 'rfq' as const, id, label: 'RFQ' }
    : { entity: 'offer' as const, id, label: told.labels.get(id) ?? `Offer ${shorten(id, 9)}` }
}

function appeared(version: PastVersion, told: Told): Change {
  const framed = frame(version, told)
  const when = textOf(version.body, 'submittedAt')
  const submitted = when === null ? '' : `, submitted ${shorten(when, 40)} by its own account`
  const words = framed.entity === 'rfq' ? 'The RFQ was first seen.' : `${framed.label} was first seen${submitted}.`
  const value = textOf(version.body, framed.entity === 'rfq' ? 'state' : 'status')
  return { ...framed, event: 'appeared', field: null, before: null, value, ...NO_DIFFERENCE, words }
}

function textOf(body: unknown, member: string): string | null {
  if (body === null || typeof body !== 'object' || !Object.hasOwn(body, member)) return null
  const value = (body as Record<string, unknown>)[member]
  return typeof value === 'string' ? value : null
}

const NO_DIFFERENCE = { difference: null, unit: null }

function versionChanges(
  { version: before, fields: old }: Read,
  { version: after, fields: now }: Read,
  told: Told,
): Change[] {
  const sameShape = before.shape === after.shape
  const changed = differences(old, now)
    // A summary tells less than a full document: what only one of them tells has not changed.
    .filter((pair) => sameShape || (pair.before !== null && pair.value !== null))
  const meant = changed.filter(({ field }) => !/(^|\.)updatedAt$/.test(field))
  const fields = (meant.length > 0 ? meant : changed).map((pair) => fieldChange(pair, after, told))
  return [
    ...(sameShape ? [] : [detail(before, after, told)]),
    ...fields.slice(0, MOST_FIELDS),
    ...rest(fields, after, told),
  ]
}

/** An RFQ without its responses, which have a history of their own; a summary in the form of a response. */
function fieldsOf({ kind, shape, body }: PastVersion): Map<string, ChangeValue> {
  const leaves = leavesOf(body)
  if (kind === 'rfq') return rfqFields(leaves)
  if (shape === 'full') return leaves
  return new Map([...leaves].map(([field, value]) => [TERMS.has(field) ? `offer.${field}` : field, value]))
}

function rfqFields(leaves: Map<string, ChangeValue>): Map<string, ChangeValue> {
  const own = [...leaves].filter(([field]) => !/^(responses|listingIds)(\[|$)/.test(field))
  const listings = [...leaves].filter(([field]) => field.startsWith('listingIds[')).map(([, value]) => String(value))
  // Their order means nothing.
  return new Map([...own, ...(listings.length ? [['listingIds', listings.sort().join(', ')] as const] : [])])
}
const TERMS = new Set(['contractType', 'currency', 'totalVolume', 'totalPrice', 'expiryDate'])

function detail(before: PastVersion, after: PastVersion, told: Told): Change {
  const framed = frame(after, told)
  const how = after.shape === 'full' ? 'Its full document was read' : 'Its full document could not be read'
  const words = `${framed.label}: ${how}; before, ${before.shape === 'full' ? 'it could' : 'only a part'}.`
  return { ...framed, event: 'detail', field: null, before: before.shape, value: after.shape, ...NO_DIFFERENCE, words }
}

function rest(fields: readonly Change[], version: PastVersion, told: Told): Change[] {
  const more = fields.length - MOST_FIELDS
  if (more <= 0) return []
  const framed = frame(version, told)
  const words = `${framed.label}: ${amountOf(more)} more fields changed.`
  return [{ ...framed, event: 'changed', field: null, before: null, value: more, ...NO_DIFFERENCE, words }]
}

type Pair = ReturnType<typeof differences>[number]

function fieldChange({ field, before, value }: Pair, version: PastVersion, told: Told): Change {
  const framed = frame(version, told)
  const compared = difference(before, value)
  const words = `${framed.label}: ${field} ${shown(field, before)} → ${shown(field, value)}${differenceWords(compared)}.`
  return { ...framed, event: eventOf(version.kind, field, value), field, before, value, ...compared, words }
}

function eventOf(kind: PastVersion['kind'], field: string, value: ChangeValue): ChangeEvent {
  if (kind === 'rfq' && field === 'state' && (value === 'open' || value === 'closed')) {
    return value === 'open' ? 'opened' : 'closed'
  }
  if (kind === 'response' && field === 'status') return value === 'accepted' || value === 'rejected' ? value : 'status'
  return kind === 'response' && field === 'offer.review.status' ? 'review' : 'changed'
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
type Difference = Pick<Change, 'difference' | 'unit'>

function difference(before: ChangeValue, value: ChangeValue): Difference {
  if (typeof before === 'number' && typeof value === 'number') {
    const by = value - before
    return Number.isFinite(by) ? { difference: by, unit: 'number' } : NO_DIFFERENCE
  }
  const dates = [before, value].every((one) => typeof one === 'string' && DATE.test(one))
  const days = dates ? daysBetween(String(before), String(value)) : null
  return days === null || Number.isNaN(days) ? NO_DIFFERENCE : { difference: days, unit: 'days' }
}

function differenceWords({ difference: by, unit }: Difference): string {
  if (by === null) return ''
  return ` (${by > 0 ? '+' : ''}${priceOf(by)}${unit === 'days' ? ' days' : ''})`
}

function shown(field: string, value: ChangeValue): string {
  if (value === null) return 'nothing'
  const counts = typeof value === 'number' && !/Year$|^number$/.test(field)
  return counts ? priceOf(value) : shorten(String(value), 60)
}

function absenceChanges(absence: PastAbsence, told: Told): Change[] {
  const about = { ...entityOf(absence, told), version: null, field: null, before: null, value: null, ...NO_DIFFERENCE }
  const place = about.entity === 'rfq' ? 'The channel' : 'The RFQ'
  const gone: Change = {
    ...about,
    after: absence.notBefore,
    seenBy: absence.missingSince,
    event: 'withdrawn',
    words: `${place} no longer showed ${about.entity === 'rfq' ? 'the RFQ' : about.label}.`,
  }
  const back: Change = {
    ...about,
    after: absence.missingSince,
    seenBy: absence.returnedAt ?? '',
    event: 'reinstated',
    words: `${place} showed ${about.entity === 'rfq' ? 'the RFQ' : about.label} again.`,
  }
  const happened = absence.returnedAt === null ? [gone] : [gone, back]
  return happened.filter(({ seenBy }) => seenBy <= told.asOf)
}
