import { createHash, timingSafeEqual } from 'node:crypto'

/** `viewer` reads; `operator` may also make reports and change things. */
export type Role = 'viewer' | 'operator'

/** Who sent a request. */
export interface User {
  name: string
  role: Role
}

/** Who may use a route. `public`: everyone who can reach the server. */
export type RouteAccess = 'public' | Role

/** Whether a user may use a route. Null: an unknown user. */
export const mayUse = (user: User | null, access: RouteAccess): boolean =>
  access === 'public' || (user !== null && (access === 'viewer' || user.role === 'operator'))

/** A user with the token that proves who they are. */
export interface AccessToken {
  name: string
  role: Role
  token: string
}

/** The token of an Authorization header `Bearer …`; null without one. */
export const bearerToken = (header: string | undefined): string | null =>
  /^Bearer (.+)$/i.exec(header ?? '')?.[1] ?? null

/** The owner of a token; null if there is none. Takes constant time. */
export function ownerOf(text: string, tokens: readonly AccessToken[]): User | null {
  const sent = digest(text)
  let owner: User | null = null
  for (const { name, role, token } of tokens) if (timingSafeEqual(sent, digest(token))) owner ??= { name, role }
  return owner
}

/** Takes the same time whatever the texts are. */
export const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (text: string) => createHash('sha256').update(text).digest()
