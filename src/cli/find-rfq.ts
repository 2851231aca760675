import { closestMatches } from '../config/suggest.js'
import { observeRfq } from '../domain/observation.js'
import type { RfqWithResponses } from '../domain/records.js'
import type { History, RfqFilter } from '../store/contract.js'
import { FailedError, UsageError } from './cli-error.js'
import { sanitize, truncate } from './terminal-text.js'

/**
 * The one RFQ that a number, a reference or an id names.
 * @throws {FailedError} where none is known by it, with the nearest that are
 * @throws {UsageError} where several are, with how to tell them apart
 */
export async function findRfq(
  store: Pick<History, 'rfqs'>,
  filter: RfqFilter & { match: string },
): Promise<RfqWithResponses> {
  const found = await store.rfqs(filter)
  const [only] = found
  if (only && found.length === 1) return only
  if (found.length > 1) throw new UsageError(ambiguous(filter.match, found))
  const { match, ...others } = filter
  throw new FailedError(unknown(match, await store.rfqs({ ...others, withoutResponses: true }), filter))
}

function ambiguous(match: string, found: readonly RfqWithResponses[]): string {
  const channels = new Set(found.map(({ rfq }) => rfq.channel))
  const list = found.map((each) => `\n  ${nameOf(each)} in ${each.rfq.channel}, id ${each.rfq.id}`).join('')
  const remedy = channels.size > 1 ? 'choose the channel with --channel' : 'name one by its id'
  return `"${match}" names ${found.length} RFQs; ${remedy}:${list}`
}

function unknown(match: string, known: readonly RfqWithResponses[], { channel, asOf }: RfqFilter): string {
  const where = channel === undefined ? '' : ` in ${channel}`
  const when = asOf === undefined ? '' : ` as of ${asOf.toISOString()}`
  const start = `no RFQ "${sanitize(match)}" is known${where}${when}`
  if (known.length === 0) return `${start}, nor any other; \`quotekeeper sync\` polls the marketplace`
  const near = nearestRfqs(match, known)
  const list = near.map((each) => `\n  ${nameOf(each)} in ${each.rfq.channel}`).join('')
  return list === '' ? `${start}; \`quotekeeper rfqs\` lists those that are` : `${start}; the nearest:${list}`
}

/** Generously: numbers are short, and a list of a few does no harm. */
function nearestRfqs(match: string, known: readonly RfqWithResponses[]): RfqWithResponses[] {
  const named = known.flatMap((each) => namesOf(each).map((name) => ({ name, each })))
  const reach = Math.max(2, Math.floor(match.length / 2))
  const names = closestMatches(match, [...new Set(named.map(({ name }) => name))], { most: 5, reach })
  const found = names.flatMap((name) => named.filter((entry) => entry.name === name).map(({ each }) => each))
  return [...new Set(found)].slice(0, 5)
}

function namesOf({ rfq }: RfqWithResponses): string[] {
  const document = observeRfq(rfq.body).document
  const names = [rfq.id, document?.number?.toString(), document?.reference, document?.title]
  return names.filter((name): name is string => typeof name === 'string' && name !== '')
}

/** `12 (REF-7, Mangroves for 2027)`: how a person would call it. */
export function nameOf({ rfq }: Pick<RfqWithResponses, 'rfq'>): string {
  const document = observeRfq(rfq.body).document
  const name = document?.number?.toString() ?? document?.reference ?? rfq.id
  const more = [document?.reference, document?.title].filter((part) => part && part !== name)
  return truncate(sanitize(more.length > 0 ? `${name} (${more.join(', ')})` : name), 100)
}
