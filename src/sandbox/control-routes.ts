import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { isLoopbackHostHeader } from '../domain/loopback.js'
import { operations } from './api-routes.js'
import type { Stage } from './api-server.js'
import { parseFault } from './fault-controller.js'
import { type Answer, errorAnswer, jsonAnswer } from './operation-handlers.js'
import { mergePatch } from './reply-changes.js'
import { send } from './reply-writers.js'
import { summarizeWorld } from './world-summary.js'

/** Where the sandbox itself is steered; no path of the marketplace begins so. */
export const CONTROL = '/_sandbox'

/** A steering request, read. */
interface Order extends Stage {
  /** What the path's pattern caught. */
  caught: string[]
  query: URLSearchParams
  /** Parsed JSON; undefined for none. */
  body: unknown
}
type Lever = readonly [method: string, path: RegExp, pull: (order: Order) => unknown]

const moment = z.iso.datetime().transform((text) => new Date(text))
const advanceBody = z.union([z.strictObject({ to: moment }), z.strictObject({ byMs: z.number().nonnegative() })])
const clockBody = z.strictObject({ now: moment.nullable() })
const patchBody = z.record(z.string(), z.unknown())
const requestQuery = z.strictObject({
  operation: z.enum(operations).optional(),
  limit: z.coerce.number().int().positive().optional(),
})

const levers: readonly Lever[] = [
  ['GET', /^\/?$/, summarize],
  ['GET', /^\/requests$/, showRequests],
  ['DELETE', /^\/requests$/, ({ log }) => log.reset()],
  ['GET', /^\/faults$/, ({ faults }) => ({ items: faults.list() })],
  ['POST', /^\/faults$/, ({ faults, body }) => ({ id: faults.add(parseFault(body)).id })],
  ['DELETE', /^\/faults$/, ({ faults }) => faults.clear()],
  ['DELETE', /^\/faults\/(\d+)$/, removeFault],
  ['POST', /^\/advance$/, advanceTime],
  ['PUT', /^\/clock$/, ({ clock, body }) => clock.set(clockBody.parse(body).now)],
  [
    'POST',
    /^\/channels\/([^/]+)\/([^/]+)\/listings$/,
    ({ world, caught, body }) => world.addListing(ref(caught), given(body)),
  ],
  ['POST', /^\/channels\/([^/]+)\/([^/]+)\/rfqs$/, ({ world, caught, body }) => world.addRfq(ref(caught), given(body))],
  [
    'POST',
    /^\/rfqs\/([^/]+)\/responses$/,
    ({ world, caught, body }) => world.addResponse(caught[0] ?? '', given(body)),
  ],
  ['PATCH', /^\/listings\/([^/]+)$/, ({ world, caught, body }) => world.changeListing(caught[0] ?? '', patch(body))],
  ['PATCH', /^\/rfqs\/([^/]+)$/, ({ world, caught, body }) => world.changeRfq(caught[0] ?? '', patch(body))],
  ['PATCH', /^\/responses\/([^/]+)$/, ({ world, caught, body }) => world.changeResponse(caught[0] ?? '', patch(body))],
  ['DELETE', /^\/listings\/([^/]+)$/, ({ world, caught }) => world.removeListing(caught[0] ?? '')],
  ['DELETE', /^\/rfqs\/([^/]+)$/, ({ world, caught }) => world.removeRfq(caught[0] ?? '')],
  ['DELETE', /^\/responses\/([^/]+)$/, ({ world, caught }) => world.removeResponse(caught[0] ?? '')],
]

/** Answers a request below `CONTROL`. Never throws for what a client sends. */
export async function steer(stage: Stage, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = isForeign(request)
    ? errorAnswer(403, 'Only from this machine, and not from a web page')
    : await obey(stage, request)
  send({ response, answer, date: new Date().toUTCString() })
}

/** A web page that was opened on this machine must not steer the sandbox, by name (rebinding) or by form. */
function isForeign({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined || !isLoopbackHostHeader(headers.host)
}

async function obey(stage: Stage, request: IncomingMessage): Promise<Answer> {
  const url = new URL(request.url ?? '', 'http://sandbox')
  const path = url.pathname.slice(CONTROL.length)
  const fitting = levers.filter(([, pattern]) => pattern.test(path))
  const lever = fitting.find(([method]) => method === request.method)
  if (!lever) return errorAnswer(fitting.length > 0 ? 405 : 404, `No such control: ${request.method} ${path}`)
  try {
    const caught = (lever[1].exec(path) ?? []).slice(1).map(decodeURIComponent)
    const result = lever[2]({ ...stage, caught, query: url.searchParams, body: await readBody(request) })
    return result === undefined ? { status: 204, body: Buffer.alloc(0) } : jsonAnswer(200, result)
  } catch (error) {
    return explain(error)
  }
}

function explain(error: unknown): Answer {
  if (error instanceof z.ZodError) return errorAnswer(400, z.prettifyError(error))
  if (error instanceof RangeError) return errorAnswer(404, error.message)
  return errorAnswer(400, (error as Error).message)
}

const MOST_BYTES = 4 * 2 ** 20

async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > MOST_BYTES) throw new Error(`The body has more than ${MOST_BYTES} bytes`)
    parts.push(part)
  }
  const text = Buffer.concat(parts).toString()
  return text === '' ? undefined : JSON.parse(text)
}

function summarize({ world, log, faults, clock }: Order) {
  const requests = { total: log.total, inFlight: log.inFlight, peak: log.peak }
  return {
    ...summarizeWorld(world),
    clock: clock.now(),
    reached: world.reached,
    requests,
    faults: faults.list().length,
  }
}

function showRequests({ log, query }: Order) {
  const { operation, limit } = requestQuery.parse(Object.fromEntries(query))
  const items = log.entries.filter((entry) => operation === undefined || entry.operation === operation)
  return { items: limit === undefined ? items : items.slice(-limit) }
}

function removeFault({ faults, caught }: Order): void {
  if (!faults.remove(Number(caught[0]))) throw new RangeError(`No fault ${caught[0]} is in force`)
}

function advanceTime({ clock, advance, body }: Order) {
  const order = advanceBody.parse(body)
  const to = 'to' in order ? order.to : new Date(clock.now().getTime() + order.byMs)
  const happened = advance(to)
  return { now: clock.now(), happened }
}

const ref = ([org = '', channel = '']: string[]) => ({ org, channel })
const given = (body: unknown) => (body === undefined ? {} : patchBody.parse(body))
/** A merge patch as a change. The document may become anything: odd documents are what tests are for. */
const patch = (body: unknown) => {
  const changes = patchBody.parse(body)
  return <T>(document: T): T => mergePatch(document, changes) as T
}
