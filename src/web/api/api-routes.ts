import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toHttpError } from '../http/errors.js'
import type { WebPlugin } from '../plugin.js'
import type { ActionDeps, ActionOperation } from './actions.js'
import { openApiDocument } from './openapi.js'
import { type Operation, parseValues } from './operation.js'
import { AWARD_OPERATIONS } from './operations/award-operations.js'
import { WORK_OPERATIONS } from './operations/work-operations.js'
import { API_PREFIX, PROBLEM_TYPE, type ProblemDocument, problemOf, toProblem } from './problem.js'
import { READ_OPERATIONS } from './read.js'

const ACTIONS: readonly ActionOperation[] = [...AWARD_OPERATIONS, ...WORK_OPERATIONS]
/** Every operation of the API, in the order of its document. */
export const OPERATIONS: readonly Operation[] = [...READ_OPERATIONS, ...ACTIONS]

export interface ApiOptions extends ActionDeps {
  /** Called with unexpected errors; the client gets no details. */
  onError: (error: unknown) => void
}

/** The HTTP API (docs/API.md). */
export const apiRoutes =
  (options: ApiOptions): WebPlugin =>
  async (app) => {
    await app.register(async (api) => addOperations(api, options), { prefix: API_PREFIX })
  }

function addOperations(api: FastifyInstance, options: ApiOptions): void {
  api.setErrorHandler((error: Error, _request, reply) => sendError(reply, error, options.onError))
  api.setNotFoundHandler((request, reply) => sendProblem(reply, notFound(request)))
  // Bodies are JSON only.
  api.removeContentTypeParser(['text/plain', 'application/x-www-form-urlencoded'])
  let document: ReturnType<typeof openApiDocument> | undefined
  api.get('/openapi.json', () => {
    document ??= openApiDocument(OPERATIONS)
    return document
  })
  for (const operation of READ_OPERATIONS)
    api.get(urlOf(operation), async ({ params, query }, reply) => {
      const request = { path: params as Values, query: query as Values, now: options.now() }
      const answer = await options.reader.apiRead(operation.id, request)
      if ('problem' in answer) return sendProblem(reply, answer.problem)
      return reply.type('application/json; charset=utf-8').send(answer.json)
    })
  for (const operation of ACTIONS) addAction(api, operation, options)
}

type Values = Record<string, string>

const urlOf = ({ path }: Operation) => path.replace(/\{(\w+)\}/g, ':$1')

function addAction(api: FastifyInstance, operation: ActionOperation, deps: ApiOptions): void {
  const { method, status = 200, query, body: schema } = operation
  api.route({
    method,
    url: urlOf(operation),
    async handler({ params, query: values, body: sent = {}, user }, reply) {
      parseValues(query, values, 'query')
      const body = schema && parseValues(schema, sent, 'body')
      const result = await operation.handle({ path: params as Values, body, user, deps })
      const { href } = Object(result) as { href?: unknown }
      if (status === 202 && typeof href === 'string') reply.header('location', href)
      return reply.code(status).send(result)
    },
  })
}

const notFound = ({ method }: FastifyRequest): ProblemDocument =>
  toProblem(404, `there is no ${method} at this path; ${API_PREFIX}/openapi.json describes all operations`)

/** Answers an error with a problem document; details of unexpected ones go to the log only. */
export function sendError(reply: FastifyReply, cause: Error, onError: (error: unknown) => void): FastifyReply {
  const problem = problemOf(cause)
  if (problem !== null) return sendProblem(reply, problem)
  const { statusCode, message, headers } = toHttpError(cause, onError)
  return sendProblem(reply.headers(headers), toProblem(statusCode, message))
}

const sendProblem = (reply: FastifyReply, problem: ProblemDocument): FastifyReply =>
  // As text, because the handler of unknown paths would serialize an object in another way.
  reply
    .code(problem.status)
    .type(PROBLEM_TYPE)
    .send(`${JSON.stringify(problem)}\n`)
