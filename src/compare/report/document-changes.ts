import { describeChanges, describedDocument, describeNewDocument } from '../../core/changes/describe-changes.js'
import type { ChangeEvent, FieldDifference } from '../../core/changes/document-difference.js'
import { byCodeUnit } from '../../core/numbers.js'
import type { Absence } from '../../core/records.js'
import { truncate } from '../../core/text/number-format.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { HistoryVersion } from '../input/comparison-input.js'

/** A change happened between two observations; the exact time is unknown. */
export interface Change {
  /** Last observation before the change; null for a first observation. */
  notBefore: Timestamp | null
  /** First observation after the change. */
  observedAt: Timestamp
  entity: 'rfq' | 'offer'
  id: string
  label: string
  /** Null if the document only went missing or returned. */
  version: number | null
  event: ChangeEvent
  /** One sentence, without the label. */
  message: string
  /** The fields of the document that it covers; empty for events that are not about fields. */
  fields: FieldDifference[]
}

/** Events in words. */
export const EVENT_LABELS: Record<ChangeEvent, string> = {
  appeared: 'first seen',
  withdrawn: 'no longer listed',
  reinstated: 'listed again',
  opened: 'opened',
  closed: 'closed',
  status: 'status changed',
  accepted: 'accepted',
  rejected: 'rejected',
  review: 'review changed',
  detail: 'read in full',
  changed: 'changed',
}

/** Whether something changed, rather than being observed for the first time or read in full. */
export const isChange = ({ event }: Pick<Change, 'event'>): boolean => event !== 'appeared' && event !== 'detail'

interface ChangeContext {
  /** Labels by offer ID; other offers are named by the start of their ID. */
  labels: ReadonlyMap<string, string>
  asOf: string
  /** The versions of the RFQ in which Quotekeeper closed it. */
  closedVersions?: ReadonlySet<number>
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
  return versionChanges(toKnown(previous), toKnown(version), context)
}

// The sort is stable: sentences about one version keep their order.
function chronologically(a: Change, b: Change): number {
  const entity = (change: Change) => (change.entity === 'rfq' ? '0' : '1') + change.id
  return (
    byCodeUnit(a.observedAt, b.observedAt) || byCodeUnit(entity(a), entity(b)) || (a.version ?? 0) - (b.version ?? 0)
  )
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
  if (later.length === 0) return [appearance(first, context)]
  let before = toKnown(first)
  const changes = later.flatMap((version) => {
    const after = toKnown(version)
    const changed = versionChanges(before, after, context)
    before = after
    return changed
  })
  return [appearance(first, context), ...changes]
}

type KnownVersion = ReturnType<typeof toKnown>

const toKnown = (version: HistoryVersion) => ({ version, document: documentOf(version) })

function documentOf(version: HistoryVersion) {
  const body = 'exactBody' in version ? version.exactBody : version.body
  return describedDocument(version.kind === 'rfq' ? 'rfq' : 'response', version.shape, body)
}

/** The members that all changes of a document have. */
function entityOf({ kind, id }: { kind: HistoryVersion['kind']; id: string }, { labels }: ChangeContext) {
  return kind === 'rfq'
    ? { entity: 'rfq' as const, id, label: 'RFQ' }
    : { entity: 'offer' as const, id, label: labels.get(id) ?? `Offer ${truncate(id, 9)}` }
}

const commonMembers = (version: HistoryVersion, context: ChangeContext) => ({
  notBefore: version.notBefore,
  observedAt: version.observedAt,
  version: version.version,
  ...entityOf(version, context),
})

/** Members are listed: V8 gives each copy made with `...` a hidden class of its own, and every offer has one of these. */
function appearance(version: HistoryVersion, context: ChangeContext): Change {
  const { entity, id, label } = entityOf(version, context)
  return {
    notBefore: version.notBefore,
    observedAt: version.observedAt,
    version: version.version,
    entity,
    id,
    label,
    event: 'appeared',
    message: describeNewDocument(documentOf(version), version.observedAt),
    fields: [],
  }
}

function versionChanges(before: KnownVersion, { version, document }: KnownVersion, context: ChangeContext): Change[] {
  const common = commonMembers(version, context)
  const isClosedByUs = version.kind === 'rfq' && context.closedVersions?.has(version.version)
  const closedBy = isClosedByUs ? 'Quotekeeper' : null
  const { observedAt } = version
  const sentences = describeChanges(before.document, document, { observedAt, closedBy })
  const changes = sentences.map((sentence): Change => ({ ...common, ...sentence }))
  if (before.version.shape === version.shape) return changes
  const message =
    version.shape === 'full' ? 'Read in full; before, only part of it was known.' : 'Could no longer be read in full.'
  return [{ ...common, event: 'detail', message, fields: [] }, ...changes]
}

function absenceChanges(absence: Absence, context: ChangeContext): Change[] {
  const about = { ...entityOf(absence, context), version: null, fields: [] }
  const { notBefore, missingSince, returnedAt } = absence
  const withdrawn: Change = {
    ...about,
    ...{ notBefore, observedAt: missingSince, event: 'withdrawn', message: 'No longer listed.' },
  }
  const reinstated: Change = {
    ...about,
    ...{ notBefore: missingSince, observedAt: returnedAt ?? '', event: 'reinstated', message: 'Listed again.' },
  }
  const events = returnedAt === null ? [withdrawn] : [withdrawn, reinstated]
  return events.filter(({ observedAt }) => observedAt <= context.asOf)
}
