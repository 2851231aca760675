import type { ServerResponse } from 'node:http'
import { errorReply, jsonReply, type Reply } from './api.js'
import type { Effect } from './faults.js'

type Item = Record<string, unknown>

/** The reply that replaces the operation's own; undefined if no effect does. */
export function replacementFor(effect: Effect): Reply | undefined {
  switch (effect.kind) {
    case 'status':
      return { ...statusReply(effect), headers: effect.headers ?? {} }
    case 'hang':
    case 'reset':
      return jsonReply(200, {})
    default:
      return undefined
  }
}

/** A body of bytes is sent as it is, any other as JSON. */
function statusReply({ status, body, text }: Extract<Effect, { kind: 'status' }>): Reply {
  const bytes = text === undefined ? body : Buffer.from(text)
  if (Buffer.isBuffer(bytes)) return { status, body: bytes }
  return body === undefined ? errorReply(status, 'Fault injected by the sandbox') : jsonReply(status, body)
}

/** Applies the effects to the reply's body. Only replies with status 200 carry a document to change. */
export function modifyReply(reply: Reply, effects: readonly Effect[]): Reply {
  const changes = effects.map(changeOf).filter((change) => change !== undefined)
  if (changes.length === 0 || reply.status !== 200) return reply
  return jsonReply(
    200,
    changes.reduce((body, change) => change(body), JSON.parse(reply.body.toString()) as unknown),
  )
}

/** How an effect changes a body; undefined if it does not. */
function changeOf(effect: Effect): ((body: unknown) => unknown) | undefined {
  switch (effect.kind) {
    case 'transform':
      return effect.change
    case 'patch':
      if (effect.id === undefined) return (body) => mergePatch(body, effect.patch)
      return onItems((items) => items.map((item) => (item.id === effect.id ? patched(item, effect.patch) : item)))
    case 'empty':
      return onItems(() => [])
    case 'drop':
      return onItems((items) => items.filter((item, index) => !isSelected(effect, item, index)))
    case 'duplicate':
      return onItems((items) => [
        ...items,
        ...items.filter((item, index) => isSelected(effect, item, index)).map((item) => patched(item, effect.patch)),
      ])
    default:
      return undefined
  }
}

/** Changes the items of a list; other bodies stay as they are. */
const onItems = (change: (items: Item[]) => Item[]) => (body: unknown) => {
  const { items } = body as { items?: Item[] }
  return Array.isArray(items) ? { ...(body as object), items: change(items) } : body
}

const isSelected = (
  { ids, count = 1 }: { ids?: string[] | undefined; count?: number | undefined },
  item: Item,
  index: number,
) => (ids ? ids.includes(String(item.id)) : index < count)

const patched = (item: Item, patch: unknown) => (patch === undefined ? item : mergePatch(item, patch)) as Item

/** Applies a JSON merge patch (RFC 7396) without changing its arguments. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const result: Item = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = mergePatch(result[key], value)
  }
  return result
}

const isObject = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The `Date` header after the effects; null to send none. */
function dateHeader(now: Date, effects: readonly Effect[]): string | null {
  const effect = effects.findLast((each) => each.kind === 'date')
  if (!effect) return now.toUTCString()
  return 'skewMs' in effect ? new Date(now.getTime() + effect.skewMs).toUTCString() : effect.value
}

/** Sends a reply, or breaks its transmission if an effect says so. */
export function transmit(response: ServerResponse, reply: Reply, now: Date, effects: readonly Effect[] = []): void {
  const half = reply.body.subarray(0, Math.ceil(reply.body.length / 2))
  const date = dateHeader(now, effects)
  const headers = {
    ...{ 'content-type': 'application/json; charset=utf-8', ...(date === null ? {} : { date }) },
    ...reply.headers,
  }
  const whole = { ...headers, 'content-length': reply.body.length }
  const has = (kind: Effect['kind']) => effects.some((effect) => effect.kind === kind)
  response.sendDate = false
  if (has('hang')) return
  if (has('reset')) response.socket?.resetAndDestroy()
  else if (has('reset-mid-body'))
    response.writeHead(reply.status, whole).write(half, () => response.socket?.resetAndDestroy())
  else if (has('truncate')) {
    response.useChunkedEncodingByDefault = false
    response.writeHead(reply.status, { ...headers, connection: 'close' }).end(half)
  } else if (has('drip')) drip(response.writeHead(reply.status, whole), reply.body)
  else response.writeHead(reply.status, whole).end(reply.body)
}

function drip(response: ServerResponse, body: Buffer): void {
  response.flushHeaders()
  let sent = 0
  const timer = setInterval(() => {
    if (sent < body.length) response.write(body.subarray(sent, ++sent))
    else response.end()
  }, 1000)
  response.once('close', () => clearInterval(timer))
}
