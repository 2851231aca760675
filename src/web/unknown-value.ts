import { HttpError } from './http/errors.js'

/** The candidates that are close to a text, best first. */
export type Suggest = (text: string, candidates: readonly string[]) => string[]

/** At most so many known values are listed. */
const MAX_LISTED = 40

/** The answer to a parameter whose value is none of the known ones: it names the value, the closest known one, and all. */
export function unknownValue(name: string, value: string, known: readonly string[], suggest: Suggest): HttpError {
  const text = value.slice(0, 60)
  const [close] = suggest(text, known)
  const hint = close === undefined ? '' : ` did you mean ${close}?`
  const more = known.length > MAX_LISTED ? ', …' : ''
  const list = known.length === 0 ? 'nothing' : `${known.slice(0, MAX_LISTED).join(', ')}${more}`
  return new HttpError(400, `${name}=${JSON.stringify(text)} is not known;${hint} allowed: ${list}`)
}
