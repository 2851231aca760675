import { STATUS_CODES } from 'node:http'
import { z } from 'zod'

/** What is wrong with one value of a request. */
const invalidValue = z.strictObject({
  in: z.enum(['query', 'path', 'body', 'header']),
  name: z.string().describe('The parameter, or the member of the body, such as `requirements.priceMax`.'),
  detail: z.string(),
})
export type InvalidValue = z.infer<typeof invalidValue>

/** A problem document (RFC 9457). */
export const problemDocument = z
  .strictObject({
    type: z.literal('about:blank'),
    title: z.string().describe('The status as text.'),
    status: z.int(),
    detail: z.string().describe('What was found, what was expected, and what to do.'),
    errors: z.array(invalidValue).optional().describe('Every value that is not valid.'),
    suggestions: z.array(z.string()).optional().describe('Known names that are close to an unknown one.'),
  })
  .meta({ id: 'Problem' })
export type ProblemDocument = z.infer<typeof problemDocument>

/** Where the API begins. */
export const API_PREFIX = '/api/v1'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** What a problem document says. */
export interface ProblemText {
  status: number
  detail: string
  more: Pick<ProblemDocument, 'errors' | 'suggestions'>
}

/** An error that is answered with a problem document. */
export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly statusCode: number
  readonly more: ProblemText['more']
  constructor(statusCode: number, detail: string, more: ProblemText['more'] = {}) {
    super(detail)
    this.statusCode = statusCode
    this.more = more
  }
}

/** The problem document of a status. */
export const toProblem = (
  status: number,
  detail: string,
  more: Pick<ProblemDocument, 'errors' | 'suggestions'> = {},
): ProblemDocument => ({ type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, ...more })

/** An unknown name, with the closest known ones. */
export function unknownName(what: string, name: string, suggestions: readonly string[], where = ''): ProblemError {
  const hint = suggestions.length > 0 ? `; did you mean ${suggestions.join(', ')}?` : ''
  return new ProblemError(404, `${what} ${JSON.stringify(name.slice(0, 80))} is not known${where}${hint}`, {
    ...(suggestions.length > 0 && { suggestions: [...suggestions] }),
  })
}
