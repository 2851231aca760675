import { HttpError } from './http/errors.js'

const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/

/** The moment of the parameter `as_of`, like `parseMoment`. */
export const parseAsOf = (text: string | undefined, now: Date): Date | undefined => parseMoment('as_of', text, now)

/**
 * The moment of a parameter: a date means the end of that day in UTC, a time without an offset is UTC. Undefined without the
 * parameter, and for a moment that is not past yet: the current state.
 * @throws HttpError 400 for anything else
 */
export function parseMoment(name: string, text: string | undefined, now: Date): Date | undefined {
  if (text === undefined) return undefined
  const iso = DATE.test(text)
    ? `${text}T23:59:59.999Z`
    : TIME.test(text)
      ? `${text.replace(' ', 'T')}${/(Z|[+-]\d{2}:\d{2})$/.test(text) ? '' : 'Z'}`
      : ''
  const moment = new Date(iso)
  // `Date` would move a date such as 2026-02-30 into March.
  const exists = new Date(`${text.slice(0, 10)}T00:00:00Z`).toJSON()?.startsWith(text.slice(0, 10)) === true
  if (Number.isNaN(moment.getTime()) || !exists)
    throw new HttpError(
      400,
      `${name}=${JSON.stringify(text.slice(0, 60))} is not a moment; use 2026-01-31 or 2026-01-31T12:00Z`,
    )
  return moment < now ? moment : undefined
}
