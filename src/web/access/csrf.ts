import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** CSRF tokens, which forms send back, so that no other website can submit them for the user. */
export interface Csrf {
  /** @param owner the session, or the user without one */
  tokenFor(owner: string): string
  isValid(token: unknown, owner: string): boolean
}

/** Tokens are valid until the process ends. Each has a salt of its own, so that a compressed page does not reveal it by its length. */
export function createCsrf(): Csrf {
  const key = randomBytes(32)
  const sign = (salt: string, owner: string) => createHmac('sha256', key).update(`${salt} ${owner}`).digest('base64url')
  const tokenOf = (salt: string, owner: string) => `${salt}.${sign(salt, owner)}`
  return {
    tokenFor: (owner) => tokenOf(randomBytes(SALT_BYTES).toString('base64url'), owner),
    isValid(token, owner) {
      if (typeof token !== 'string') return false
      const expected = Buffer.from(tokenOf(token.split('.')[0] ?? '', owner))
      const sent = Buffer.from(token)
      return sent.length === expected.length && timingSafeEqual(sent, expected)
    },
  }
}

const SALT_BYTES = 12
