import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WebPlugin } from '../plugin.js'
import { type ApiDeps, type Endpoint, parseBody, parseQuery } from './endpoint.js'
import { listEndpoints } from './endpoints/list-endpoints.js'
import { rfqEndpoints } from './endpoints/rfq-endpoints.js'
import { etagOf, matchesEtag, type TaggedJson } from './etag.js'
import { openApiDocument } from './openapi.js'
import { API_PREFIX, PROBLEM_TYPE, ProblemError, toProblem } from './problem.js'
import { isSettingName } from './what-if.js'

/** Every operation of the API, in the order of its document. */
export const ENDPOINTS: readonly Endpoint[] = [...listEndpoints, ...rfqEndpoints]

export interface ApiOptions extends ApiDeps {
  /** Called with unexpected errors; the client gets no details. */
  onError: (error: unknown) => void
}

/** The HTTP API (docs/API.md). */
export const apiRoutes =
  (options: ApiOptions): WebPlugin =>
  async (app) => {
    await app.register(async (api) => addEndpoints(api, options), { prefix: API_PREFIX })
  }

function addEndpoints(api: FastifyInstance, options: ApiOptions): void {
  api.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    sendProblem(reply, error, options.onError)
  })
  api.setNotFoundHandler((request, reply) => {
    sendProblem(reply, notFound(request, reply), options.onError)
  })
  api.addHook('onSend', async (request, reply, payload) => answerIfChanged(request, reply, payload))
  const document = openApiDocument(ENDPOINTS)
  api.get('/openapi.json', () => document)
  for (const endpoint of ENDPOINTS) addEndpoint(api, endpoint, options)
}

function addEndpoint(api: FastifyInstance, endpoint: Endpoint, deps: ApiDeps): void {
  const { method, path, status = 200 } = endpoint
  api.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    async handler(request, reply) {
      const names = { suggest: deps.suggest, isSetting: isSettingName }
      const query = parseQuery(endpoint, request.query as Record<string, unknown>, names)
      const body = parseBody(endpoint.body, request.body)
      const { user, headers } = request
      const result = await endpoint.handle({
        path: request.params as Record<string, string>,
        query,
        body,
        user,
        headers,
        deps,
      })
      if (!endpoint.tagged) return reply.code(status).send(result)
      const { json, etag } = result as TaggedJson
      return reply.header('etag', etag).type('application/json; charset=utf-8').send(json)
    },
  })
}

/** Adds an entity tag to what was read, and answers 304 if the client has the same already. */
function answerIfChanged(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (!['GET', 'HEAD'].includes(request.method) || reply.statusCode !== 200 || typeof payload !== 'string')
    return payload
  const etag = String(reply.getHeader('etag') ?? etagOf(payload))
  reply.header('etag', etag).header('cache-control', 'private, no-cache')
  if (!matchesEtag(request.headers['if-none-match'], etag)) return payload
  reply.code(304).removeHeader('content-length').removeHeader('content-type')
  return ''
}

function notFound({ method, url }: FastifyRequest, reply: FastifyReply): ProblemError {
  const path = url.slice(API_PREFIX.length).replace(/[?#].*$/, '')
  const methods = ENDPOINTS.filter((endpoint) => patternOf(endpoint.path).test(path)).map((endpoint) => endpoint.method)
  if (methods.length === 0)
    return new ProblemError(404, `there is nothing at this path; ${API_PREFIX}/openapi.json describes all operations`)
  const allowed = methods.includes('GET') ? ['HEAD', ...methods] : methods
  reply.header('allow', allowed.sort().join(', '))
  return new ProblemError(405, `${method} is not possible here; allowed: ${allowed.join(', ')}`)
}

const patternOf = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)

/** Names of errors from the store that are mistakes of the client. */
const CLIENT_ERRORS = new Set(['InvalidCursorError'])

/** Answers an error with a problem document; details of unexpected ones go to the log only. */
export function sendProblem(
  reply: FastifyReply,
  error: Error & { statusCode?: number; headers?: unknown },
  onError: (error: unknown) => void,
): void {
  const status = error.statusCode ?? (CLIENT_ERRORS.has(error.name) ? 400 : 500)
  if (status >= 500) onError(error)
  const detail = status >= 500 ? 'internal error; see the log' : error.message
  const headers = Object(error.headers) as Record<string, string>
  void reply
    .headers(headers)
    .code(status)
    .type(PROBLEM_TYPE)
    .send(toProblem(status, detail, error instanceof ProblemError ? error.more : {}))
}
