import type { World } from './world/world.js'

export const operations = ['listListings', 'listRfqs', 'readRfq', 'readResponse', 'closeRfq'] as const
export type Operation = (typeof operations)[number]

/** What a request asks for; null where its path does not say it. */
export interface Route {
  /** Null if method and path are none of the five operations. */
  operation: Operation | null
  org: string | null
  channel: string | null
  rfqId: string | null
  responseId: string | null
}

/** A request as received, with the reply sent. */
export interface ReceivedRequest extends Route {
  /** When it was received; always real time. */
  at: Date
  method: string
  /** As sent, with the query. */
  path: string
  /** The request's content length; null if it has none. */
  bodyLength: number | null
  /** Status sent; null until a reply is sent, or if the connection was cut first. */
  status: number | null
  /** Whether the request closed an RFQ. */
  applied: boolean
  /** Kinds of the fault effects applied. */
  faults: string[]
  /** When the reply was handed to the network, real time; null until then. */
  answeredAt: Date | null
}

/** The HTTP reply to a request, before faults are applied. */
export interface Reply {
  status: number
  body: Buffer
  /** In addition to content type, content length and date. */
  headers?: Record<string, string>
}

export const jsonReply = (status: number, value: unknown): Reply => ({
  status,
  body: Buffer.from(JSON.stringify(value) ?? ''),
})

/** The documented error body. The API document does not say what the number in `error` means; here it is the status. */
export const errorReply = (status: number, message: string): Reply =>
  jsonReply(status, { statusCode: status, message, error: status })

const CHANNEL = /^\/v1\/orgs\/([^/]+)\/channels\/([^/]+)/.source
const paths: readonly [operation: Operation, method: string, path: RegExp][] = [
  ['listListings', 'GET', new RegExp(`${CHANNEL}/listings$`)],
  ['listRfqs', 'GET', new RegExp(`${CHANNEL}/rfqs$`)],
  ['readRfq', 'GET', new RegExp(`${CHANNEL}/rfqs/([^/]+)$`)],
  ['readResponse', 'GET', new RegExp(`${CHANNEL}/rfqs/([^/]+)/responses/([^/]+)$`)],
  ['closeRfq', 'POST', new RegExp(`${CHANNEL}/rfqs/([^/]+)/close$`)],
]

/** Finds the operation for a method and a path. The segments of the path are percent-decoded. */
export function findRoute(method: string, url: string): Route {
  const path = url.split('?', 1)[0] ?? ''
  for (const [operation, allowed, pattern] of paths) {
    const found = method === allowed ? pattern.exec(path) : null
    if (!found) continue
    const [org = null, channel = null, rfqId = null, responseId = null] = found.slice(1).map(decode)
    return { operation, org, channel, rfqId, responseId }
  }
  return { operation: null, org: null, channel: null, rfqId: null, responseId: null }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Performs an operation if the key allows it. `closeRfq` changes the world. */
export function performOperation(world: World, route: Route, apiKey: string | undefined): Reply {
  const { operation, org, channel: slug, rfqId } = route
  if (operation === null || org === null || slug === null) return errorReply(404, 'Unknown path or method')
  const channel = world.channel({ org, channel: slug })
  if (!apiKey) return errorReply(401, 'Missing API key: send it in the Authorization header')
  if (!Object.values(world.keys).includes(apiKey)) return errorReply(401, 'Unknown API key')
  if (world.channels.every((each) => each.org !== org)) return errorReply(404, `Organization "${org}" does not exist`)
  if (world.keys[org] !== apiKey) return errorReply(403, `The API key has no access to organization "${org}"`)
  if (!channel) return errorReply(404, `Channel "${slug}" does not exist in organization "${org}"`)
  if (operation === 'listListings') return jsonReply(200, { items: channel.signedListings(world.now()) })
  if (operation === 'listRfqs') return jsonReply(200, { items: channel.rfqs.map((record) => record.listShape()) })
  if (operation === 'closeRfq' && !UUID.test(rfqId ?? '')) return errorReply(400, `"${rfqId}" is not a UUID`)
  const record = channel.rfq(rfqId ?? '')
  if (!record) return errorReply(404, `RFQ "${rfqId}" does not exist`)
  if (operation === 'readRfq') return jsonReply(200, record.singleShape())
  if (operation === 'readResponse') {
    const response = record.response(route.responseId ?? '')
    return response ? jsonReply(200, response) : errorReply(404, `RFQ "${rfqId}" has no response "${route.responseId}"`)
  }
  const { id, state } = record.terms
  if (state !== 'open') return errorReply(400, `RFQ "${id}" is not open; its state is "${state}"`)
  world.closeRfq(id, channel)
  return jsonReply(200, { ok: true })
}
