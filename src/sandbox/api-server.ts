import type { IncomingMessage, ServerResponse } from 'node:http'
import { findRoute, type Route } from './api-routes.js'
import type { FaultController } from './faults/fault-controller.js'
import {
  type Effect,
  isModifying,
  isPreReply,
  isTerminal,
  type ModifyingEffect,
  type TerminalEffect,
} from './faults/fault-effects.js'
import { dateHeader, modifyReply } from './faults/reply-changes.js'
import * as writers from './faults/reply-writers.js'
import { accessError, performOperation } from './operation-handlers.js'
import { errorReply, jsonReply, methodNotAllowed, type Reply } from './reply.js'
import { newEntry, type RequestLog, type RequestLogEntry } from './request-log.js'
import type { SandboxClock } from './world/sandbox-clock.js'
import type { World } from './world/world.js'
import type { WorldEvent } from './world/world-events.js'

/** The dependencies of the request handlers. */
export interface SandboxContext {
  world: World
  clock: SandboxClock
  faults: FaultController
  log: RequestLog
  /** Moves the clock forward and lets the events due by then happen. */
  advance: (to: Date) => WorldEvent[]
}

/** A request in progress. */
interface Exchange {
  context: SandboxContext
  response: ServerResponse
  route: Route | null
  /** The error reply if the operation may not be performed now, otherwise null. */
  checkAccess: () => Reply | null
  entry: RequestLogEntry
}

/** Serves a request to the marketplace's API. Never throws because of what a client sends. */
export function serve(context: SandboxContext, request: IncomingMessage, response: ServerResponse): void {
  const exchange = receive(context, request, response)
  const effects = context.faults.applyTo(exchange.entry.path, exchange.route)
  if (effects.length === 0) serveWithoutFaults(exchange)
  else serveWithFaults(exchange, effects).catch((error: unknown) => replyToFailure(exchange, error))
}

function serveWithoutFaults(exchange: Exchange): void {
  try {
    deliver(exchange, execute(exchange), [])
  } catch (error) {
    replyToFailure(exchange, error)
  }
}

/** Replies 500 if a test made a document that cannot be serialized, or if a test's own function failed. */
function replyToFailure(exchange: Exchange, error: unknown): void {
  if (exchange.response.headersSent) exchange.response.destroy(error as Error)
  else deliver(exchange, errorReply(500, `The sandbox failed: ${(error as Error).message}`), [])
}

function receive(context: SandboxContext, request: IncomingMessage, response: ServerResponse): Exchange {
  const { method = '', url = '', headers } = request
  const query = url.indexOf('?')
  const found = findRoute(method, query < 0 ? url : url.slice(0, query))
  const route = found !== null && 'operation' in found ? found : null
  const entry = newEntry({ method, path: url, route, at: Date.now() })
  entry.userAgent = headers['user-agent'] ?? null
  entry.bodyLength = headers['content-length'] === undefined ? null : Number(headers['content-length'])
  entry.key = keyStatus(context.world, headers.authorization, route)
  context.log.begin(entry)
  response.once('close', () => context.log.end())
  response.sendDate = false
  return {
    context,
    response,
    route,
    entry,
    checkAccess: () => requestError(context.world, found, headers.authorization),
  }
}

function requestError(world: World, found: ReturnType<typeof findRoute>, apiKey: string | undefined): Reply | null {
  if (found === null) return errorReply(404, 'Unknown path')
  if ('allowed' in found) return methodNotAllowed([found.allowed])
  return accessError(world, found, apiKey)
}

function keyStatus(world: World, apiKey: string | undefined, route: Route | null): RequestLogEntry['key'] {
  if (!apiKey) return 'absent'
  const orgs = world.organizationsFor(apiKey)
  if (!orgs) return 'unknown'
  return route && !orgs.has(route.org) ? 'foreign' : 'good'
}

/** Performs the operation if access is allowed; a close changes the world. */
function execute({ context, route, checkAccess, entry }: Exchange): Reply {
  const error = checkAccess()
  if (error || !route) return error ?? errorReply(404, 'Unknown path')
  const reply = performOperation(context.world, route)
  entry.applied = route.operation === 'closeRfq' && reply.status === 200
  return reply
}

