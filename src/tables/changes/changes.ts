import { z } from 'zod'
import { changesOfVersion } from '../../compare/report/document-changes.js'
import { CHANGE_EVENTS, type Sentence } from '../../core/changes/document-difference.js'
import { parseStored } from '../../core/documents/observation.js'
import { REVISION_KINDS, type RevisedAward, type Revision, type RfqWithResponses } from '../../core/records.js'
import { oneLine } from '../../core/text/clean-text.js'
import { formatPricePerTonne, formatTonnes, formatTotal, truncate } from '../../core/text/number-format.js'
import type { History, Overview, RevisionFilter } from '../../store/contract.js'
import { offerNames } from '../offer/offer-names.js'
import { channelKey, nullableNumber, nullableText, text, timestamp } from '../schema.js'

const fieldValue = z.union([z.string(), z.number(), z.boolean(), z.null()])

const change = z
  .strictObject({
    event: z.enum(CHANGE_EVENTS),
    message: text.describe('One sentence.'),
    fields: z
      .array(
        z.strictObject({ field: text.describe('Path within the document.'), before: fieldValue, after: fieldValue }),
      )
      .describe('The fields that the sentence covers; empty for events that are not about fields.'),
  })
  .meta({ id: 'Change' })

export const changeEntry = z
  .strictObject({
    channel: channelKey,
    rfqId: text,
    rfqNumber: nullableNumber,
    rfqTitle: nullableText,
    notBefore: timestamp
      .nullable()
      .describe('The last observation before the change; null if it is the first, or if the change was not observed.'),
    observedAt: timestamp.describe('The first observation after it; of awards, when they were recorded.'),
    entity: z.enum(REVISION_KINDS),
    id: text.describe('Identifier of the offer, or of the RFQ.'),
    label: text.describe('`RFQ`, `Recommendation`, `Award`, or developer and project of the offer.'),
    version: z.int().nullable().describe('The version of the RFQ or offer; null if no document changed.'),
    changes: z.array(change).describe('Empty for recommendations and awards.'),
    messages: z.array(text).describe('What changed, in sentences, the most important first.'),
    cursor: text.describe('Identifies the entry. Pass it as `cursor` to continue the list after it.'),
  })
  .meta({ id: 'ChangeEntry' })
/** A revision of an RFQ, an offer, a recommendation or an award, with everything that it changed. */
export type ChangeEntry = z.infer<typeof changeEntry>

export interface ChangeFeed {
  /** Newest first. */
  entries: ChangeEntry[]
  /** Pass it as `before` to get the next page; null on the last page. */
  nextCursor: string | null
}

/** What changed about one RFQ at one moment. */
export interface ChangeGroup
  extends Pick<ChangeEntry, 'channel' | 'rfqId' | 'rfqNumber' | 'rfqTitle' | 'notBefore' | 'observedAt'> {
  /** Recommendation and awards first, then the RFQ, then its offers. */
  entries: ChangeEntry[]
}

export interface ChangeGroups {
  /** Newest first. */
  groups: ChangeGroup[]
  /** Pass it as `before` to get the next page; null on the last page. */
  nextCursor: string | null
}

export interface ChangeFeedFilter extends RevisionFilter {
  /** The cursor after which to continue. */
  before?: string
  /** Maximum number of entries, or of groups. Default 100. */
  limit?: number
}

type ChangeFeedStore = Pick<Overview, 'revisions'> & Pick<History, 'rfqs'>

/** Number of revisions read at a time. */
const BATCH = 100
/** Maximum number of entries on a page of groups. */
const MAX_GROUPED_ENTRIES = 1_000

/**
 * The changes of all RFQs and their offers in a period, newest first.
 * @throws InvalidCursorError
 */
export async function changeFeed(store: ChangeFeedStore, filter: ChangeFeedFilter = {}): Promise<ChangeFeed> {
  const { limit = 100 } = filter
  const entries: ChangeEntry[] = []
  for await (const entry of readEntries(store, filter)) {
    if (entries.length === limit) return { entries, nextCursor: entries.at(-1)?.cursor ?? null }
    entries.push(entry)
  }
  return { entries, nextCursor: null }
}

/**
 * The same changes by moment and RFQ. A page ends within a group only if it has 1,000 entries.
 * @throws InvalidCursorError
 */
