import { differences, type FieldValue, flatten } from '../../core/documents/document-fields.js'
import { byCodeUnit } from '../../core/numbers.js'
import type { Absence } from '../../core/records.js'
import { minuteOf } from '../../core/sources/source-text.js'
import { formatAmount, formatFourDecimals, formatPrice, truncate } from '../../core/text/number-format.js'
import type { Timestamp } from '../../core/time/clock.js'
import { daysBetween } from '../date-math.js'
import type { HistoryVersion } from '../input/comparison-input.js'

/** A change happened between two observations; the exact time is unknown. */
export interface Change {
  /** Last observation before the change; null for a first observation. */
  after: Timestamp | null
  /** First observation after the change. */
  seenBy: Timestamp
  entity: 'rfq' | 'offer'
  id: string
  label: string
  /** null for events without one (withdrawn, reinstated). */
  version: number | null
  event: ChangeEvent
  /** Path within the document, such as `offer.scheduledDeliveries[0].vintages[1].unitPrice`; null if not about a field. */
  field: string | null
  before: FieldValue
  value: FieldValue
  /** For numbers, value − before; for dates, the days between; otherwise null. */
  difference: number | null
  unit: 'number' | 'days' | null
  message: string
}

/** Events in words. */
export const EVENT_LABELS = {
  appeared: 'first seen',
  withdrawn: 'no longer visible',
  reinstated: 'visible again',
  opened: 'opened',
  closed: 'closed',
  status: 'status changed',
  accepted: 'accepted',
  rejected: 'rejected',
  review: 'review changed',
  detail: 'full document read',
  changed: 'changed',
} as const

/**
 * `appeared`: first observed. `withdrawn`, `reinstated`: no longer listed, listed again. `opened`, `closed`: the RFQ's
 * state changed. `accepted`, `rejected`, `status`: the offer's status changed. `review`: the status of its review changed.
 * `detail`: the full document was read for the first time, or became unreadable; its terms did not change. `changed`: any other field.
 */
export type ChangeEvent = keyof typeof EVENT_LABELS

/** Whether something changed, rather than being observed for the first time or read in full. */
export const isChange = ({ event }: Pick<Change, 'event'>): boolean => event !== 'appeared' && event !== 'detail'

/** Maximum number of changed fields listed per version; the others are only counted. */
export const MAX_FIELDS_PER_VERSION = 500

interface ChangeContext {
  /** Labels by offer ID; other offers are named by the start of their ID. */
  labels: ReadonlyMap<string, string>
  asOf: string
}

/** Changes between observations up to the as-of moment, oldest first. */
export function changesOf(
  versions: Iterable<HistoryVersion>,
  absences: readonly Absence[],
  context: ChangeContext,
): Change[] {
  const known = [...versions].filter(({ kind, observedAt }) => kind !== 'listing' && observedAt <= context.asOf)
  const changes = [
    ...histories(known).flatMap((history) => historyChanges(history, context)),
    ...absences.filter(({ kind }) => kind !== 'listing').flatMap((absence) => absenceChanges(absence, context)),
  ]
  return changes.sort(chronologically)
}

/** The changes that one version made; a first version only appeared. */
export function changesOfVersion(
  previous: HistoryVersion | null,
  version: HistoryVersion,
  context: ChangeContext,
): Change[] {
  if (previous === null) return [appearance(version, context)]
  return versionChanges(flattenVersion(previous), flattenVersion(version), context)
}

// The sort is stable: fields of one version keep their order.
function chronologically(a: Change, b: Change): number {
  const entity = (change: Change) => (change.entity === 'rfq' ? '0' : '1') + change.id
  return byCodeUnit(a.seenBy, b.seenBy) || byCodeUnit(entity(a), entity(b)) || (a.version ?? 0) - (b.version ?? 0)
}

function histories(versions: readonly HistoryVersion[]): HistoryVersion[][] {
  const byEntity = new Map<string, HistoryVersion[]>()
  for (const version of versions) {
    const key = `${version.kind} ${version.id}`
    const history = byEntity.get(key)
    if (history === undefined) byEntity.set(key, [version])
    else history.push(version)
  }
  return [...byEntity.values()].map((history) => history.sort((a, b) => a.version - b.version))
}

