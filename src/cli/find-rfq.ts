import { isRecord } from '../config/environment.js'
import { closestMatches } from '../domain/suggest.js'
import { parseRfq } from '../domain/observation.js'
import type { RfqWithResponses } from '../domain/records.js'
import type { History, RfqFilter } from '../store/contract.js'
import { FailedError, UsageError } from './cli-error.js'
import { sanitize, truncate } from './terminal-text.js'

/**
 * Finds the RFQ with an id, a number or a reference: an id wins over a number, a number over a reference, and a present
 * name over a former one.
 * @throws {UsageError} if there is none, with the closest matches; if there are several, with a way to choose one
 * @throws {FailedError} if no RFQs are stored
 */
export async function findRfq(
  store: Pick<History, 'rfqs'>,
  filter: RfqFilter & { match: string },
): Promise<RfqWithResponses> {
  const found = await matchingRfqs(store, filter)
  const [only] = found
  if (only && found.length === 1) return only
  if (found.length > 1) throw new UsageError(ambiguousMessage(filter.match, found))
  const { match, ...others } = filter
  const known = await store.rfqs({ ...others, withoutResponses: true })
  const message = notFoundMessage(match, known, filter)
  throw known.length === 0 ? new FailedError(message) : new UsageError(message)
}

/** The RFQs with a name: those that `findRfq` chooses from. */
export async function matchingRfqs(
  store: Pick<History, 'rfqs'>,
  filter: RfqFilter & { match: string },
): Promise<RfqWithResponses[]> {
  return bestMatches(filter.match, await store.rfqs(filter))
}

/** The matches of the strongest kind among all that have, or had, the name. */
function bestMatches(match: string, found: readonly RfqWithResponses[]): RfqWithResponses[] {
  const ranked = found.map((each) => ({ each, rank: matchRank(match, each) }))
  const best = Math.min(...ranked.map(({ rank }) => rank))
  return ranked.filter(({ rank }) => rank === best).map(({ each }) => each)
}

/** 0: the id, 1: the number, 2: the reference, 3: a number or a reference that it had at another time. */
function matchRank(match: string, { rfq }: RfqWithResponses): number {
  if (rfq.id === match) return 0
  // The values as received, because a value of the wrong type is not in the parsed document.
  const { number, reference } = isRecord(rfq.body) ? rfq.body : {}
  if (number !== undefined && String(number) === match) return 1
  return typeof reference === 'string' && reference.toLowerCase() === match.toLowerCase() ? 2 : 3
}

function ambiguousMessage(match: string, found: readonly RfqWithResponses[]): string {
  const channels = new Set(found.map(({ rfq }) => rfq.channel))
  const list = found.map((each) => `\n  ${rfqLabel(each)} in ${each.rfq.channel}, id ${each.rfq.id}`).join('')
  const remedy = channels.size > 1 ? 'choose a channel with --channel' : 'use an id instead'
  return `"${match}" matches ${found.length} RFQs; ${remedy}:${list}`
}

function notFoundMessage(match: string, known: readonly RfqWithResponses[], { channel, asOf }: RfqFilter): string {
  const where = channel === undefined ? '' : ` in ${channel}`
  const when = asOf === undefined ? '' : ` as of ${asOf.toISOString()}`
  const start = `no RFQ matches "${sanitize(match)}"${where}${when}`
  if (known.length === 0 && asOf !== undefined) return `${start}; no RFQs were known then`
  if (known.length === 0) return `${start}; no RFQs are stored yet, run \`quotekeeper sync\` to poll the marketplace`
  const suggestions = suggestRfqs(match, known)
  const list = suggestions.map((each) => `\n  ${rfqLabel(each)} in ${each.rfq.channel}`).join('')
  return list === '' ? `${start}; \`quotekeeper rfqs\` lists all RFQs` : `${start}; closest matches:${list}`
}

/** A generous distance, because numbers are short and a few extra suggestions do no harm. */
function suggestRfqs(match: string, known: readonly RfqWithResponses[]): RfqWithResponses[] {
  const named = known.flatMap((each) => searchableNames(each).map((name) => ({ name, each })))
  const reach = Math.max(2, Math.floor(match.length / 2))
  const names = closestMatches(match, [...new Set(named.map(({ name }) => name))], { max: 5, maxDistance: reach })
  const found = names.flatMap((name) => named.filter((entry) => entry.name === name).map(({ each }) => each))
  return [...new Set(found)].slice(0, 5)
}

function searchableNames({ rfq }: RfqWithResponses): string[] {
  const document = parseRfq(rfq.body).document
  const names = [rfq.id, document?.number?.toString(), document?.reference, document?.title]
  return names.filter((name): name is string => typeof name === 'string' && name !== '')
}

/** A short name for messages: `12 (REF-7, Mangroves for 2027)`. */
export function rfqLabel({ rfq }: Pick<RfqWithResponses, 'rfq'>): string {
  const document = parseRfq(rfq.body).document
  const name = document?.number?.toString() ?? document?.reference ?? rfq.id
  const more = [document?.reference, document?.title].filter((part) => part && part !== name)
  return truncate(sanitize(more.length > 0 ? `${name} (${more.join(', ')})` : name), 100)
}
