import type { AwardTerms, EventData, EventKind } from '../../core/events/events.js'
import { fromStoredText, toStoredText } from '../../store/documents/stored-text.js'
import { allOf, NO_LIMIT } from '../../store/sql/sql-database.js'
import type { RfqRef } from '../find-rfq.js'
import type { ListSource } from '../list.js'

export const CHANGE_KINDS = ['rfq', 'offer', 'recommendation', 'award'] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** The events of each, by what they are about. */
const KINDS: Readonly<Record<ChangeKind, readonly EventKind[]>> = {
  award: ['award.recorded', 'award.withdrawn'],
  recommendation: ['recommendation.changed'],
  rfq: ['rfq.new', 'rfq.changed', 'rfq.closed'],
  offer: ['offer.new', 'offer.late', 'offer.changed', 'offer.withdrawn'],
}
/** What can change an award, and then what cannot. */
const PHASES: readonly (readonly ChangeKind[])[] = [
  ['award', 'recommendation'],
  ['rfq', 'offer'],
]
export const MONEY = PHASES[0] as readonly ChangeKind[]

const LABELS: Readonly<Record<ChangeKind, string>> = {
  ...{ rfq: 'RFQ', offer: 'Offer', recommendation: 'Recommendation', award: 'Award' },
}

/** An event of an RFQ, an offer, a recommendation or an award. */
export interface ChangeEntry {
  sequence: number
  at: string
  /** The last observation before it; null for what was not observed, and for a first version. */
  notBefore: string | null
  channel: string
  rfqId: string
  rfqNumber: number | null
  rfqTitle: string | null
  kind: ChangeKind
  offerId: string | null
  /** `RFQ`, `Recommendation`, `Award`, or developer and project of the offer. */
  label: string
  version: number | null
  /** The most important first. */
  messages: string[]
  /** What the RFQ was to be awarded by before, and from then on. */
  before: AwardTerms | null
  after: AwardTerms | null
}

interface ChangeFilter {
  channel?: string | undefined
  /** The RFQ, with its channel. */
  rfq?: RfqRef | undefined
  since?: Date | undefined
  kinds?: readonly ChangeKind[] | undefined
}

interface ChangeRow {
  sequence: number
  kind: EventKind
  at: string
  channel: string
  rfq_id: string
  offer_id: string | null
  version: number | null
  data: string
  not_before: string | null
}

const NOT_BEFORE = `(select v.not_before from versions v where v.channel = e.channel and v.version = e.version
  and v.kind = case when e.offer_id is null then 'rfq' else 'response' end
  and v.rfq_id = case when e.offer_id is null then '' else e.rfq_id end and v.id = coalesce(e.offer_id, e.rfq_id))`

/** Events of some kinds before a position, newest first. */
async function readEvents(
  { store: { database: queries } }: Pick<ListSource, 'store'>,
  { channel, rfq, since }: ChangeFilter,
  {
    kinds,
    before,
    limit,
  }: { kinds: readonly ChangeKind[]; before: [at: string, sequence: number] | null; limit: number },
): Promise<ChangeEntry[]> {
  const where = allOf(
    `e.kind in (${kinds
      .flatMap((kind) => KINDS[kind])
      .map((kind) => `'${kind}'`)
      .join(', ')})`,
    rfq !== undefined && 'e.channel = @channel and e.rfq_id = @rfqId',
    // An expression, so that events are read in their order, not by the index of RFQs.
    rfq === undefined && channel !== undefined && `e.channel || '' = @channel`,
    since !== undefined && 'e.at >= @since',
    before !== null && '(e.at, e.sequence) < (@at, @sequence)',
  )
  const rows = await queries.all<ChangeRow>(
    `select e.sequence, e.kind, e.at, e.channel, e.rfq_id, e.offer_id, e.version, e.data, ${NOT_BEFORE} as not_before
    from events e where ${where} order by e.at desc, e.sequence desc limit @limit`,
    {
      channel: rfq?.channel ?? channel ?? null,
      rfqId: rfq === undefined ? null : toStoredText(rfq.id),
      since: since?.toISOString() ?? null,
      ...{ at: before?.[0] ?? null, sequence: before?.[1] ?? null, limit },
    },
  )
  return rows.map(toEntry)
}

