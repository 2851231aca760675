import { offerFullNames } from '../../compare/offer/offer-labels.js'
import { changesOfVersion } from '../../core/changes/describe-changes.js'
import { IdMap } from '../../core/documents/identifier.js'
import type { AwardTerms, Revision, RevisionKind } from '../../core/records.js'
import { oneLine } from '../../core/text/clean-text.js'
import { formatPricePerTonne, formatTonnes, formatTotal } from '../../core/text/number-format.js'
import type { Overview, Queries, RevisionFilter } from '../../store/contract.js'
import { listedIn } from '../../store/documents/queries/listed-offers.js'
import { fromStoredText, toStoredText } from '../../store/documents/stored-text.js'

/** A revision of an RFQ, an offer, a recommendation or an award, with everything that it changed. */
export interface ChangeEntry
  extends Pick<Revision, 'channel' | 'rfqId' | 'notBefore' | 'observedAt' | 'id' | 'before' | 'after'> {
  rfqNumber: number | null
  rfqTitle: string | null
  entity: RevisionKind
  /** `RFQ`, `Recommendation`, `Award`, or developer and project of the offer. */
  label: string
  /** Of the RFQ or the offer; null if no document changed. */
  version: number | null
  /** The most important first. */
  messages: string[]
}

/** What can change an award, and then what cannot. */
const PHASES: readonly (readonly RevisionKind[])[] = [
  ['award', 'recommendation'],
  ['rfq', 'offer'],
]
export const MOVING_KINDS = PHASES[0] as readonly RevisionKind[]

interface ChangeFilter extends RevisionFilter {
  cursor: string | null
  limit: number
}

/** The position before all revisions. */
const START = '-'
/** Number of revisions read at a time. */
const BATCH = 100

/**
 * The changes of all RFQs in a period: first of awards and recommendations, then of documents; each newest first.
 * @throws InvalidCursorError
 */
export async function readChanges(
  store: Pick<Overview, 'revisions'> & { queries: Queries },
  { kinds, cursor, limit, ...period }: ChangeFilter,
): Promise<{ rows: ChangeEntry[]; next: string | null }> {
  const rows: ChangeEntry[] = []
  // After which revision the page begins, and how many entries of the next one came before.
  let [at = '0', position = cursor === null ? START : '', skipped = '0'] = cursor?.split('.') ?? []
  let taken = Number(skipped)
  for (const [phase, all] of PHASES.entries()) {
    if (phase < Number(at)) continue
    const wanted = kinds === undefined ? all : all.filter((kind) => kinds.includes(kind))
    if (wanted.length === 0) continue
    for (let isLast = false; !isLast; ) {
      const found = await store.revisions({
        ...period,
        // Versions of an RFQ also show which offers it lists.
        kinds: wanted.includes('offer') ? [...wanted, 'rfq'] : wanted,
        ...(position !== START && { before: position }),
        limit: BATCH,
      })
      const nameOf = await readNames(store.queries, found)
      for (const revision of found) {
        for (const entry of entriesOf(revision, nameOf(revision), wanted).slice(taken)) {
          if (rows.length === limit) return { rows, next: [phase, position, taken].join('.') }
          rows.push(entry)
          taken++
        }
        position = revision.cursor
        taken = 0
      }
      isLast = found.length < BATCH
    }
    position = START
  }
  return { rows, next: null }
}

interface Names {
  number: number | null
  title: string | null
  /** Its offers: what they are called, and since when they are known. */
  offers: IdMap<{ label: string; firstObservedAt: string }>
}

const keyOf = ({ channel, rfqId }: Pick<Revision, 'channel' | 'rfqId'>) => `${channel}\t${rfqId}`

interface OfferRow {
  rfq_id: string
  id: string
  developer: string | null
  project: string | null
  first_observed_at: string
}

