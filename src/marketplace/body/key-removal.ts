import type { DocumentParser } from '../../core/documents/observation.js'
import { type SecretSearch, secretSearch } from '../../core/text/secret-scrubber.js'
import { TimeSlice } from '../../core/time/time-slice.js'
import { UnavailableError } from '../errors.js'

/** What replaces an API key in a body, which is stored: plain text in JSON. */
export const REMOVED_KEY = '[API key removed]'
const REMOVED_KEY_BYTES = Buffer.from(REMOVED_KEY)

/** Bytes that are searched at once, which takes a few milliseconds even for a malicious body. */
const CHUNK_BYTES = 2 ** 17
/** Bytes before a chunk that a search needs as context. */
const CONTEXT_BYTES = 8
/** A body that repeats the key more often is not used: each occurrence takes memory until the body is joined again. */
export const MAX_REMOVED_KEYS = 100_000

/**
 * Creates a function that replaces an API key in the bodies of replies, in every form that `createScrubber` finds, before
 * anything reads them. All other bytes stay as they are. Keys of fewer than eight characters are not replaced: they could be
 * ordinary words.
 * @param apiKey printable ASCII
 * @returns gives the same buffer if it does not contain the key, at once if it is small; rejects with an UnavailableError, which
 *   begins with the label, if it contains the key more than 100,000 times
 */
export function createKeyRemover(apiKey: string): (body: Buffer, label: () => string) => Buffer | Promise<Buffer> {
  const search = secretSearch([apiKey])
  if (search === null) return (body) => body
  return (body, label) => {
    const isClean = body.length <= CHUNK_BYTES && !contains(body.toString('latin1'), search)
    return isClean ? body : removeKey(body, label, search)
  }
}

function contains(text: string, search: SecretSearch): boolean {
  const pattern = search.patternFor(text)
  pattern.lastIndex = 0
  return pattern.test(text)
}

async function removeKey(body: Buffer, label: () => string, { patternFor, maxLength }: SecretSearch) {
  const slice = new TimeSlice()
  const parts: Buffer[] = []
  let copied = 0
  for (let at = 0; at < body.length; ) {
    const from = Math.max(copied, at - CONTEXT_BYTES)
    const end = at + CHUNK_BYTES
    // In latin1, one byte is one character, so a match has the same offset in the body; all forms of the key are ASCII.
    const text = body.toString('latin1', from, Math.min(end + maxLength, body.length))
    const pattern = patternFor(text)
    pattern.lastIndex = at - from
    for (let match = pattern.exec(text); match && from + match.index < end; match = pattern.exec(text)) {
      parts.push(body.subarray(copied, from + match.index), REMOVED_KEY_BYTES)
      copied = from + match.index + match[0].length
    }
    if (parts.length > 2 * MAX_REMOVED_KEYS) {
      throw new UnavailableError(
        `${label()}: the body repeats the API key more than ${MAX_REMOVED_KEYS} times. Nothing of it was used`,
      )
    }
    at = Math.max(end, copied)
    if (slice.isOver) await slice.next()
  }
  return copied === 0 ? body : Buffer.concat([...parts, body.subarray(copied)])
}

/** Adds a problem to documents in which a key was replaced. Used for replies that contained one. */
export const flagRedactedKey =
  <T>(parse: DocumentParser<T>): DocumentParser<T> =>
  (body, received) => {
    const observation = parse(body, received)
    if (!(received?.text ?? JSON.stringify(body)).includes(REMOVED_KEY)) return observation
    const message = `the document contained the API key, which was replaced with "${REMOVED_KEY}"`
    return { ...observation, problems: [{ path: '', code: 'api-key', message }, ...observation.problems] }
  }
