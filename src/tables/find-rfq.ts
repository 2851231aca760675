import { parseDocument } from '../core/documents/observation.js'
import { plausibleOrNull } from '../core/numbers.js'
import type { RfqWithResponses } from '../core/records.js'
import { cleanLine, truncate } from '../core/text/clean-text.js'
import { nameById, namesIn, parseRfqName } from '../core/text/rfq-name.js'
import { closestMatches } from '../core/text/suggest.js'
import type { History } from '../store/contract.js'

export interface RfqSearch {
  /** Id, number or reference; or `id:…`, `number:…`, `reference:…`; after `org/slug/`, of that channel. */
  name: string
  channel?: string | undefined
  /** The names that RFQs had at this moment. Default: those they have now. */
  asOf?: Date | undefined
  /** Omit the responses. Default false. */
  withoutResponses?: boolean
}

/** Why a name does not lead to an RFQ. */
interface RfqNameProblem {
  /** `empty`: no RFQ is known at all. */
  reason: 'unknown' | 'ambiguous' | 'empty'
  /** What was found and what to do, without a full stop. */
  message: string
  /** The RFQs that were meant, or may have been: channel, number, id and title of each. */
  listed: string[]
  /** Names that lead to one of the RFQs that were meant, or may have been. */
  names: string[]
}

/** What a name led to, or why it led to no RFQ. */
export type Lookup<T> = { found: T } | { problem: RfqNameProblem }

/** An RFQ as an address names it, and the state to read: the current one, or as of a moment. */
export interface RfqAddress {
  channel: string
  name: string
  now: Date
  asOf?: Date
}

/** An RFQ that was found. */
export interface RfqRef {
  channel: string
  id: string
  /** The shortest that leads to it. */
  name: string
}

/**
 * Finds the RFQ that has a name, as it is now or was at a moment. A name that several have leads to none of them, because whoever closes
 * an RFQ or awards an offer must mean the one that is found.
 */
export async function findRfq(store: Pick<History, 'rfqs'>, search: RfqSearch): Promise<Lookup<RfqWithResponses>> {
  const { name, channel, asOf, withoutResponses = false } = search
  const found = await store.rfqs({ channel, asOf, match: parseRfqName(name), withoutResponses })
  const [only] = found
  if (only !== undefined)
    return found.length === 1 ? { found: only } : { problem: ambiguousRfq(name, found.map(namedRfq)) }
  // With its channel, as pages name it. A reference may look like that too.
  const [, within, rest] = /^([^/]+\/[^/]+)\/(.+)$/s.exec(name) ?? []
  if (within !== undefined && rest !== undefined && (channel ?? within) === within) {
    const lookup = await findRfq(store, { ...search, channel: within, name: rest })
    if ('found' in lookup || lookup.problem.reason !== 'empty') return lookup
  }
  return { problem: await unknownRfq(store, search) }
}

/**
 * The shortest name that leads to an RFQ: its number, or `id:…` if it has none, or others have that name.
 * @param search.name that led to it
 */
export async function shortestName(
  store: Pick<History, 'rfqs'>,
  { rfq }: Pick<RfqWithResponses, 'rfq'>,
  { name: known, asOf }: RfqSearch,
): Promise<string> {
  const { channel } = rfq
  const name = nameOf(namedRfq({ rfq }))
  if (name === known) return name
  const others = await store.rfqs({ channel, asOf, match: parseRfqName(name), withoutResponses: true })
  return others.length === 1 ? name : nameById(rfq.id)
}

/** Creates the function that finds which RFQ of a channel, by default of all, has a name. */
export const rfqFinder =
  (store: Pick<History, 'rfqs'>) =>
  (search: Omit<RfqAddress, 'channel'> & { channel?: string }): Promise<Lookup<RfqRef>> =>
    withRfq(store, { ...search, withoutResponses: true }, async (_found, ref) => ref)

/** Finds an RFQ, and reads something of it. */
export async function withRfq<T>(
  store: Pick<History, 'rfqs'>,
  search: RfqSearch,
  read: (found: RfqWithResponses, ref: RfqRef) => Promise<T>,
): Promise<Lookup<T>> {
  const lookup = await findRfq(store, search)
  if ('problem' in lookup) return lookup
  const { channel, id } = lookup.found.rfq
  const name = await shortestName(store, lookup.found, search)
  return { found: await read(lookup.found, { channel, id, name }) }
}

