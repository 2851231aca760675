import type { FastifyInstance } from 'fastify'
import { HttpError } from './errors.js'

/** Levels of nesting in a body: far more than any operation takes. */
const MAX_DEPTH = 32

/**
 * Answers 400 to every request whose address or body contains the character NUL, or whose body is nested too deeply, before its route sees
 * it: PostgreSQL rejects NUL in the parameters of a query, file systems reject it in a path, and recursive functions run out of stack.
 */
export function checkRequestValues(app: FastifyInstance): void {
  app.addHook('preValidation', async ({ params, query, body }) => {
    for (const [place, value] of Object.entries({ path: params, query, body })) check(value, place)
  })
}

/** @throws HttpError 400 */
function check(value: unknown, place: string, depth = 0): void {
  if (typeof value === 'string' && value.includes('\0'))
    throw new HttpError(
      400,
      `the ${place} contains the character NUL (%00 or \\u0000), which is not allowed; remove it`,
    )
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_DEPTH) throw new HttpError(400, `the ${place} is nested deeper than ${MAX_DEPTH} levels`)
  for (const [name, member] of Object.entries(value)) {
    check(name, place)
    check(member, place, depth + 1)
  }
}
