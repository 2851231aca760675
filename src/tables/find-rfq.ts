import { parseStored } from '../core/documents/observation.js'
import { plausibleOrNull } from '../core/numbers.js'
import type { KnownDocument, RfqWithResponses } from '../core/records.js'
import { cleanLine } from '../core/text/clean-text.js'
import { nameById, namesIn, parseRfqName, plainNames } from '../core/text/rfq-name.js'
import { closestMatches } from '../core/text/suggest.js'
import type { History } from '../store/contract.js'

export interface RfqSearch {
  /** Id, number or reference; or `id:…`, `number:…`, `reference:…`; after `org/slug/`, of that channel. */
  name: string
  channel?: string | undefined
  /** Only RFQs of these channels. Default: of all. */
  channels?: readonly string[]
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
  const { name, withoutResponses = false } = search
  const match = parseRfqName(name)
  const found = await readRfqs(store, search, { match, withoutResponses })
  const [only] = found
  if (only === undefined) return (await findInChannel(store, search)) ?? { problem: await unknownRfq(store, search) }
  return found.length === 1 ? { found: only } : { problem: ambiguousRfq(name, found.map(namedRfq)) }
}

/** An RFQ that is named with its channel, as pages do: `acme/forest/1042`. Null if the text has another form, or nothing is known of that channel. */
async function findInChannel(
  store: Pick<History, 'rfqs'>,
  search: RfqSearch,
): Promise<Lookup<RfqWithResponses> | null> {
  const [, channel, name] = /^([^/]+\/[^/]+)\/(.+)$/s.exec(search.name) ?? []
  if (channel === undefined || name === undefined || (search.channel ?? channel) !== channel) return null
  const lookup = await findRfq(store, { ...search, channel, name })
  return 'problem' in lookup && lookup.problem.reason === 'empty' ? null : lookup
}

/**
 * The shortest name that leads to an RFQ: its number, its id, or `id:…`.
 * @param search.name that led to it
 */
export async function shortestName(
  store: Pick<History, 'rfqs'>,
  { rfq }: Pick<RfqWithResponses, 'rfq'>,
  { name: known, asOf }: RfqSearch,
): Promise<string> {
  const { channel, id } = rfq
  for (const name of plainNames(namedRfq({ rfq }))) {
    const isUnique = async () =>
      (await readRfqs(store, { name, channel, asOf }, { match: { text: name }, withoutResponses: true })).length === 1
    if (name === known || (await isUnique())) return name
  }
  return nameById(id)
}

/** Creates the function that finds which RFQ of a channel, by default of all that are configured, has a name. */
export const rfqFinder =
  ({ store, channels }: { store: Pick<History, 'rfqs'>; channels: readonly { key: string }[] }) =>
  async ({ channel, name, asOf }: Omit<RfqAddress, 'channel'> & { channel?: string }): Promise<Lookup<RfqRef>> => {
    const where = channel === undefined ? { channels: channels.map(({ key }) => key) } : { channel }
    return withRfq(store, { ...where, name, asOf, withoutResponses: true }, async (_found, ref) => ref)
  }

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

async function readRfqs(
  store: Pick<History, 'rfqs'>,
  { channel, channels, asOf }: RfqSearch,
  more: Omit<Parameters<History['rfqs']>[0], 'channel' | 'asOf'>,
): Promise<RfqWithResponses[]> {
  const found = await store.rfqs({ ...(channel !== undefined && { channel }), ...(asOf && { asOf }), ...more })
  return channels === undefined ? found : found.filter(({ rfq }) => channels.includes(rfq.channel))
}

// --- messages -------------------------------------------------------------------------------------------------------

/** An RFQ as messages name it. */
interface NamedRfq {
  channel: string
  id: string
  number: number | null
  title?: string | null
  firstSeen?: string
}

/** An RFQ with the names that messages show. */
function namedRfq({
  rfq: { channel, id, shape, body },
}: {
  rfq: Pick<KnownDocument, 'channel' | 'id' | 'shape' | 'body'>
}): NamedRfq & { title: string | null } {
  const { document } = parseStored('rfq', shape, body)
  return { channel, id, number: plausibleOrNull(document?.number), title: document?.title ?? null }
}

/** So many RFQs are listed in a message. */
const MAX_LISTED = 10
const MAX_SUGGESTED = 5

const shown = (text: string) => cleanLine(text, 100)

const lineOf = ({ channel, id, number, title, firstSeen }: NamedRfq): string =>
  [channel, number === null ? null : `number ${number}`, nameById(id), title, firstSeen && `first seen ${firstSeen}`]
    .flatMap((part) => (part ? [shown(part)] : []))
    .join(', ')

function listed(rfqs: readonly NamedRfq[]): string[] {
  const more = rfqs.length - MAX_LISTED
  return [...rfqs.slice(0, MAX_LISTED).map(lineOf), ...(more > 0 ? [`and ${more} more`] : [])]
}

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
  return {
    reason: 'ambiguous',
    message: `"${shown(name)}" matches ${found.length} RFQs; ${remedies.join(', and ')}`,
    listed: listed(found),
    names: found.map(({ id }) => nameById(id)),
  }
}

async function unknownRfq(store: Pick<History, 'rfqs'>, search: RfqSearch): Promise<RfqNameProblem> {
  const { name, channel, asOf } = search
  const where = `${channel === undefined ? '' : ` in ${shown(channel)}`}${asOf ? ` as of ${asOf.toISOString()}` : ''}`
  const start = `no RFQ matches "${shown(name)}"${where}`
  const match = parseRfqName(name)
  const once = { match: { ...match, former: true }, withoutResponses: true }
  const other = await readRfqs(store, { ...search, asOf: undefined }, once)
  if (other.length > 0) {
    const rfqs = other.map(({ rfq }) => ({ ...namedRfq({ rfq }), ...(asOf && { firstSeen: rfq.firstObservedAt }) }))
    return {
      ...unknown(`${start}; at another time it was the name of`, rfqs),
      names: rfqs.map(({ id }) => nameById(id)),
    }
  }
  const known = await readRfqs(store, search, { withoutResponses: true })
  if (known.length === 0)
    return { ...unknown(`${start}; no RFQs ${asOf ? 'were known then' : 'are stored yet'}`, []), reason: 'empty' }
  const close = suggestRfqs(match.text, known)
  return unknown(close.length === 0 ? start : `${start}; closest matches`, close)
}

const unknown = (message: string, rfqs: readonly NamedRfq[]): RfqNameProblem => ({
  ...{ reason: 'unknown', message, listed: listed(rfqs) },
  names: rfqs.map((rfq) => plainNames(rfq)[0] ?? nameById(rfq.id)),
})

/** The RFQs whose names are close. A generous distance, because numbers are short and a few extra suggestions do no harm. */
function suggestRfqs(name: string, known: readonly RfqWithResponses[]): NamedRfq[] {
  const text = name.slice(0, 100)
  const named = known.flatMap(({ rfq }) => {
    const { id, number, title } = namedRfq({ rfq })
    const texts = [id, number, namesIn(rfq.body).reference, title].map((each) => String(each ?? ''))
    return texts.filter((each) => each !== '').map((each) => ({ rfq, text: each }))
  })
  const options = { max: MAX_SUGGESTED, maxDistance: Math.max(2, Math.floor(text.length / 2)) }
  const texts = named.map((each) => each.text)
  const close = closestMatches(text, texts, options).flatMap((one) => named.filter((each) => each.text === one))
  return [...new Set(close.map(({ rfq }) => rfq))].slice(0, MAX_SUGGESTED).map((rfq) => namedRfq({ rfq }))
}