async function serveWithFaults(exchange: Exchange, effects: readonly Effect[]): Promise<void> {
  exchange.entry.faults = effects.map((effect) => effect.kind)
  for (const effect of effects.filter(isPreReply)) {
    if (effect.kind === 'delay') await delay(exchange.response, effect.ms)
    else if (effect.kind === 'call') await effect.call(exchange.entry)
    else removeRequested(exchange)
  }
  if (!exchange.response.destroyed) replyWithFaults(exchange, effects)
}

function replyWithFaults(exchange: Exchange, effects: readonly Effect[]): void {
  const terminal = effects.find(isTerminal)
  const changes = effects.filter(isModifying)
  if (terminal && 'apply' in terminal && terminal.apply) execute(exchange)
  const reply = (terminal && replacementFor(terminal)) ?? modifyReply(execute(exchange), changes)
  deliver(exchange, reply, changes, terminal)
}

/** The reply that replaces the operation's own; undefined for effects that only break its transmission. */
function replacementFor(effect: TerminalEffect): Reply | undefined {
  switch (effect.kind) {
    case 'status':
      return withHeaders(
        effect.body === undefined
          ? errorReply(effect.status, 'Fault injected by the sandbox')
          : jsonReply(effect.status, effect.body),
        effect.headers,
      )
    case 'text':
      return withHeaders(
        { status: effect.status ?? 200, body: Buffer.from(effect.text ?? MAINTENANCE_PAGE) },
        { 'content-type': effect.contentType ?? 'text/html' },
      )
    case 'not-ok':
      return jsonReply(200, { ok: false })
    case 'redirect':
      return withHeaders(jsonReply(effect.status ?? 302, {}), { location: effect.location })
    case 'hang':
    case 'reset':
    case 'huge':
    case 'gzip-bomb':
      return jsonReply(200, { items: [] })
    default:
      return undefined
  }
}

const MAINTENANCE_PAGE = '<!doctype html><title>Maintenance</title><h1>We will be back soon</h1>'
const withHeaders = (reply: Reply, headers: Record<string, string> = {}): Reply => ({ ...reply, headers })

function deliver(
  { context, response, entry }: Exchange,
  reply: Reply,
  changes: readonly ModifyingEffect[],
  terminal?: TerminalEffect,
): void {
  const outgoing = { response, reply, date: dateHeader(context.clock.now(), changes) }
  if (terminal?.kind !== 'reset' && terminal?.kind !== 'hang') {
    entry.status = outgoing.reply.status
    entry.answeredAt = new Date()
  }
  writerFor(terminal)(outgoing)
}

/** The function that transmits a reply under a terminal effect. */
function writerFor(effect: TerminalEffect | undefined): (outgoing: writers.OutgoingReply) => void {
  switch (effect?.kind) {
    case 'hang':
      return () => {}
    case 'reset':
      return writers.reset
    case 'reset-mid-body':
      return writers.resetMidBody
    case 'truncate':
      return writers.truncate
    case 'drip':
      return (outgoing) => writers.drip(outgoing, { bytes: effect.bytes ?? 1, everyMs: effect.everyMs ?? 1000 })
    case 'huge':
      return (outgoing) => writers.flood(outgoing, { bytes: effect.bytes, compressed: false })
    case 'gzip-bomb':
      return (outgoing) => writers.flood(outgoing, { bytes: effect.bytes, compressed: true })
    default:
      return writers.send
  }
}

/** Removes the requested RFQ or response from the world. */
function removeRequested({ context: { world }, route }: Exchange): void {
  const found = route?.rfqId ? world.findRfq(route.rfqId, route) : undefined
  if (!found || !route?.rfqId) return
  if (route.responseId === null) world.removeRfq(route.rfqId, route)
  else if (found.record.response(route.responseId)) world.removeResponse(route.responseId)
}

/** Waits; returns early if the client disconnects. */
function delay(response: ServerResponse, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    response.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
