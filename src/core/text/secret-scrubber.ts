/** Shorter secrets, and words of one such as the scheme in `Bearer …`, are too common to be removed from text. */
export const MIN_PART_LENGTH = 8

/**
 * Makes a function that replaces secrets in text: as they are, with their white space collapsed, and their long words alone
 * (a key without its scheme). Texts of fewer than eight characters are left. Each of them is also found with any of its characters escaped as in JSON (up to eight levels
 * deep) or percent-encoded (up to three levels), and in Base64 of any text that contains it.
 * @param replacement what to write instead
 */
export function createScrubber(secrets: readonly string[], replacement = '[secret]'): (text: string) => string {
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  if (forms.length === 0) return (text) => text
  const patternOf = (write: (form: string) => string) => new RegExp(forms.map(write).join('|'), 'gu')
  const plain = patternOf((form) => Array.from(form, plainCharacter).join(''))
  // It takes tens of milliseconds to compile, so it is only made for a text that may contain encoded characters.
  let encoded: RegExp | undefined
  return (text) => {
    if (!ENCODED.test(text)) return text.replaceAll(plain, () => replacement)
    encoded ??= patternOf(formPattern)
    return text.replaceAll(encoded, () => replacement)
  }
}

/** Only texts with one of these contain encoded characters. */
const ENCODED = /[%\\]/

/** Something with an error, from which secrets are removed: libraries quote what they were given. */
export const scrubError = <Row extends { error: string | null }>(row: Row, scrub: (text: string) => string): Row => ({
  ...row,
  error: row.error === null ? null : scrub(row.error),
})

function formsOf(secret: string): string[] {
  const originals = [secret, secret.replace(/[\p{C}\s]+/gu, ' ').trim(), ...secret.split(/\s+/)].filter(
    (form) => form.length >= MIN_PART_LENGTH,
  )
  return originals.flatMap((original) => [original, ...base64Forms(original)])
}

/**
 * What Base64 of any text contains if the text contains the secret: one form for each position of the secret within groups of
 * three bytes. Characters that also depend on what is before or after the secret are left out.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const certain = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    return [certain, certain.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Matches a secret with any of its characters encoded. A run of backslashes is encoded as one, so that matching takes linear time. */
const formPattern = (form: string) =>
  (form.match(/\\+|[^\\]/gu) ?? [])
    // Only a whole run of backslashes: a part of it could leave half of an escape sequence, and take long to search.
    .map((unit, at) => unitPattern(unit, at === 0 ? '(?<!\\\\)' : ''))
    .join('')

function unitPattern(unit: string, start: string): string {
  const backslashes = `${start}\\\\{1,8}`
  const unicode = Array.from({ length: unit.length }, (_, at) => `${backslashes}u${hex(unit.charCodeAt(at), 4)}`).join(
    '',
  )
  const percent = [...Buffer.from(unit)].map((byte) => `%(?:25){0,2}${hex(byte, 2)}`).join('')
  return `(?:${unicode}|${percent}|${plainPattern(unit, start)})`
}

function plainPattern(unit: string, start: string): string {
  if (unit.startsWith('\\')) return `${start}\\\\{${unit.length},${8 * unit.length}}`
  if (unit === ' ') return plainCharacter(unit)
  // JSON may escape a slash, and must escape quotes and control characters.
  if (unit === '"' || unit === '/') return `(?:${start}\\\\{1,8})?${quote(unit)}`
  const short = JSON.stringify(unit).slice(1, -1)
  return short === unit ? quote(unit) : `${quote(unit)}|${start}\\\\{1,8}${quote(short.slice(1))}`
}

const plainCharacter = (character: string) => (character === ' ' ? '[ +]' : quote(character))

/** Every character as a code point, so that none has a meaning of its own in a pattern. */
const quote = (text: string) => Array.from(text, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`).join('')

const hex = (number: number, digits: number) =>
  number
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