// --- messages -------------------------------------------------------------------------------------------------------

/** An RFQ as messages name it. */
interface NamedRfq {
  channel: string
  id: string
  number: number | null
  title: string | null
}

function namedRfq({ rfq: { channel, id, body } }: Pick<RfqWithResponses, 'rfq'>): NamedRfq {
  const { document } = parseDocument('rfq', body)
  return { channel, id, number: plausibleOrNull(document?.number), title: document?.title ?? null }
}

const nameOf = ({ number, id }: NamedRfq): string => (number === null ? nameById(id) : String(number))

/** So many RFQs are listed in a message. */
const MAX_LISTED = 10
const MAX_SUGGESTED = 5

const shown = (text: string) => truncate(cleanLine(text), 100)

const lineOf = ({ channel, id, number, title }: NamedRfq): string =>
  [channel, number === null ? null : `number ${number}`, nameById(id), title]
    .flatMap((part) => (part ? [shown(part)] : []))
    .join(', ')

/** The problem with the RFQs that it lists, on one line or on a line each. */
export function problemText({ message, listed: rfqs }: RfqNameProblem, layout: 'line' | 'lines' = 'line'): string {
  if (rfqs.length === 0) return message
  return layout === 'line' ? `${message}: ${rfqs.join('; ')}` : [`${message}:`, ...rfqs].join('\n  ')
}

/** The problem of a name that several RFQs have. */
function ambiguousRfq(name: string, found: readonly NamedRfq[]): RfqNameProblem {
  const channels = new Set(found.map(({ channel }) => channel)).size
  const remedies = [
    ...(channels > 1 ? ['name its channel'] : []),
    ...(channels < found.length ? ['write id:…, number:… or reference:… for the one that is meant'] : []),
  ]
  const more = found.length - MAX_LISTED
  return {
    reason: 'ambiguous',
    message: `"${shown(name)}" matches ${found.length} RFQs; ${remedies.join(', and ')}`,
    listed: [...found.slice(0, MAX_LISTED).map(lineOf), ...(more > 0 ? [`and ${more} more`] : [])],
    names: found.map(({ id }) => nameById(id)),
  }
}

async function unknownRfq(store: Pick<History, 'rfqs'>, search: RfqSearch): Promise<RfqNameProblem> {
  const { name, channel, asOf } = search
  const where = `${channel === undefined ? '' : ` in ${shown(channel)}`}${asOf ? ` as of ${asOf.toISOString()}` : ''}`
  const start = `no RFQ matches "${shown(name)}"${where}`
  const known = await store.rfqs({ channel, asOf, withoutResponses: true })
  if (known.length === 0) {
    const message = `${start}; no RFQs ${asOf ? 'were known then' : 'are stored yet'}`
    return { reason: 'empty', message, listed: [], names: [] }
  }
  const close = suggestRfqs(parseRfqName(name).text, known)
  const message = close.length === 0 ? start : `${start}; closest matches`
  return { reason: 'unknown', message, listed: close.map(lineOf), names: close.map(nameOf) }
}

/** The RFQs whose names are close. A generous distance, because numbers are short and a few extra suggestions do no harm. */
function suggestRfqs(name: string, known: readonly RfqWithResponses[]): NamedRfq[] {
  const text = name.slice(0, 100)
  const named = known.flatMap(({ rfq }) => {
    const each = namedRfq({ rfq })
    return [each.id, each.number, namesIn(rfq.body).reference, each.title].flatMap((one): [string, NamedRfq][] =>
      one === null ? [] : [[String(one), each]],
    )
  })
  const options = { max: MAX_SUGGESTED, maxDistance: Math.max(2, Math.floor(text.length / 2)) }
  const texts = named.map(([one]) => one)
  const close = closestMatches(text, texts, options).flatMap((one) => named.filter(([each]) => each === one))
  return [...new Set(close.map(([, rfq]) => rfq))].slice(0, MAX_SUGGESTED)
}