function historyChanges(history: readonly HistoryVersion[], context: ChangeContext): Change[] {
  const [first, ...later] = history
  if (first === undefined) return []
  let before = { version: first, fields: later.length > 0 ? fieldsOf(first) : new Map<string, FieldValue>() }
  const changes = later.flatMap((version) => {
    const after = flattenVersion(version)
    const changed = versionChanges(before, after, context)
    before = after
    return changed
  })
  return [appearance(first, context), ...changes]
}

interface FlattenedVersion {
  version: HistoryVersion
  fields: Map<string, FieldValue>
}

const flattenVersion = (version: HistoryVersion): FlattenedVersion => ({ version, fields: fieldsOf(version) })

function commonMembers(version: HistoryVersion, context: ChangeContext) {
  return {
    after: version.notBefore,
    seenBy: version.observedAt,
    version: version.version,
    ...entityOf(version, context),
  }
}

function entityOf({ kind, id }: { kind: HistoryVersion['kind']; id: string }, context: ChangeContext) {
  return kind === 'rfq'
    ? { entity: 'rfq' as const, id, label: 'RFQ' }
    : { entity: 'offer' as const, id, label: context.labels.get(id) ?? `Offer ${truncate(id, 9)}` }
}

/** Members are listed: V8 gives each copy made with `...` a hidden class of its own, and every offer has one of these. */
function appearance(version: HistoryVersion, context: ChangeContext): Change {
  const { entity, id, label } = entityOf(version, context)
  const when = textOf(version.body, 'submittedAt')
  const submitted = when === null ? '' : `submitted ${submissionTime(when)}, `
  return {
    after: version.notBefore,
    seenBy: version.observedAt,
    version: version.version,
    entity,
    id,
    label,
    event: 'appeared',
    field: null,
    before: null,
    value: textOf(version.body, entity === 'rfq' ? 'state' : 'status'),
    difference: null,
    unit: null,
    message: `${label}: ${submitted}first seen ${minuteOf(version.observedAt)} UTC.`,
  }
}

/** A timestamp in UTC to the minute; any other text as it is. */
const submissionTime = (text: string): string =>
  /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text) ? `${minuteOf(text)} UTC` : truncate(text, 40)

function textOf(body: unknown, member: string): string | null {
  if (body === null || typeof body !== 'object' || !Object.hasOwn(body, member)) return null
  const value = (body as Record<string, unknown>)[member]
  return typeof value === 'string' ? value : null
}

const NO_DIFFERENCE = { difference: null, unit: null }

function versionChanges(
  { version: before, fields: old }: FlattenedVersion,
  { version: after, fields: now }: FlattenedVersion,
  context: ChangeContext,
): Change[] {
  const sameShape = before.shape === after.shape
  const changed = differences(old, now)
    // A summary has fewer fields than a full document: a field that only one of them has did not change.
    .filter((pair) => sameShape || (pair.before !== null && pair.value !== null))
  const relevant = changed.filter(({ field }) => !/(^|\.)updatedAt$/.test(field))
  const fields = (relevant.length > 0 ? relevant : changed).map((pair) => fieldChange(pair, after, context))
  return [
    ...(sameShape ? [] : [detailChange(before, after, context)]),
    ...fields.slice(0, MAX_FIELDS_PER_VERSION),
    ...remainingFields(fields, after, context),
  ]
}

/** The fields of a version: an RFQ without its responses, which have their own history; a summary in response form. */
function fieldsOf(version: HistoryVersion): Map<string, FieldValue> {
  const { kind, shape } = version
  const leaves = flatten('exactBody' in version ? version.exactBody : version.body)
  if (kind === 'rfq') return rfqFields(leaves)
  if (shape === 'full') return leaves
  return new Map([...leaves].map(([field, value]) => [TERMS.has(field) ? `offer.${field}` : field, value]))
}

