/**
 * Identifiers and messages may contain characters that databases cannot store: lone surrogates, which UTF-8 cannot encode, and NUL, at which
 * functions of SQLite stop and which PostgreSQL rejects. They are escaped as `\u0000` and `\ud800`. Backslashes that would make a text look
 * escaped are doubled, so that different texts stay different.
 */

const UNSTORABLE = String.raw`\0|\p{Surrogate}`
const ESCAPE = 'u(?:0000|d[89a-f][0-9a-f]{2})'
// The lookbehind matches a run of backslashes only at its start, so that searching takes linear time.
const TO_ESCAPE = new RegExp(String.raw`(?<!\\)(\\*)(${UNSTORABLE}|${ESCAPE})`, 'gu')
const ESCAPED = new RegExp(String.raw`(?<!\\)(\\+)(${ESCAPE})`, 'g')

/** A fast path for texts with nothing to escape, such as most identifiers. */
const PLAIN = /^[ -[\]-~]*$/
const HAS_UNSTORABLE = new RegExp(UNSTORABLE, 'u')

/** Whether a text has no character that cannot be stored. */
export const isStorable = (text: string): boolean => !HAS_UNSTORABLE.test(text)

/** The text as it is stored. */
export const toStoredText = <T extends string | null | undefined>(text: T): T =>
  typeof text === 'string' ? (escaped(text) as T) : text

function escaped(text: string): string {
  if (PLAIN.test(text)) return text
  return text.replace(TO_ESCAPE, (_, backslashes: string, rest: string) => {
    const code = rest.length === 1 ? `\\u${rest.charCodeAt(0).toString(16).padStart(4, '0')}` : rest
    return backslashes + backslashes + code
  })
}

/** The text that was stored. */
export const fromStoredText = <T extends string | null>(stored: T): T =>
  stored === null ? stored : (unescaped(stored) as T)

function unescaped(stored: string): string {
  if (!stored.includes('\\')) return stored
  return stored.replace(ESCAPED, (_, backslashes: string, code: string) => {
    const literal = '\\'.repeat(Math.floor(backslashes.length / 2))
    return literal + (backslashes.length % 2 === 0 ? code : String.fromCharCode(Number.parseInt(code.slice(1), 16)))
  })
}
