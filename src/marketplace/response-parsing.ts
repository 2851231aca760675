import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Observation } from '../domain/observation.js'
import type { CloseResult } from './contract.js'
import type { JsonObject } from './json-body.js'
import { TransientError } from './retry.js'
import type { Sanitize } from './sanitizer.js'
import { errorMessageOf, parseJsonOrNull } from './status-errors.js'
import type { TransportReply } from './transport.js'

/**
 * The `items` of a list.
 * @throws TransientError if there is no such array: an invalid reply must not be taken for an empty channel
 */
export function extractItems(body: JsonObject, label: () => string): unknown[] {
  if (Array.isArray(body.items)) return body.items
  throw new TransientError(`${label()}: status 200, but the body has no "items" array`, { status: 200 })
}

/**
 * Checks that a document has the requested id, or none.
 * @throws TransientError for another id: the document must not be stored under the requested one
 */
export function requireMatchingId(body: JsonObject, id: string, label: () => string, sanitize: Sanitize): JsonObject {
  const found = body.id
  if (found === id || found === undefined || found === null || found === '') return body
  const shown = typeof found === 'string' ? sanitize(found) : `of type ${typeof found}`
  throw new TransientError(`${label()}: status 200, but the body is another document (id ${shown})`, { status: 200 })
}

const MAX_SLICE_MS = 25

/** Parses the items of a list, yielding to the event loop every 25 ms: lists may have tens of thousands of items. */
export async function parseItems<T>(
  items: readonly unknown[],
  parse: (item: unknown) => Observation<T>,
): Promise<Observation<T>[]> {
  const observations: Observation<T>[] = []
  let sliceEnd = performance.now() + MAX_SLICE_MS
  for (const item of items) {
    observations.push(parse(item))
    if (performance.now() < sliceEnd) continue
    await yieldToEventLoop()
    sliceEnd = performance.now() + MAX_SLICE_MS
  }
  return observations
}

/** Extracts `ok` and the message of a close reply; the caller interprets them. */
export function parseCloseReply({ status, body, serverDate }: TransportReply, sanitize: Sanitize): CloseResult {
  const parsed = parseJsonOrNull(body.toString('utf8')) as { ok?: unknown; message?: unknown } | null
  const ok = typeof parsed?.ok === 'boolean' ? parsed.ok : null
  const hasNoMessage = ok !== null && typeof parsed?.message !== 'string'
  return { status, ok, message: hasNoMessage ? null : errorMessageOf(body, sanitize), serverDate }
}
