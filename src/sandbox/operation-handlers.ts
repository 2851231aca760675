import type { Route } from './api-routes.js'
import { errorReply, jsonReply, type Reply } from './reply.js'
import type { RfqTerms } from './world/document-types.js'
import type { World } from './world/world.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The error reply if the key may not use the channel, or if the channel does not exist; otherwise null. */
export function accessError(world: World, route: Route, apiKey: string | undefined): Reply | null {
  if (!apiKey) return errorReply(401, 'Missing API key: send it in the Authorization header')
  const orgs = world.organizationsFor(apiKey)
  if (!orgs) return errorReply(401, 'Unknown API key')
  if (!world.hasOrg(route.org)) return errorReply(404, `Organization "${route.org}" does not exist`)
  if (!orgs.has(route.org)) return errorReply(403, `The API key has no access to organization "${route.org}"`)
  return world.channel(route)
    ? null
    : errorReply(404, `Channel "${route.channel}" does not exist in organization "${route.org}"`)
}

/** Performs an operation after the access check, and returns its reply. `closeRfq` changes the world. */
export function performOperation(world: World, route: Route): Reply {
  const channel = world.channel(route)
  if (!channel) return errorReply(404, `Channel "${route.channel}" does not exist`)
  if (route.operation === 'listListings') return { status: 200, body: channel.listingsBody(world.now().getTime()) }
  if (route.operation === 'listRfqs') return { status: 200, body: channel.rfqsBody() }
  const rfqId = route.rfqId ?? ''
  if (route.operation === 'closeRfq' && !UUID.test(rfqId)) return errorReply(400, `"${rfqId}" is not a UUID`)
  const record = channel.rfq(rfqId)
  if (!record) return errorReply(404, `RFQ "${rfqId}" does not exist`)
  if (route.operation === 'readRfq') return { status: 200, body: record.body() }
  if (route.operation === 'closeRfq') return closeRfq(world, route, record.terms)
  const body = record.responseBody(route.responseId ?? '')
  return body ? { status: 200, body } : errorReply(404, `RFQ "${rfqId}" has no response "${route.responseId}"`)
}

function closeRfq(world: World, route: Route, { id, state }: RfqTerms): Reply {
  if (state !== 'open') return errorReply(400, `RFQ "${id}" is not open; its state is "${state}"`)
  world.closeRfq(id, route)
  return jsonReply(200, { ok: true })
}
