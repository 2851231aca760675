import { createScrubber } from '../../core/text/secret-scrubber.js'
import { REMOVED_KEY } from './key-removal.js'

const MAX_LENGTH = 200

/** Makes text from the marketplace safe to include in a message. */
export type Sanitize = (text: string) => string

/**
 * Creates a function that sanitizes text for messages: control and other invisible characters become spaces, the API key
 * is replaced in every form that `createScrubber` finds, and the result is cut at 200 characters.
 * @param apiKey printable ASCII; empty if not known
 */
export function createSanitizer(apiKey: string): Sanitize {
  const scrub = createScrubber([apiKey], REMOVED_KEY)
  return (text) => {
    const safe = scrub(collapseInvisible(text))
    // Code points, so that no surrogate pair is cut; the slice bounds the work for very long texts.
    const characters = Array.from(safe.slice(0, MAX_LENGTH * 2 + 2))
    return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH - 1).join('')}…` : safe
  }
}

const collapseInvisible = (text: string) => text.replace(/[\p{C}\s]+/gu, ' ').trim()