export async function changeGroups(store: ChangeFeedStore, filter: ChangeFeedFilter = {}): Promise<ChangeGroups> {
  const { limit = 100 } = filter
  const groups: ChangeEntry[][] = []
  let read = 0
  let last: ChangeEntry | undefined
  for await (const entry of readEntries(store, filter)) {
    const isSame = last?.observedAt === entry.observedAt && last.rfqId === entry.rfqId && last.channel === entry.channel
    const isFull = isSame ? read >= MAX_GROUPED_ENTRIES : groups.length >= limit || read >= MAX_GROUPED_ENTRIES
    if (isFull) return { groups: groups.map(toGroup), nextCursor: last?.cursor ?? null }
    if (isSame) groups.at(-1)?.push(entry)
    else groups.push([entry])
    last = entry
    read++
  }
  return { groups: groups.map(toGroup), nextCursor: null }
}

function toGroup(entries: ChangeEntry[]): ChangeGroup {
  const { channel, rfqId, rfqNumber, rfqTitle, observedAt } = entries[0] as ChangeEntry
  const begins = entries.flatMap(({ notBefore }) => notBefore ?? []).sort()
  const rank = ({ entity }: ChangeEntry) => ORDER.indexOf(entity)
  return {
    ...{ channel, rfqId, rfqNumber, rfqTitle, observedAt },
    // The earliest, so that it is true of all of them.
    notBefore: begins[0] ?? null,
    entries: entries.sort((a, b) => rank(a) - rank(b)),
  }
}
const ORDER: readonly ChangeEntry['entity'][] = ['award', 'recommendation', 'rfq', 'offer']

/** The entries of a period, newest first, read in batches. */
async function* readEntries(store: ChangeFeedStore, filter: ChangeFeedFilter): AsyncGenerator<ChangeEntry> {
  const { limit: _limit, before, ...period } = filter
  const namesOfRfq = createNameLookup(store, filter.asOf)
  let cursor = before
  for (let isLast = false; !isLast; ) {
    const revisions = await store.revisions({
      ...period,
      ...(cursor !== undefined && { before: cursor }),
      limit: BATCH,
    })
    for (const revision of revisions) {
      const entry = toEntry(revision, await namesOfRfq(revision.channel, revision.rfqId))
      // An RFQ gets a new version with each change of its offers, which have entries of their own.
      if (entry.messages.length > 0) yield entry
    }
    cursor = revisions.at(-1)?.cursor
    isLast = revisions.length < BATCH
  }
}

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
  const { channel, rfqId, id, notBefore, observedAt, version, reason, award, cursor } = revision
  const changes = changesOfRevision(revision)
  const entity =
    revision.event === 'recommendation' || revision.event === 'award'
      ? revision.event
      : revision.kind === 'rfq'
        ? 'rfq'
        : 'offer'
  const messages = changes.map(({ message }) => message)
  if (reason !== null) messages.push(`${reason}.`)
  if (award !== null) messages.push(describeAward(award))
  return {
    ...{ channel, rfqId, rfqNumber: names.number, rfqTitle: names.title, notBefore, observedAt },
    ...{
      entity,
      id,
      label: LABELS[entity] ?? names.offers.get(id) ?? `Offer ${truncate(id, 9)}`,
      version: version?.version ?? null,
    },
    ...{ changes, messages, cursor },
  }
}
const LABELS: Partial<Record<ChangeEntry['entity'], string>> = {
  rfq: 'RFQ',
  recommendation: 'Recommendation',
  award: 'Award',
}

/** `Recorded by Ana: Katari · Mangroves, 8,670 t at 28.80 USD/t, 249,696 USD. As recommended.` */
function describeAward(award: RevisedAward): string {
  const { tonnes, total, pricePerTonne, currency, followed, withdrawn } = award
  const [by, because] = [oneLine(award.by), award.because === null ? null : oneLine(award.because)]
  const names = new Intl.ListFormat('en-GB').format(award.offers.map(oneLine)) || 'no award'
  const reason = because === null ? '' : ` because “${because}”`
  if (withdrawn) return `Withdrawn by ${by}: ${names}${reason && `,${reason}`}.`
  if (award.offers.length === 0) return `Decided by ${by}: no award${reason && `,${reason}`}.`
  const terms = `${formatTonnes(tonnes)} at ${formatPricePerTonne(pricePerTonne, currency)}, ${formatTotal(total, currency)}`
  const standing = followed ? 'As recommended' : 'Not as recommended'
  return `Recorded by ${by}: ${names}, ${terms}. ${standing}${reason && `,${reason}`}.`
}

/** What a revision of an RFQ or of an offer changed; nothing for recommendations and awards. */
function changesOfRevision({ event, version, previous, closedByUs }: Revision): Sentence[] {
  if (event === 'version') return version === null ? [] : changesOfVersion(previous, version, closedByUs)
  if (event === 'missing') return [{ event: 'withdrawn', message: 'No longer listed.', fields: [] }]
  return event === 'returned' ? [{ event: 'reinstated', message: 'Listed again.', fields: [] }] : []
}
