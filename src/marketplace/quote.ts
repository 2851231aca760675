const LONGEST_QUOTE = 200
const SHORTEST_SECRET_PART = 8

/** Makes outside text fit to stand in a message. */
export type Quote = (text: string) => string

/**
 * Makes the function that prepares outside text for messages: control characters (and other invisible ones) become
 * spaces, the key becomes `[key]` however it was written, the rest is cut at 200 characters.
 * @param apiKey the key that must never show, printable ASCII; empty where none is known yet
 */
export function quoter(apiKey: string): Quote {
  const secrets = spellings(apiKey)
  return (text) => {
    const safe = secrets.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, '[key]'), plain(text))
    // Cut between characters, never within a pair of surrogates.
    const characters = Array.from(safe.slice(0, LONGEST_QUOTE * 2 + 2))
    return characters.length > LONGEST_QUOTE ? `${characters.slice(0, LONGEST_QUOTE - 1).join('')}…` : safe
  }
}

const plain = (text: string) => text.replace(/[\p{C}\s]+/gu, ' ').trim()

/** The key whole and, behind a scheme such as `Bearer`, without it; as it is, within JSON, and within an address. */
function spellings(apiKey: string): string[] {
  const parts = apiKey.split(' ').filter((part) => part.length >= SHORTEST_SECRET_PART)
  return [plain(apiKey), ...parts]
    .filter((part) => part !== '')
    .flatMap((part) => [part, JSON.stringify(part).slice(1, -1), encodeURIComponent(part)])
}
