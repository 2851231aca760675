import { createScrubber } from '../domain/secret-scrubber.js'

const MAX_LENGTH = 200

/** Makes outside text fit to stand in a message. */
export type Sanitize = (text: string) => string

/**
 * Makes the function that prepares outside text for messages: control characters (and other invisible ones) become
 * spaces, the key becomes `[key]` however it was written, the rest is cut at 200 characters.
 * @param apiKey the key that must never show, printable ASCII; empty where none is known yet
 */
export function sanitizer(apiKey: string): Sanitize {
  const scrub = createScrubber([apiKey], '[key]')
  return (text) => {
    const safe = scrub(collapseInvisible(text))
    // Cut between characters, never within a pair of surrogates.
    const characters = Array.from(safe.slice(0, MAX_LENGTH * 2 + 2))
    return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH - 1).join('')}…` : safe
  }
}

const collapseInvisible = (text: string) => text.replace(/[\p{C}\s]+/gu, ' ').trim()