function rfqFields(leaves: Map<string, FieldValue>): Map<string, FieldValue> {
  const own = [...leaves].filter(([field]) => !/^(responses|listingIds)(\[|$)/.test(field))
  const listings = [...leaves].filter(([field]) => field.startsWith('listingIds[')).map(([, value]) => String(value))
  // The order of listing IDs has no meaning.
  return new Map([...own, ...(listings.length ? [['listingIds', listings.sort().join(', ')] as const] : [])])
}
const TERMS = new Set(['contractType', 'currency', 'totalVolume', 'totalPrice', 'expiryDate'])

function detailChange(before: HistoryVersion, after: HistoryVersion, context: ChangeContext): Change {
  const common = commonMembers(after, context)
  const how =
    after.shape === 'full' ? 'was read in full; before, only part of it was known' : 'could no longer be read in full'
  const message = `${common.label}: the document ${how}.`
  return {
    ...common,
    event: 'detail',
    field: null,
    before: before.shape,
    value: after.shape,
    ...NO_DIFFERENCE,
    message,
  }
}

function remainingFields(fields: readonly Change[], version: HistoryVersion, context: ChangeContext): Change[] {
  const more = fields.length - MAX_FIELDS_PER_VERSION
  if (more <= 0) return []
  const common = commonMembers(version, context)
  const message = `${common.label}: ${formatAmount(more)} more fields changed.`
  return [{ ...common, event: 'changed', field: null, before: null, value: more, ...NO_DIFFERENCE, message }]
}

type Pair = ReturnType<typeof differences>[number]

function fieldChange({ field, before, value }: Pair, version: HistoryVersion, context: ChangeContext): Change {
  const common = commonMembers(version, context)
  const compared = difference(before, value)
  const change = `${field} ${formatFieldValue(field, before)} → ${formatFieldValue(field, value)}${differenceText(field, compared)}`
  const message = `${common.label}: ${change}${/[.!?]$/.test(change) ? '' : '.'}`
  return { ...common, event: eventOf(version.kind, field, value), field, before, value, ...compared, message }
}

function eventOf(kind: HistoryVersion['kind'], field: string, value: FieldValue): ChangeEvent {
  if (kind === 'rfq' && field === 'state' && (value === 'open' || value === 'closed')) {
    return value === 'open' ? 'opened' : 'closed'
  }
  if (kind === 'response' && field === 'status') return value === 'accepted' || value === 'rejected' ? value : 'status'
  return kind === 'response' && field === 'offer.review.status' ? 'review' : 'changed'
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
type Difference = Pick<Change, 'difference' | 'unit'>

function difference(before: FieldValue, value: FieldValue): Difference {
  if (typeof before === 'number' && typeof value === 'number') {
    const by = value - before
    return Number.isFinite(by) ? { difference: by, unit: 'number' } : NO_DIFFERENCE
  }
  const dates = [before, value].every((one) => typeof one === 'string' && DATE.test(one))
  const days = dates ? daysBetween(String(before), String(value)) : null
  return days === null || Number.isNaN(days) ? NO_DIFFERENCE : { difference: days, unit: 'days' }
}

function differenceText(field: string, { difference: by, unit }: Difference): string {
  if (by === null) return ''
  return ` (${by > 0 ? '+' : ''}${formatOf(field)(by)}${unit === 'days' ? ' days' : ''})`
}

function formatFieldValue(field: string, value: FieldValue): string {
  if (value === null) return 'none'
  const counts = typeof value === 'number' && !/Year$|^number$/.test(field)
  return counts ? formatOf(field)(value) : truncate(String(value), 60)
}

const formatOf = (field: string) => (/unitPrice$/i.test(field) ? formatPrice : formatFourDecimals)

function absenceChanges(absence: Absence, context: ChangeContext): Change[] {
  const about = {
    ...entityOf(absence, context),
    version: null,
    field: null,
    before: null,
    value: null,
    ...NO_DIFFERENCE,
  }
  const place = about.entity === 'rfq' ? 'The channel' : 'The RFQ'
  const withdrawn: Change = {
    ...about,
    after: absence.notBefore,
    seenBy: absence.missingSince,
    event: 'withdrawn',
    message: `${place} no longer listed ${about.entity === 'rfq' ? 'the RFQ' : about.label}.`,
  }
  const reinstated: Change = {
    ...about,
    after: absence.missingSince,
    seenBy: absence.returnedAt ?? '',
    event: 'reinstated',
    message: `${place} listed ${about.entity === 'rfq' ? 'the RFQ' : about.label} again.`,
  }
  const events = absence.returnedAt === null ? [withdrawn] : [withdrawn, reinstated]
  return events.filter(({ seenBy }) => seenBy <= context.asOf)
}
