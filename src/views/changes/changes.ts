import { z } from 'zod'
import { type Change, changesOf, changesOfVersion } from '../../compare/report/document-changes.js'
import { parseStored } from '../../core/documents/observation.js'
import type { Revision, RfqWithResponses } from '../../core/records.js'
import type { History, Overview, RevisionFilter } from '../../store/contract.js'
import { offerNames } from '../offer/offer-names.js'
import { channelKey, nullableNumber, nullableText, text, timestamp } from '../schema.js'

const fieldValue = z.union([z.string(), z.number(), z.boolean(), z.null()])
/** What changed, and between which observations. */
const observedChange = {
  after: timestamp.nullable().describe('The last observation before the change.'),
  seenBy: timestamp.describe('The first observation after it.'),
  entity: z.enum(['rfq', 'offer', 'recommendation']),
  id: text.describe('Identifier of the offer, or of the RFQ.'),
  label: text.describe('`RFQ`, `Recommendation`, or the name of the offer as in the comparison.'),
  version: z.int().nullable().describe('Null for recommendations, and if the document only went missing or returned.'),
}

const change = z
  .strictObject({
    ...observedChange,
    event: text,
    field: nullableText.describe('Path within the document.'),
    before: fieldValue,
    value: fieldValue,
    difference: nullableNumber,
    unit: z.enum(['number', 'days']).nullable(),
    message: text,
  })
  .meta({ id: 'Change' })

export const changeEntry = z
  .strictObject({
    channel: channelKey,
    rfqId: text,
    rfqNumber: nullableNumber,
    rfqTitle: nullableText,
    ...observedChange,
    changes: z.array(change).describe('Field by field, with the value before and after.'),
    messages: z.array(text).describe('One sentence per change.'),
    cursor: text.describe('Identifies the entry. Pass it as `cursor` to continue the list after it.'),
  })
  .meta({ id: 'ChangeEntry' })
/** A revision of an RFQ, an offer or a recommendation, with everything that it changed. */
export type ChangeEntry = z.infer<typeof changeEntry>

export interface ChangeFeed {
  /** Newest first. */
  entries: ChangeEntry[]
  /** Pass it as `before` to get the next page; null on the last page. */
  nextCursor: string | null
}

export interface ChangeFeedFilter extends RevisionFilter {
  /** The cursor after which to continue. */
  before?: string
  /** Maximum number of entries. Default 100. */
  limit?: number
}

type ChangeFeedStore = Pick<Overview, 'revisions'> & Pick<History, 'rfqs'>

/**
 * The changes of all RFQs and their offers in a period, newest first.
 * @throws InvalidCursorError
 */
export async function changeFeed(store: ChangeFeedStore, filter: ChangeFeedFilter = {}): Promise<ChangeFeed> {
  const { limit = 100, before, ...period } = filter
  const namesOfRfq = createNameLookup(store, filter.asOf)
  const entries: ChangeEntry[] = []
  let cursor = before
  // One more than the limit shows whether there is a next page.
  for (let isLast = false; !isLast && entries.length <= limit; ) {
    const revisions = await store.revisions({
      ...period,
      ...(cursor !== undefined && { before: cursor }),
      limit: BATCH,
    })
    for (const revision of revisions) {
      const entry = toEntry(revision, await namesOfRfq(revision.channel, revision.rfqId))
      // An RFQ gets a new version with each change of its offers, which have entries of their own.
      if (entry.messages.length > 0) entries.push(entry)
    }
    cursor = revisions.at(-1)?.cursor
    isLast = revisions.length < BATCH
  }
  const shown = entries.slice(0, limit)
  return { entries: shown, nextCursor: entries.length > limit ? (shown.at(-1)?.cursor ?? null) : null }
}

/** Number of revisions read at a time. */
const BATCH = 100

/** The names by which users know an RFQ and its offers. */
interface Names {
  number: number | null
  title: string | null
  offers: ReadonlyMap<string, string>
}

/** Returns a function that looks up the names of an RFQ, and reads each RFQ only once. */
function createNameLookup(store: Pick<History, 'rfqs'>, asOf: Date | undefined) {
  const known = new Map<string, Promise<Names>>()
  const load = async (channel: string, id: string) => {
    const [found] = await store.rfqs({ channel, ids: [id], ...(asOf && { asOf }) })
    return namesOf(found)
  }
  return (channel: string, id: string): Promise<Names> => {
    const key = `${channel}\t${id}`
    const names = known.get(key) ?? load(channel, id)
    known.set(key, names)
    return names
  }
}

function namesOf(found: RfqWithResponses | undefined): Names {
  if (found === undefined) return { number: null, title: null, offers: new Map() }
  const { document } = parseStored('rfq', found.rfq.shape, found.rfq.body)
  return {
    number: document?.number ?? null,
    title: document?.title ?? null,
    offers: offerNames(found.responses),
  }
}

function toEntry(revision: Revision, names: Names): ChangeEntry {
  const { channel, rfqId, kind, id, after, seenBy, version, reason, cursor } = revision
  const changes = reason === null ? changesOfRevision(revision, names.offers) : []
  const entity = reason === null ? (kind === 'rfq' ? 'rfq' : 'offer') : 'recommendation'
  return {
    ...{ channel, rfqId, rfqNumber: names.number, rfqTitle: names.title },
    ...{ entity, id, label: changes[0]?.label ?? LABELS[entity] ?? id },
    ...{ version: version?.version ?? null, after, seenBy, changes },
    messages: reason === null ? changes.map(({ message }) => message) : [`Recommendation: ${reason}.`],
    cursor,
  }
}
const LABELS: Partial<Record<ChangeEntry['entity'], string>> = { rfq: 'RFQ', recommendation: 'Recommendation' }

function changesOfRevision(revision: Revision, labels: ReadonlyMap<string, string>): Change[] {
  const { event, kind, id, after, seenBy, version, previous } = revision
  const context = { labels, asOf: seenBy }
  if (event === 'version') return version === null ? [] : changesOfVersion(previous, version, context)
  const absence =
    event === 'missing'
      ? { kind, id, notBefore: after ?? '', missingSince: seenBy, returnedAt: null }
      : { kind, id, notBefore: '', missingSince: after ?? '', returnedAt: seenBy }
  const expected = event === 'missing' ? 'withdrawn' : 'reinstated'
  return changesOf([], [absence], context).filter((change) => change.event === expected)
}
