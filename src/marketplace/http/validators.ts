import type { Validators } from '../../core/documents/validators.js'
import { parseHttpDate } from './http-date.js'
import type { HttpReply } from './http-exchange.js'

/** RFC 9110 §8.8.3, of reasonable length. */
const ENTITY_TAG = /^(?:W\/)?"[!#-~]{0,200}"$/
/** A document may change twice within a second, so its date identifies it only from the next second on (RFC 9110 §8.8.2.2). */
const MIN_AGE_MS = 1_000

/**
 * The validators of a reply, for a conditional request of the same document; null if the server sent none that are usable.
 * @param containsKey whether a text contains the API key; such an ETag is not kept
 */
export function validatorsOf(
  { headers, serverDate }: Pick<HttpReply, 'headers'> & { serverDate: Date | null },
  containsKey: (text: string) => boolean,
): Validators | null {
  const tag = headers.etag
  const etag = typeof tag === 'string' && ENTITY_TAG.test(tag) && !containsKey(tag) ? tag : null
  const lastModified = dateOf(headers['last-modified'], serverDate)
  return etag === null && lastModified === null ? null : { etag, lastModified }
}

function dateOf(header: string | string[] | undefined, serverDate: Date | null): string | null {
  if (typeof header !== 'string' || serverDate === null) return null
  const date = parseHttpDate(header, serverDate)
  return date !== null && serverDate.getTime() - date.getTime() >= MIN_AGE_MS ? date.toUTCString() : null
}

/** The headers of a conditional request. */
export const conditionalHeaders = (validators: Validators | null | undefined): Record<string, string> => ({
  ...(validators?.etag != null && { 'if-none-match': validators.etag }),
  ...(validators?.lastModified != null && { 'if-modified-since': validators.lastModified }),
})
