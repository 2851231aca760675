import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Observation } from '../domain/observation.js'
import type { CloseResult } from './contract.js'
import type { JsonObject } from './json-body.js'
import { TransientError } from './retry.js'
import type { Sanitize } from './sanitizer.js'
import { errorMessageOf, parseJsonOrNull } from './status-errors.js'
import type { TransportReply } from './transport.js'

/**
 * The `items` of a list.
 * @throws TransientError where there are none: without them nothing is known, least of all that the channel is empty
 */
export function extractItems(body: JsonObject, label: () => string): unknown[] {
  if (Array.isArray(body.items)) return body.items
  throw new TransientError(`${label()}: answered 200, but the body has no list of items`, { status: 200 })
}

/**
 * The document that was asked for.
 * @throws TransientError for one that says it is another: it must not be kept under this identifier
 */
export function requireMatchingId(body: JsonObject, id: string, label: () => string, quote: Sanitize): JsonObject {
  const said = body.id
  if (said === id || said === undefined || said === null || said === '') return body
  const other = typeof said === 'string' ? quote(said) : `of type ${typeof said}`
  throw new TransientError(`${label()}: answered 200, but with another document, whose id is ${other}`, { status: 200 })
}

const SLICE_MS = 25

/**
 * Reads the items of a list, giving way to other work every 25 ms: a list of tens of thousands must not hold up the
 * event loop (reliability.md, fault 45).
 */
export async function parseItems<T>(
  items: readonly unknown[],
  observe: (item: unknown) => Observation<T>,
): Promise<Observation<T>[]> {
  const observed: Observation<T>[] = []
  let sliceEnd = performance.now() + SLICE_MS
  for (const item of items) {
    observed.push(observe(item))
    if (performance.now() < sliceEnd) continue
    await nextTurn()
    sliceEnd = performance.now() + SLICE_MS
  }
  return observed
}

/** What an answer to a close says, whatever it is; deciding what it means is the caller's part. */
export function parseCloseReply({ status, body, serverDate }: TransportReply, quote: Sanitize): CloseResult {
  const said = parseJsonOrNull(body.toString('utf8')) as { ok?: unknown; message?: unknown } | null
  const ok = typeof said?.ok === 'boolean' ? said.ok : null
  const silent = ok !== null && typeof said?.message !== 'string'
  return { status, ok, message: silent ? null : errorMessageOf(body, quote), serverDate }
}
