import { INVISIBLE } from './invisible-characters.js'

export const MAX_NAME_LENGTH = 100

/** Characters that are not shown, not assigned, or for private use. */
const HIDDEN = new RegExp(`[${INVISIBLE}]|\\p{C}`, 'u')

/** Why a text cannot be recorded as the name of a person, such as `is empty`; null if it can. */
export function nameProblem(text: string): string | null {
  if (text.trim() === '') return 'is empty'
  if (text.length > MAX_NAME_LENGTH) return `is longer than ${MAX_NAME_LENGTH} characters`
  return HIDDEN.test(text) ? 'has characters that are not shown' : null
}
