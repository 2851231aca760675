import { parseDocument } from '../core/documents/observation.js'
import { plausibleOrNull } from '../core/numbers.js'
import type { RfqWithResponses } from '../core/records.js'
import { cleanLine, truncate } from '../core/text/clean-text.js'
import { nameById, namesIn, parseRfqName } from '../core/text/rfq-name.js'
import { closestMatches } from '../core/text/suggest.js'
import type { Store } from '../store/contract.js'
import { FilterError } from './filter-error.js'

export interface RfqSearch {
  /** Id, number or reference; or `id:…`, `number:…`, `reference:…`; after `org/slug/`, of that channel. */
  name: string
  channel?: string | undefined
  /** The names that RFQs had at this moment. Default: those they have now. */
  asOf?: Date | undefined
  /** Omit the responses. Default false. */
  withoutResponses?: boolean
}

/** An RFQ as an address names it, and the state to read: the current one, or as of a moment. */
export interface RfqAddress extends RfqSearch {
  channel: string
  now: Date
}

/** An RFQ that was found. */
export interface RfqRef {
  channel: string
  id: string
  /** The shortest that leads to it. */
  name: string
}

/** An RFQ that was found, with its documents. */
export type FoundRfq = RfqWithResponses & RfqRef

type RfqStore = Pick<Store, 'rfqs' | 'storedChannels'>

/**
 * Finds the RFQ that has a name, as it is now or was at a moment. A name that several have leads to none of them, because whoever closes
 * an RFQ or awards an offer must mean the one that is found.
 * @throws FilterError 404 if none has the name, 409 if several have it
 */
export async function findRfq(store: RfqStore, search: RfqSearch): Promise<FoundRfq> {
  const { name, channel, asOf, withoutResponses = false } = search
  const found = await store.rfqs({ channel, asOf, match: parseRfqName(name), withoutResponses })
  const [only] = found
  if (found.length > 1) throw ambiguousRfq(name, found.map(namedRfq))
  if (only !== undefined) {
    const { channel, id } = only.rfq
    return { ...only, channel, id, name: await shortestName(store, only, search) }
  }
  // With its channel, as pages name it. A reference may look like that too.
  const [, within = '', rest = ''] = /^([^/]+\/[^/]+)\/(.+)$/s.exec(name) ?? []
  if ((channel ?? within) === within && (await store.storedChannels()).includes(within))
    return findRfq(store, { ...search, channel: within, name: rest })
  throw await unknownRfq(store, search)
}

/** The shortest name that leads to an RFQ: its number, or `id:…` if it has none, or others have that name. */
async function shortestName(
  store: RfqStore,
  { rfq }: Pick<RfqWithResponses, 'rfq'>,
  { name: known, asOf }: RfqSearch,
): Promise<string> {
  const { channel } = rfq
  const name = nameOf(namedRfq({ rfq }))
  if (name === known) return name
  const others = await store.rfqs({ channel, asOf, match: parseRfqName(name), withoutResponses: true })
  return others.length === 1 ? name : nameById(rfq.id)
}

// --- messages -------------------------------------------------------------------------------------------------------

/** An RFQ as messages name it. */
function namedRfq({ rfq: { channel, id, body } }: Pick<RfqWithResponses, 'rfq'>) {
  const { document } = parseDocument('rfq', body)
  return { channel, id, number: plausibleOrNull(document?.number), title: document?.title ?? null }
}
type NamedRfq = ReturnType<typeof namedRfq>

const nameOf = ({ number, id }: NamedRfq): string => (number === null ? nameById(id) : String(number))

/** So many RFQs are listed in a message. */
const MAX_LISTED = 10
const MAX_SUGGESTED = 5

const shown = (text: string) => truncate(cleanLine(text), 100)

const lineOf = ({ channel, id, number, title }: NamedRfq): string =>
  [channel, number === null ? null : `number ${number}`, nameById(id), title]
    .flatMap((part) => (part ? [shown(part)] : []))
    .join(', ')

/** @param rfqs a line each, below what is said of them */
const withLines = (message: string, rfqs: readonly string[]) => [`${message}:`, ...rfqs].join('\n  ')

function ambiguousRfq(name: string, found: readonly NamedRfq[]): FilterError {
  const channels = new Set(found.map(({ channel }) => channel)).size
  const remedies = [
    ...(channels > 1 ? ['name its channel'] : []),
    ...(channels < found.length ? ['write id:…, number:… or reference:… for the one that is meant'] : []),
  ]
  const more = found.length - MAX_LISTED
  const listed = [...found.slice(0, MAX_LISTED).map(lineOf), ...(more > 0 ? [`and ${more} more`] : [])]
  const message = `"${shown(name)}" matches ${found.length} RFQs; ${remedies.join(', and ')}`
  const names = found.map(({ id }) => nameById(id))
  return new FilterError('rfq', withLines(message, listed), 409, names)
}

async function unknownRfq(store: RfqStore, { name, channel, asOf }: RfqSearch): Promise<FilterError> {
  const where = `${channel === undefined ? '' : ` in ${shown(channel)}`}${asOf ? ` as of ${asOf.toISOString()}` : ''}`
  const start = `no RFQ matches "${shown(name)}"${where}`
  const known = await store.rfqs({ channel, asOf, withoutResponses: true })
  const close = suggestRfqs(parseRfqName(name).text, known)
  if (close.length > 0)
    return new FilterError('rfq', withLines(`${start}; closest matches`, close.map(lineOf)), 404, close.map(nameOf))
  const remedy = known.length > 0 ? '`quotekeeper rfqs` lists all RFQs' : asOf ? 'none was known then' : NONE_YET
  return new FilterError('rfq', `${start}; ${remedy}`, 404)
}

const NONE_YET = 'none is stored yet, `quotekeeper sync` polls the marketplace'

/** The RFQs whose names are close. */
function suggestRfqs(name: string, known: readonly RfqWithResponses[]): NamedRfq[] {
  const named = new Map(
    known.map((each) => {
      const { channel, id, number, title } = namedRfq(each)
      const text = [id, number, namesIn(each.rfq.body).reference, title, channel].join(' ')
      return [text, { channel, id, number, title }] as const
    }),
  )
  const close = closestMatches(name.slice(0, 100), [...named.keys()], MAX_SUGGESTED)
  return close.flatMap((text) => named.get(text) ?? [])
}
