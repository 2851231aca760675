import type { FastifyInstance } from 'fastify'
import { HttpError } from './errors.js'

/** Answers errors as `{"error": message}`. Details of unexpected ones go to the log only. */
export function addErrorResponses(app: FastifyInstance, onError: (error: unknown) => void): void {
  const allowedMethods = collectMethods(app)
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500
    if (status < 500) return reply.code(status).send({ error: error.message })
    onError(error)
    return reply.code(500).send({ error: 'internal error; see the log' })
  })
  app.setNotFoundHandler(async ({ method, url }, reply) => {
    if (!url.startsWith('/')) throw new HttpError(400, 'invalid request address')
    const allowed = allowedMethods(url)
    if (allowed.length === 0 || allowed.includes(method)) throw new HttpError(404, 'not found')
    reply.header('allow', allowed.join(', '))
    throw new HttpError(405, 'method not allowed')
  })
}

/** Remembers every route; returns which methods the routes of an address accept. */
function collectMethods(app: FastifyInstance): (url: string) => string[] {
  const routes: { pattern: RegExp; methods: string[] }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ pattern: patternOf(url), methods: [method].flat() })
  })
  return (url) => {
    const path = url.replace(/[?#].*$/, '')
    return [...new Set(routes.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : [])))].sort()
  }
}

/** The pattern of a route as a regular expression: `:name` is one segment, `*` the rest. */
const patternOf = (url: string) =>
  new RegExp(
    `^${url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:[^/]+/g, '[^/]+')
      .replace(/\*/g, '.*')}$`,
  )
