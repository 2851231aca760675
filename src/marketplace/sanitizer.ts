import { truncate } from '../core/text/clean-text.js'
import { createScrubber, MIN_PART_LENGTH } from '../core/text/secret-scrubber.js'

const MAX_LENGTH = 200

/** Makes text from the marketplace safe to include in a message. */
export type Sanitize = (text: string) => string

/**
 * Creates a function that sanitizes text for messages: control and other invisible characters become spaces, the API key
 * is replaced in every form that `createScrubber` finds, and the result is cut at 200 characters.
 * @param apiKey printable ASCII; empty if not known
 */
export function createSanitizer(apiKey: string): Sanitize {
  const scrub = createScrubber([apiKey], '[API key removed]')
  return (text) => truncate(scrub(text.replace(/[\p{C}\s]+/gu, ' ').trim()), MAX_LENGTH)
}

/**
 * Creates a function that says whether a body contains the API key, or a long word of it such as the key without its scheme: as it
 * is, escaped as in JSON, or percent-encoded. Words of fewer than eight characters could be ordinary ones.
 * @param apiKey printable ASCII
 */
export function createKeySearch(apiKey: string): (text: string) => boolean {
  const words = [apiKey, ...apiKey.split(' ')].filter((word) => word.length >= MIN_PART_LENGTH)
  const forms = words.flatMap((word) => {
    const encoded = encodeURIComponent(word)
    return [word, encoded, encoded.replaceAll(/%../g, (code) => code.toLowerCase())]
  })
  const different = [...new Set(forms)]
  return (text) => [text, unescaped(text)].some((each) => different.some((form) => each.includes(form)))
}

/** The text with the characters that it escapes as in JSON; empty if there are none. */
const unescaped = (text: string): string =>
  text.includes('\\') ? text.replaceAll(/\\(?:u(....)|(.))/g, (_, code, other) => other ?? characterOf(code)) : ''
const characterOf = (code: string) => String.fromCharCode(Number.parseInt(code, 16))
