import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../core/time/clock.js'
import { errorReply, findRoute, performOperation, type ReceivedRequest, type Reply } from './api.js'
import type { Effect, Faults } from './faults.js'
import { modifyReply, replacementFor, transmit } from './reply-faults.js'
import type { World } from './world/world.js'

/** What the server works with. */
export interface ServerContext {
  world: World
  now: Clock
  faults: Faults
  /** The requests received, oldest first; null keeps none. */
  requests: ReceivedRequest[] | null
}

/** Serves a request to the marketplace's API. Never throws because of what a client sends. */
export async function serve(context: ServerContext, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const request = receive(message)
  context.requests?.push(request)
  try {
    const effects = context.faults.applyTo(request)
    request.faults = effects.map(({ kind }) => kind)
    await beforeReply(request, response, effects)
    if (!response.destroyed) reply(context, request, response, { apiKey: message.headers.authorization, effects })
  } catch (error) {
    // A test made a document that cannot be serialized, or a test's own function failed.
    if (response.headersSent) response.destroy(error as Error)
    else transmit(response, errorReply(500, `The sandbox failed: ${(error as Error).message}`), context.now())
  }
}

function receive({ method = '', url = '', headers }: IncomingMessage): ReceivedRequest {
  return {
    ...{ at: new Date(), method, path: url, ...findRoute(method, url) },
    bodyLength: headers['content-length'] === undefined ? null : Number(headers['content-length']),
    ...{ status: null, applied: false, faults: [], answeredAt: null },
  }
}

async function beforeReply(
  request: ReceivedRequest,
  response: ServerResponse,
  effects: readonly Effect[],
): Promise<void> {
  for (const effect of effects) {
    if (effect.kind === 'call') await effect.call(request)
    if (effect.kind === 'delay') await delay(response, effect.ms)
  }
}

/** Waits; returns early if the client disconnects. */
async function delay(response: ServerResponse, milliseconds: number): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  await setTimeout(milliseconds, undefined, { signal: gone.signal }).catch(() => undefined)
}

function reply(
  { world, now }: ServerContext,
  request: ReceivedRequest,
  response: ServerResponse,
  { apiKey, effects }: { apiKey: string | undefined; effects: readonly Effect[] },
): void {
  const execute = (): Reply => {
    const own = performOperation(world, request, apiKey)
    request.applied = request.operation === 'closeRfq' && own.status === 200
    return own
  }
  if (effects.some((effect) => 'apply' in effect && effect.apply)) execute()
  const replacement = effects.map(replacementFor).find((each) => each !== undefined)
  const sent = replacement ?? modifyReply(execute(), effects)
  if (!effects.some(({ kind }) => kind === 'hang' || kind === 'reset')) {
    request.status = sent.status
    request.answeredAt = new Date()
  }
  transmit(response, sent, now(), effects)
}
