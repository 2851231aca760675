import type { Route } from './api-routes.js'
import type { RfqTerms } from './document-types.js'
import type { World } from './world.js'

/** What is sent back, before any fault. */
export interface Answer {
  status: number
  body: Buffer
  /** Besides content type, content length and date. */
  headers?: Record<string, string>
}

/** Eight, four, four, four and twelve hexadecimal digits. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const jsonAnswer = (status: number, value: unknown): Answer => ({
  status,
  body: Buffer.from(JSON.stringify(value)),
})

/** The error body of marketplace-api.md, Errors. What `error` holds is not told there; here it repeats the status. */
export const errorAnswer = (status: number, message: string): Answer =>
  jsonAnswer(status, { statusCode: status, message, error: status })

/** Whether the key opens the organization and the channel exists: null, or the answer that says why not. */
export function refuse(world: World, route: Route, apiKey: string | undefined): Answer | null {
  if (!apiKey) return errorAnswer(401, 'No API key: send it in the Authorization header')
  const orgs = world.opens(apiKey)
  if (!orgs) return errorAnswer(401, 'Unknown API key')
  if (!world.hasOrg(route.org)) return errorAnswer(404, `No organization "${route.org}"`)
  if (!orgs.has(route.org)) return errorAnswer(403, `The API key does not open organization "${route.org}"`)
  return world.channel(route) ? null : errorAnswer(404, `No channel "${route.channel}" in "${route.org}"`)
}

/** Answers an operation that is allowed. `closeRfq` takes effect. */
export function perform(world: World, route: Route): Answer {
  const channel = world.channel(route)
  if (!channel) return errorAnswer(404, `No channel "${route.channel}"`)
  if (route.operation === 'listListings') return { status: 200, body: channel.listingsBody(world.now().getTime()) }
  if (route.operation === 'listRfqs') return { status: 200, body: channel.rfqsBody() }
  const rfqId = route.rfqId ?? ''
  if (route.operation === 'closeRfq' && !UUID.test(rfqId)) return errorAnswer(400, `"${rfqId}" is no RFQ identifier`)
  const record = channel.rfq(rfqId)
  if (!record) return errorAnswer(404, `No RFQ "${rfqId}"`)
  if (route.operation === 'readRfq') return { status: 200, body: record.body() }
  if (route.operation === 'closeRfq') return close(world, route, record.terms)
  const body = record.responseBody(route.responseId ?? '')
  return body ? { status: 200, body } : errorAnswer(404, `No response "${route.responseId}" to RFQ "${rfqId}"`)
}

function close(world: World, route: Route, { id, state }: RfqTerms): Answer {
  if (state !== 'open') return errorAnswer(400, `RFQ "${id}" is not open: its state is "${state}"`)
  world.closeRfq(id, route)
  return jsonAnswer(200, { ok: true })
}
