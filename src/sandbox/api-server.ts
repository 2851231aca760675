import type { IncomingMessage, ServerResponse } from 'node:http'
import { findRoute, type Route } from './api-routes.js'
import type { FaultController } from './fault-controller.js'
import { type Effect, type EndingEffect, isChanging, isEarly, isEnding } from './fault-effects.js'
import { type Answer, errorAnswer, jsonAnswer, perform, refuse } from './operation-handlers.js'
import { changeAnswer, changeDate } from './reply-changes.js'
import * as delivery from './reply-writers.js'
import { newEntry, type RequestLog, type RequestLogEntry } from './request-log.js'
import type { SandboxClock } from './sandbox-clock.js'
import type { World } from './world.js'
import type { WorldEvent } from './world-events.js'

/** What answering a request works with. */
export interface Stage {
  world: World
  clock: SandboxClock
  faults: FaultController
  log: RequestLog
  /** Moves the clock ahead and lets happen what is due. */
  advance: (to: Date) => WorldEvent[]
}

/** A request on its way through. */
interface Visit {
  stage: Stage
  response: ServerResponse
  route: Route | null
  /** What stands against performing the operation now; null if nothing does. */
  refusal: () => Answer | null
  entry: RequestLogEntry
}

/** Answers a request of the marketplace's API. Never throws for what a client sends. */
export function serve(stage: Stage, request: IncomingMessage, response: ServerResponse): void {
  const visit = receive(stage, request, response)
  const effects = stage.faults.take(visit.entry.path, visit.route)
  if (effects.length === 0) answer(visit)
  else serveWithFaults(visit, effects).catch((error: unknown) => apologize(visit, error))
}

function answer(visit: Visit): void {
  try {
    deliver(visit, act(visit), [])
  } catch (error) {
    apologize(visit, error)
  }
}

/** A document that a test made so odd that it cannot be written, or a test's own function that failed. */
function apologize(visit: Visit, error: unknown): void {
  if (visit.response.headersSent) visit.response.destroy(error as Error)
  else deliver(visit, errorAnswer(500, `The sandbox failed: ${(error as Error).message}`), [])
}

function receive(stage: Stage, request: IncomingMessage, response: ServerResponse): Visit {
  const { method = '', url = '', headers } = request
  const query = url.indexOf('?')
  const found = findRoute(method, query < 0 ? url : url.slice(0, query))
  const route = typeof found === 'object' ? found : null
  const entry = newEntry({ method, path: url, route, at: Date.now() })
  entry.userAgent = headers['user-agent'] ?? null
  entry.bodyLength = headers['content-length'] === undefined ? null : Number(headers['content-length'])
  entry.key = judgeKey(stage.world, headers.authorization, route)
  stage.log.begin(entry)
  response.once('close', () => stage.log.end())
  response.sendDate = false
  return { stage, response, route, entry, refusal: () => refusalOf(stage.world, found, headers.authorization) }
}

function refusalOf(world: World, found: ReturnType<typeof findRoute>, apiKey: string | undefined): Answer | null {
  if (found === null) return errorAnswer(404, 'No such path')
  if (found === 'method') return errorAnswer(405, 'No such method here')
  return refuse(world, found, apiKey)
}

function judgeKey(world: World, apiKey: string | undefined, route: Route | null): RequestLogEntry['key'] {
  if (!apiKey) return 'absent'
  const orgs = world.opens(apiKey)
  if (!orgs) return 'unknown'
  return route && !orgs.has(route.org) ? 'foreign' : 'good'
}

/** The true answer; a close takes effect. */
function act({ stage, route, refusal, entry }: Visit): Answer {
  const refused = refusal()
  if (refused || !route) return refused ?? errorAnswer(404, 'No such path')
  const answer = perform(stage.world, route)
  entry.applied = route.operation === 'closeRfq' && answer.status === 200
  return answer
}

async function serveWithFaults(visit: Visit, effects: readonly Effect[]): Promise<void> {
  visit.entry.faults = effects.map((effect) => effect.kind)
  for (const effect of effects.filter(isEarly)) {
    if (effect.kind === 'delay') await wait(visit.response, effect.ms)
    else if (effect.kind === 'call') await effect.call(visit.entry)
    else vanish(visit)
  }
  if (!visit.response.destroyed) finish(visit, effects)
}

function finish(visit: Visit, effects: readonly Effect[]): void {
  const ending = effects.find(isEnding)
  const changes = effects.filter(isChanging)
  if (ending && 'apply' in ending && ending.apply) act(visit)
  const answer = (ending && substitute(ending)) ?? changeAnswer(act(visit), changes)
  deliver(visit, answer, changes, ending)
}

/** The answer that comes instead of the true one; undefined for an effect that only spoils how it is sent. */
function substitute(ending: EndingEffect): Answer | undefined {
  switch (ending.kind) {
    case 'status':
      return withHeaders(
        ending.body === undefined
          ? errorAnswer(ending.status, 'A fault of the sandbox')
          : jsonAnswer(ending.status, ending.body),
        ending.headers,
      )
    case 'text':
      return withHeaders(
        { status: ending.status ?? 200, body: Buffer.from(ending.text ?? PAGE) },
        { 'content-type': ending.contentType ?? 'text/html' },
      )
    case 'not-ok':
      return jsonAnswer(200, { ok: false })
    case 'redirect':
      return withHeaders(jsonAnswer(ending.status ?? 302, {}), { location: ending.location })
    case 'hang':
    case 'reset':
    case 'huge':
    case 'gzip-bomb':
      return jsonAnswer(200, { items: [] })
    default:
      return undefined
  }
}

const PAGE = '<!doctype html><title>Maintenance</title><h1>We will be back soon</h1>'
const withHeaders = (answer: Answer, headers?: Record<string, string>): Answer => ({
  ...answer,
  headers: headers ?? {},
})

function deliver(visit: Visit, answer: Answer, changes: Parameters<typeof changeDate>[1], ending?: EndingEffect): void {
  const { stage, response, entry } = visit
  const parcel = { response, answer, date: changeDate(stage.clock.now(), changes) }
  if (ending?.kind !== 'reset' && ending?.kind !== 'hang') {
    entry.status = answer.status
    entry.answeredAt = new Date()
  }
  sender(ending)(parcel)
}

/** The way of sending that goes with an effect. */
function sender(ending: EndingEffect | undefined): (parcel: delivery.Delivery) => void {
  switch (ending?.kind) {
    case 'hang':
      return () => {}
    case 'reset':
      return delivery.reset
    case 'reset-mid-body':
      return delivery.resetMidBody
    case 'truncate':
      return delivery.truncate
    case 'drip':
      return (parcel) => delivery.drip(parcel, { bytes: ending.bytes ?? 1, everyMs: ending.everyMs ?? 1000 })
    case 'huge':
      return (parcel) => delivery.flood(parcel, { bytes: ending.bytes, compressed: false })
    case 'gzip-bomb':
      return (parcel) => delivery.flood(parcel, { bytes: ending.bytes, compressed: true })
    default:
      return delivery.send
  }
}

/** Removes what the request asks for. */
function vanish({ stage: { world }, route }: Visit): void {
  const found = route?.rfqId ? world.findRfq(route.rfqId, route) : undefined
  if (!found || !route?.rfqId) return
  if (route.responseId === null) world.removeRfq(route.rfqId, route)
  else if (found.record.response(route.responseId)) world.removeResponse(route.responseId)
}

/** Waits, or until the client is gone. */
function wait(response: ServerResponse, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    response.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
