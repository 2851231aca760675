import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { UserFacingError } from '../../core/user-facing-error.js'
import type { FilterError } from '../../tables/filter-error.js'

/** A problem document (RFC 9457). */
export const problemDocument = z
  .strictObject({
    type: z.literal('about:blank'),
    title: z.string().describe('The status as text.'),
    status: z.int(),
    detail: z.string().describe('What was found, what was expected, and what to do.'),
    errors: z
      .array(
        z.strictObject({
          name: z.string().describe('The parameter, the header, or the member of the body, such as `ids.0`.'),
          detail: z.string(),
        }),
      )
      .optional()
      .describe('Every value that is not valid.'),
    suggestions: z.array(z.string()).optional().describe('Known names that are close to an unknown one.'),
  })
  .meta({ id: 'Problem' })
export type ProblemDocument = z.infer<typeof problemDocument>
/** What is wrong with one value of a request. */
export type InvalidValue = NonNullable<ProblemDocument['errors']>[number]

/** Where the API begins. */
export const API_PREFIX = '/api/v1'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** The problem document of a status. */
export const toProblem = (
  status: number,
  detail: string,
  more: Pick<ProblemDocument, 'errors' | 'suggestions'> = {},
): ProblemDocument => ({ type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, ...more })

/** An error that is answered with a problem document. */
export class ProblemError extends UserFacingError {
  readonly statusCode: number
  readonly document: ProblemDocument
  constructor(...problem: Parameters<typeof toProblem>) {
    super(problem[1])
    this.document = toProblem(...problem)
    this.statusCode = this.document.status
  }
}

/** The problem document of an error that is the client's; null for any other error. */
export function problemOf(error: unknown): ProblemDocument | null {
  if (error instanceof ProblemError) return error.document
  // By name, because an error of another thread is a copy.
  if ((error as Error).name !== 'FilterError') return null
  const { parameter: name, message: detail, status, suggestions } = error as FilterError
  return toProblem(status, detail, { errors: [{ name, detail }], ...close(suggestions) })
}

const close = (names: readonly string[]) => (names.length === 0 ? {} : { suggestions: [...names] })

/** The error for values that are not valid; it names each of them. */
export const invalidValues = (errors: InvalidValue[]): ProblemError => {
  const named = errors.map(({ name, detail }) => (name === '' ? detail : `${name}: ${detail}`))
  return new ProblemError(400, named.join('; ').slice(0, 1_000), { errors })
}

/** The error for an unknown name, with the closest known ones. */
export function unknownName(what: string, name: string, suggestions: readonly string[] = []): ProblemError {
  const hint = suggestions.length > 0 ? `; did you mean ${suggestions.join(', ')}?` : ''
  const detail = `${what} ${JSON.stringify(name.slice(0, 80))} is not known${hint}`
  return new ProblemError(404, detail, close(suggestions))
}
