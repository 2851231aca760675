import { createScrubber } from '../domain/secret-scrubber.js'

const LONGEST_QUOTE = 200

/** Makes outside text fit to stand in a message. */
export type Quote = (text: string) => string

/**
 * Makes the function that prepares outside text for messages: control characters (and other invisible ones) become
 * spaces, the key becomes `[key]` however it was written, the rest is cut at 200 characters.
 * @param apiKey the key that must never show, printable ASCII; empty where none is known yet
 */
export function quoter(apiKey: string): Quote {
  const scrub = createScrubber([apiKey], '[key]')
  return (text) => {
    const safe = scrub(plain(text))
    // Cut between characters, never within a pair of surrogates.
    const characters = Array.from(safe.slice(0, LONGEST_QUOTE * 2 + 2))
    return characters.length > LONGEST_QUOTE ? `${characters.slice(0, LONGEST_QUOTE - 1).join('')}…` : safe
  }
}

const plain = (text: string) => text.replace(/[\p{C}\s]+/gu, ' ').trim()
