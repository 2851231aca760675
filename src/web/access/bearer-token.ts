import { createHash, timingSafeEqual } from 'node:crypto'

/** The token of an Authorization header `Bearer …`; null without one. */
export const bearerToken = (header: string | undefined): string | null =>
  /^Bearer (.+)$/i.exec(header ?? '')?.[1] ?? null

/** Whether two texts are equal. Takes the same time wherever they differ. */
export const equalInConstantTime = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))
const digest = (text: string) => createHash('sha256').update(text).digest()