function toEntry(row: ChangeRow): ChangeEntry {
  const data = JSON.parse(row.data) as EventData
  const kind = row.kind.slice(0, row.kind.indexOf('.')) as ChangeKind
  const { projectDeveloperName, projectName } = data.offer ?? {}
  const label = [projectDeveloperName, projectName].filter(Boolean).join(' · ')
  return {
    ...{
      sequence: row.sequence,
      at: row.at,
      notBefore: row.not_before,
      channel: row.channel,
      version: row.version,
      kind,
    },
    rfqId: fromStoredText(row.rfq_id),
    rfqNumber: data.rfq?.number ?? null,
    rfqTitle: data.rfq?.title ?? null,
    offerId: row.offer_id === null ? null : fromStoredText(row.offer_id),
    label: label || LABELS[kind],
    messages: data.messages ?? [],
    before: data.moved?.before ?? null,
    after: data.moved?.after ?? null,
  }
}

/**
 * The changes of all RFQs since a moment: first of awards and recommendations, then of documents; each newest first.
 * @param cursor `next` of the page before
 * @returns null if the cursor is of another list
 */
export async function readChanges(
  source: Pick<ListSource, 'store'>,
  filter: ChangeFilter,
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<{ rows: ChangeEntry[]; next: string | null } | null> {
  const position = cursor === null ? null : parseCursor(cursor)
  if (cursor !== null && position === null) return null
  const rows: ChangeEntry[] = []
  for (const [phase, all] of PHASES.entries()) {
    const kinds = all.filter((kind) => filter.kinds?.includes(kind) ?? true)
    if (phase < (position?.phase ?? 0) || kinds.length === 0) continue
    const before = position?.phase === phase ? position.before : null
    const left = limit - rows.length
    const found = await readEvents(source, filter, { kinds, before, limit: Math.min(left + 1, NO_LIMIT) })
    const shown = found.slice(0, left)
    rows.push(...shown)
    if (found.length === shown.length) continue
    // A phase of which there is no room for a row begins on the next page.
    const { at, sequence } = shown.at(-1) ?? { at: '9', sequence: 0 }
    return { rows, next: `${phase}.${sequence}.${at}` }
  }
  return { rows, next: null }
}

function parseCursor(cursor: string): { phase: number; before: [at: string, sequence: number] } | null {
  const [, phase, sequence, at] = /^([01])\.(\d{1,15})\.([0-9TZ:.-]{1,30})$/.exec(cursor) ?? []
  return phase === undefined ? null : { phase: Number(phase), before: [at ?? '', Number(sequence)] }
}

// --- sums of the desk -----------------------------------------------------------------------------------------------

/** What awards of RFQs amounted to at a moment and amount to now, in one currency. */
export interface Moved {
  currency: string
  /** RFQs that are awarded otherwise than at that moment. */
  rfqs: number
  before: Amount
  after: Amount
}

interface Amount {
  tonnes: number
  total: number
}

/** How awards on record and recommendations moved since a moment, by currency: the sums of the RFQs that are awarded otherwise than then. */
export async function movedSince(
  source: Pick<ListSource, 'store'>,
  { since, channel }: { since: Date; channel?: string | undefined },
): Promise<Moved[]> {
  const events = await readEvents(source, { since, channel }, { kinds: MONEY, before: null, limit: NO_LIMIT })
  const rfqs = new Map<string, Pick<ChangeEntry, 'before' | 'after'>>()
  for (const { channel: key, rfqId, before, after } of events) {
    if (before === null && after === null) continue
    // Newest first: the oldest says what it was before all of them.
    const name = `${key}\t${rfqId}`
    rfqs.set(name, { before, after: rfqs.has(name) ? (rfqs.get(name)?.after ?? null) : after })
  }
  const moved = new Map<string, Moved>()
  for (const { before, after } of rfqs.values()) {
    if (before?.currency === after?.currency && before?.total === after?.total) continue
    for (const [at, terms] of Object.entries({ before, after }) as ['before' | 'after', AwardTerms | null][]) {
      if (terms === null) continue
      const { currency, tonnes, total } = terms
      const none = { currency, rfqs: 0, before: { tonnes: 0, total: 0 }, after: { tonnes: 0, total: 0 } }
      const sums = moved.get(currency) ?? none
      sums[at].tonnes += tonnes
      sums[at].total += total
      if (at === 'before' || before?.currency !== currency) sums.rfqs++
      moved.set(currency, sums)
    }
  }
  return [...moved.values()].sort(
    (a, b) => Math.abs(b.after.total - b.before.total) - Math.abs(a.after.total - a.before.total),
  )
}
