/** Shorter secrets, and words of one such as the scheme in `Bearer …`, are too common to be removed from text. */
export const MIN_PART_LENGTH = 8

/**
 * Makes a function that replaces secrets in text: as they are, with their white space collapsed, and their long words alone
 * (a key without its scheme), and in Base64 of any text that contains them. Texts of fewer than eight characters are left. A text that still
 * has one with characters escaped as in JSON, or percent-encoded, is decoded.
 * @param replacement what to write instead
 */
export function createScrubber(secrets: readonly string[], replacement = '[secret]'): (text: string) => string {
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  if (forms.length === 0) return (text) => text
  const pattern = new RegExp(forms.map(quote).join('|'), 'gu')
  const replace = (text: string) => text.replaceAll(pattern, () => replacement)
  return (text) => {
    const scrubbed = replace(text)
    const decoded = decode(scrubbed)
    return decoded.search(pattern) === -1 ? scrubbed : replace(decoded)
  }
}

/** Without escapes of JSON and percent-encoding, of any depth. */
const decode = (text: string): string =>
  text
    .replace(/(?<!\\)\\+u([\da-fA-F]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/(?:%(?:25)*[\da-f]{2})+/gi, (bytes) =>
      Buffer.from(bytes.replace(/%(?:25)*(?=[\da-f]{2})/gi, ''), 'hex').toString(),
    )
    .replaceAll('\\', '')

function formsOf(secret: string): string[] {
  const originals = [secret, secret.replace(/[\p{C}\s]+/gu, ' ').trim(), ...secret.split(/\s+/)].filter(
    (form) => form.length >= MIN_PART_LENGTH,
  )
  const forms = originals.flatMap((original) => [original, decode(original), ...base64Forms(original)])
  // Decoded, a secret may be short, or nothing.
  return forms.filter(({ length }) => length >= MIN_PART_LENGTH / 2)
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

/** Every character as a code point, so that none has a meaning of its own in a pattern; a space may be a plus sign. */
const quote = (text: string) =>
  Array.from(text, (each) => (each === ' ' ? '[ +]' : `\\u{${each.codePointAt(0)?.toString(16)}}`)).join('')
