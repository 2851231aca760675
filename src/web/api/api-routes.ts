import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { scrubTexts } from '../../core/text/secret-scrubber.js'
import { HttpError, toResponseError } from '../http/errors.js'
import type { WebPlugin } from '../plugin.js'
import { ACTION_ENDPOINTS, type ActionDeps, type ActionEndpoint } from './actions.js'
import { AWARD_ENDPOINTS } from './award-endpoints.js'
import { type Operation, parseBody, parseQuery, type ReadEndpoint } from './endpoint.js'
import { openApiDocument } from './openapi.js'
import { API_PREFIX, PROBLEM_TYPE, ProblemError, toProblem } from './problem.js'
import { READ_ENDPOINTS } from './read.js'

const ACTIONS = [...ACTION_ENDPOINTS, ...AWARD_ENDPOINTS]
/** Every operation of the API, in the order of its document. */
export const ENDPOINTS: readonly Operation[] = [...READ_ENDPOINTS, ...ACTIONS]

export interface ApiOptions extends ActionDeps {
  /** Removes secrets from a text. */
  scrub: (text: string) => string
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
    sendProblem(reply, notFound(api, request, reply), options.onError)
  })
  // Bodies are JSON only.
  api.removeContentTypeParser(['text/plain', 'application/x-www-form-urlencoded'])
  let document: ReturnType<typeof openApiDocument> | undefined
  api.get('/openapi.json', () => {
    document ??= openApiDocument(ENDPOINTS)
    return document
  })
  for (const endpoint of READ_ENDPOINTS) addReadEndpoint(api, endpoint, options)
  for (const endpoint of ACTIONS) addActionEndpoint(api, endpoint, options)
}

const urlOf = ({ path }: Operation) => path.replace(/\{(\w+)\}/g, ':$1')
const pathOf = ({ params }: FastifyRequest) => params as Record<string, string>
const parameters = (endpoint: Operation, { query }: FastifyRequest, { suggest }: ApiOptions) =>
  parseQuery(endpoint, query as Record<string, unknown>, suggest)

function addReadEndpoint(api: FastifyInstance, endpoint: ReadEndpoint, options: ApiOptions): void {
  api.get(urlOf(endpoint), async (request, reply) => {
    const query = parameters(endpoint, request, options)
    const answer = await options.reader.apiRead(endpoint.id, { path: pathOf(request), query, now: options.now() })
    if ('problem' in answer) throw new ProblemError(answer.problem.status, answer.problem.detail, answer.problem.more)
    const json = endpoint.quotesErrors
      ? JSON.stringify(JSON.parse(answer.json), scrubTexts(options.scrub))
      : answer.json
    return reply.type('application/json; charset=utf-8').send(json)
  })
}

function addActionEndpoint(api: FastifyInstance, endpoint: ActionEndpoint, options: ApiOptions): void {
  const { method, status = 200 } = endpoint
  api.route({
    method,
    url: urlOf(endpoint),
    async handler(request, reply) {
      parameters(endpoint, request, options)
      const body = parseBody(endpoint.body, request.body)
      const { 'idempotency-key': key } = request.headers
      const idempotencyKey = Array.isArray(key) ? key.join() : key
      const call = { path: pathOf(request), body, user: request.user, idempotencyKey, deps: options }
      const result = await endpoint.handle(call)
      const { href } = Object(result) as { href?: unknown }
      if (status === 202 && typeof href === 'string') reply.header('location', href)
      return reply.code(status).send(result)
    },
  })
}

function notFound(app: FastifyInstance, { method, url }: FastifyRequest, reply: FastifyReply): ProblemError {
  const allowed = app.allowedMethods(url)
  if (allowed.length === 0 || allowed.includes(method))
    return new ProblemError(404, `there is nothing at this path; ${API_PREFIX}/openapi.json describes all operations`)
  reply.header('allow', allowed.join(', '))
  return new ProblemError(405, `${method} is not possible here; allowed: ${allowed.join(', ')}`)
}

/** Answers an error with a problem document; details of unexpected ones go to the log only. */
export function sendProblem(reply: FastifyReply, cause: Error, onError: (error: unknown) => void): void {
  const error: Error & { statusCode?: number; headers?: unknown } = toResponseError(cause, onError)
  const status = error.statusCode ?? 500
  const isUnexpected = status >= 500 && !(error instanceof HttpError)
  if (isUnexpected) onError(error)
  const detail = isUnexpected ? 'internal error; see the log' : error.message
  const headers = Object(error.headers) as Record<string, string>
  void reply
    .headers(headers)
    .code(status)
    .type(PROBLEM_TYPE)
    // As text, because the handler of unknown paths would serialize an object in another way.
    .send(`${JSON.stringify(toProblem(status, detail, error instanceof ProblemError ? error.more : {}))}\n`)
}
