/** Shorter words of a secret, such as the scheme in `Bearer …`, are too common to be removed from text. */
const MIN_PART_LENGTH = 8

/**
 * Every form in which a secret may appear in text: as it is, its white space collapsed, its long words alone (a key
 * without its scheme), each of them also JSON-encoded (once and twice) and percent-encoded.
 * @returns longest first, because one form may contain another; none for an empty secret
 */
export function secretForms(secret: string): string[] {
  const parts = secret.split(/\s+/).filter((part) => part.length >= MIN_PART_LENGTH)
  const originals = [secret, secret.replace(/[\p{C}\s]+/gu, ' ').trim(), ...parts].filter((part) => part !== '')
  const forms = originals.flatMap((part) => [
    part,
    jsonEncoded(part),
    jsonEncoded(jsonEncoded(part)),
    encodeURIComponent(part),
  ])
  return longestFirst(forms)
}

/**
 * Makes a function that replaces every form of the secrets in text.
 * @param replacement what to write instead
 */
export function createScrubber(secrets: readonly string[], replacement = '[secret]'): (text: string) => string {
  const forms = longestFirst(secrets.flatMap(secretForms))
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, replacement), text)
}

const jsonEncoded = (text: string) => JSON.stringify(text).slice(1, -1)

const longestFirst = (forms: readonly string[]) => [...new Set(forms)].sort((a, b) => b.length - a.length)
