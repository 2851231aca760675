import { closestMatches } from '../core/text/suggest.js'
import { UserFacingError } from '../core/user-facing-error.js'

/** A text that is no value of a filter, an option or a parameter: what was found and what is allowed, without a full stop. */
export class FilterError extends UserFacingError {
  constructor(
    readonly parameter: string,
    message: string,
    readonly status: 400 | 404 | 409 = 400,
    readonly suggestions: readonly string[] = [],
  ) {
    super(message)
  }
}

/** The error of a value that is none of the allowed ones. */
export function unknownValue(name: string, text: string, allowed: readonly string[]): FilterError {
  const suggestions = closestMatches(text, allowed)
  const hint = suggestions[0] === undefined ? '' : ` Did you mean ${suggestions[0]}?`
  const list = allowed.length === 0 ? 'there is none yet' : allowed.slice(0, MAX_LISTED).join(', ')
  return new FilterError(name, `${name} "${text.slice(0, 60)}" is not known.${hint} Allowed: ${list}`, 400, suggestions)
}

const MAX_LISTED = 40
