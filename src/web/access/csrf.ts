import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** CSRF tokens, which forms send back, so that no other website can submit them for the user. */
export interface Csrf {
  /** @param owner the session, or the user without one */
  tokenFor(owner: string): string
  isValid(token: unknown, owner: string): boolean
}

/** Tokens are valid until the process ends. */
export function createCsrf(): Csrf {
  const key = randomBytes(32)
  const tokenFor = (owner: string) => createHmac('sha256', key).update(owner).digest('base64url')
  return {
    tokenFor,
    isValid(token, owner) {
      const expected = Buffer.from(tokenFor(owner))
      const sent = Buffer.from(typeof token === 'string' ? token : '')
      return sent.length === expected.length && timingSafeEqual(sent, expected)
    },
  }
}