/** Reads by what users know the RFQs of revisions and their offers. */
async function readNames(queries: Queries, revisions: readonly Revision[]): Promise<(revision: Revision) => Names> {
  const names = new Map<string, Names>()
  for (const channel of new Set(revisions.map((revision) => revision.channel))) {
    const ids = [...new Set(revisions.flatMap((each) => (each.channel === channel ? toStoredText(each.rfqId) : [])))]
    const rfqs = await queries.all<{ id: string; number: number | null; title: string | null }>(
      `select id, number, title from rfqs where channel = @channel and ${queries.dialect.anyOf('id', '@ids')}`,
      { channel, ids },
    )
    const offers = await queries.all<OfferRow>(
      `select rfq_id, id, project_developer_name as developer, project_name as project, first_observed_at from offers
      where channel = @channel and ${queries.dialect.anyOf('rfq_id', '@ids')} order by first_observed_at, id`,
      { channel, ids },
    )
    for (const { id, number, title } of rfqs) {
      const own = offers.filter(({ rfq_id }) => rfq_id === id)
      const labels = offerFullNames(own)
      names.set(keyOf({ channel, rfqId: fromStoredText(id) }), {
        number,
        title: title === null ? null : fromStoredText(title),
        offers: new IdMap(
          own.map(({ id: offerId, first_observed_at: firstObservedAt }, at) => {
            return [fromStoredText(offerId), { label: fromStoredText(labels[at] ?? ''), firstObservedAt }]
          }),
        ),
      })
    }
  }
  return (revision) => names.get(keyOf(revision)) ?? { number: null, title: null, offers: new IdMap() }
}

const LABELS: Readonly<Record<RevisionKind, string>> = {
  ...{ rfq: 'RFQ', offer: 'Offer', recommendation: 'Recommendation', award: 'Award' },
}

/** What a revision changed: its document, if it changed more than its offers, and offers that an RFQ lists no longer or again. */
function entriesOf(revision: Revision, names: Names, wanted: readonly RevisionKind[]): ChangeEntry[] {
  const entry = toEntry(revision, names)
  return [entry, ...listedOffers(revision, entry, names)].filter(
    ({ entity, messages }) => messages.length > 0 && wanted.includes(entity),
  )
}

function listedOffers({ kind, version, previous }: Revision, entry: ChangeEntry, { offers }: Names): ChangeEntry[] {
  if (kind !== 'rfq' || version?.shape !== 'full' || previous?.shape !== 'full') return []
  const [before, after] = [listedIn(previous.body), listedIn(version.body)]
  if (before === null || after === null) return []
  return [...offers].flatMap(([id, { label, firstObservedAt }]): ChangeEntry[] => {
    if (before.has(id) === after.has(id) || firstObservedAt >= entry.observedAt) return []
    const messages = [after.has(id) ? 'Listed again.' : 'No longer listed.']
    return [{ ...entry, entity: 'offer', id, label, version: null, messages }]
  })
}

function toEntry(revision: Revision, { number, title, offers }: Names): ChangeEntry {
  const { channel, rfqId, kind, id, event, notBefore, observedAt, version, before, after } = revision
  const entity = event === 'recommendation' || event === 'award' ? event : kind === 'rfq' ? 'rfq' : 'offer'
  return {
    ...{ channel, rfqId, rfqNumber: number, rfqTitle: title, notBefore, observedAt, entity, id, before, after },
    label: offers.get(id)?.label ?? LABELS[entity],
    version: version?.version ?? null,
    messages: messagesOf(revision),
  }
}

function messagesOf({ event, version, previous, closedByUs, reason, award, before, after }: Revision): string[] {
  if (event === 'version') return version === null ? [] : changesOfVersion(previous, version, closedByUs)
  if (event === 'missing') return ['No longer listed.']
  if (event === 'returned') return ['Listed again.']
  const [old, now] = [describeTerms(before), describeTerms(after)]
  const moved = old === now ? [] : before === null ? [`Now ${now}.`] : [`${old} → ${now}.`]
  if (award === null) return [reason === null ? 'The same award for another total.' : `${reason}.`, ...moved]
  const { by, because, withdrawn, followed } = award
  const why = because === null ? '' : `, because “${oneLine(because)}”`
  const names =
    new Intl.ListFormat('en-GB').format((withdrawn ? before : after)?.offers.map(oneLine) ?? []) || 'no award'
  if (withdrawn) return [`Withdrawn by ${oneLine(by)}: ${names}${why}.`, ...moved]
  return [
    `Recorded by ${oneLine(by)}: ${names}, ${followed ? 'as recommended' : 'not as recommended'}${why}.`,
    ...moved,
  ]
}

/** `8,670 t at 28.80 USD/t, 249,696 USD`. */
const describeTerms = (terms: AwardTerms | null): string =>
  terms === null
    ? 'nothing'
    : `${formatTonnes(terms.tonnes)} at ${formatPricePerTonne(terms.pricePerTonne, terms.currency)}, ${formatTotal(terms.total, terms.currency)}`
