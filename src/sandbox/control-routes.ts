import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { isLoopbackHostHeader } from '../core/requests/loopback.js'
import { operations } from './api-routes.js'
import type { SandboxContext } from './api-server.js'
import { parseFault } from './faults/fault-controller.js'
import { send } from './faults/reply-writers.js'
import { mergePatch } from './merge-patch.js'
import { errorReply, jsonReply, methodNotAllowed, type Reply } from './reply.js'
import { summarizeWorld } from './world/world-summary.js'

/** Paths that control the sandbox itself; no marketplace path begins with this. */
export const CONTROL_PREFIX = '/_sandbox'

/** A parsed control request. */
interface ControlRequest extends SandboxContext {
  /** The groups captured by the route's pattern. */
  params: string[]
  query: URLSearchParams
  /** Parsed JSON; undefined if there is no body. */
  body: unknown
}
type ControlRoute = readonly [method: string, path: RegExp, handler: (request: ControlRequest) => unknown]

const moment = z.iso.datetime().transform((text) => new Date(text))
const advanceBody = z.union([z.strictObject({ to: moment }), z.strictObject({ byMs: z.number().nonnegative() })])
const clockBody = z.strictObject({ now: moment.nullable() })
const patchBody = z.record(z.string(), z.unknown())
const requestQuery = z.strictObject({
  operation: z.enum(operations).optional(),
  limit: z.coerce.number().int().positive().optional(),
})

const LISTINGS = /^\/channels\/([^/]+)\/([^/]+)\/listings$/
const RFQS = /^\/channels\/([^/]+)\/([^/]+)\/rfqs$/
const RESPONSES = /^\/rfqs\/([^/]+)\/responses$/
const LISTING = /^\/listings\/([^/]+)$/
const RFQ = /^\/rfqs\/([^/]+)$/
const RESPONSE = /^\/responses\/([^/]+)$/

const controlRoutes: readonly ControlRoute[] = [
  ['GET', /^\/?$/, summarize],
  ['GET', /^\/keys$/, ({ world }) => world.keys],
  ['GET', /^\/requests$/, listRequests],
  ['DELETE', /^\/requests$/, ({ log }) => log.reset()],
  ['GET', /^\/faults$/, ({ faults }) => ({ items: faults.list() })],
  ['POST', /^\/faults$/, ({ faults, body }) => ({ id: faults.add(parseFault(body)).id })],
  ['DELETE', /^\/faults$/, ({ faults }) => faults.clear()],
  ['DELETE', /^\/faults\/(\d+)$/, removeFault],
  ['POST', /^\/advance$/, advanceTime],
  ['PUT', /^\/clock$/, ({ clock, body }) => clock.set(clockBody.parse(body).now)],
  ['POST', LISTINGS, ({ world, params, body }) => world.addListing(channelRef(params), givenMembers(body))],
  ['POST', RFQS, ({ world, params, body }) => world.addRfq(channelRef(params), givenMembers(body))],
  ['POST', RESPONSES, ({ world, params, body }) => world.addResponse(params[0] ?? '', givenMembers(body))],
  ['PATCH', LISTING, ({ world, params, body }) => world.changeListing(params[0] ?? '', patchChange(body))],
  ['PATCH', RFQ, ({ world, params, body }) => world.changeRfq(params[0] ?? '', patchChange(body))],
  ['PATCH', RESPONSE, ({ world, params, body }) => world.changeResponse(params[0] ?? '', patchChange(body))],
  ['DELETE', LISTING, ({ world, params }) => world.removeListing(params[0] ?? '')],
  ['DELETE', RFQ, ({ world, params }) => world.removeRfq(params[0] ?? '')],
  ['DELETE', RESPONSE, ({ world, params }) => world.removeResponse(params[0] ?? '')],
]

/** Serves a request below `CONTROL_PREFIX`. Never throws because of what a client sends. */
export async function serveControl(
  context: SandboxContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = isForeign(request)
    ? errorReply(403, 'Only allowed from this machine, and not from a web page')
    : await handle(context, request)
  send({ response, reply, date: new Date().toUTCString() })
}

/** A web page opened on this machine must not control the sandbox, by DNS rebinding or by a form. */
function isForeign({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined || !isLoopbackHostHeader(headers.host)
}

async function handle(context: SandboxContext, request: IncomingMessage): Promise<Reply> {
  const url = new URL(request.url ?? '', 'http://sandbox')
  const path = url.pathname.slice(CONTROL_PREFIX.length)
  const matching = controlRoutes.filter(([, pattern]) => pattern.test(path))
  const route = matching.find(([method]) => method === request.method)
  if (!route && matching.length > 0) return methodNotAllowed(matching.map(([method]) => method))
  if (!route) return errorReply(404, `Unknown control request: ${request.method} ${path}`)
  const [, pattern, handler] = route
  try {
    const params = (pattern.exec(path) ?? []).slice(1).map(decodeURIComponent)
    const result = handler({ ...context, params, query: url.searchParams, body: await readBody(request) })
    return result === undefined ? { status: 204, body: Buffer.alloc(0) } : jsonReply(200, result)
  } catch (error) {
    return replyToError(error)
  }
}

function replyToError(error: unknown): Reply {
  if (error instanceof z.ZodError) return errorReply(400, z.prettifyError(error))
  if (error instanceof RangeError) return errorReply(404, error.message)
  return errorReply(400, (error as Error).message)
}

const MAX_BODY_BYTES = 4 * 2 ** 20

async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > MAX_BODY_BYTES) throw new Error(`The body is larger than ${MAX_BODY_BYTES} bytes`)
    parts.push(part)
  }
  const text = Buffer.concat(parts).toString()
  return text === '' ? undefined : JSON.parse(text)
}

function summarize({ world, log, faults, clock }: ControlRequest) {
  const requests = { total: log.total, inFlight: log.inFlight, peak: log.peak }
  return {
    ...summarizeWorld(world),
    clock: clock.now(),
    reached: world.simulatedUntil,
    requests,
    faults: faults.list().length,
  }
}

function listRequests({ log, query }: ControlRequest) {
  const { operation, limit } = requestQuery.parse(Object.fromEntries(query))
  const items = log.entries.filter((entry) => operation === undefined || entry.operation === operation)
  return { items: limit === undefined ? items : items.slice(-limit) }
}

function removeFault({ faults, params }: ControlRequest): void {
  if (!faults.remove(Number(params[0]))) throw new RangeError(`Fault ${params[0]} does not exist`)
}

function advanceTime({ clock, advance, body }: ControlRequest) {
  const target = advanceBody.parse(body)
  const to = 'to' in target ? target.to : new Date(clock.now().getTime() + target.byMs)
  const happened = advance(to)
  return { now: clock.now(), happened }
}

const channelRef = ([org = '', channel = '']: string[]) => ({ org, channel })
const givenMembers = (body: unknown) => (body === undefined ? {} : patchBody.parse(body))
/** A merge patch as a change. The result is not validated, because tests also need invalid documents. */
const patchChange = (body: unknown) => {
  const patch = patchBody.parse(body)
  return <T>(document: T): T => mergePatch(document, patch) as T
}
