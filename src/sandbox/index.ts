/** The door of the room: everything that others use of the sandbox. */

export type { Operation } from './api-routes.js'
export type { Theme } from './catalogue.js'
export type {
  ListedRfq,
  Listing,
  Offer,
  ResponseSummary,
  Rfq,
  RfqResponse,
  RfqTerms,
  ScheduledDelivery,
  Vintage,
} from './document-types.js'
export type { Fault, FaultController, FaultHandle } from './fault-controller.js'
export type { Effect, WireEffect } from './fault-effects.js'
export { openApiDocument } from './openapi-document.js'
export type { RequestLog, RequestLogEntry } from './request-log.js'
export { type LiveOptions, type Sandbox, type SandboxOptions, startSandbox } from './sandbox.js'
export { SandboxError } from './sandbox-error.js'
export { loadWorld, saveWorld } from './state-file.js'
export type { Change, ResponseChanges, World } from './world.js'
export { advanceWorld as advance, type WorldEvent as Happening } from './world-events.js'
export { type ChannelSpec, createWorld, defaultChannels, type WorldOptions } from './world-seed.js'
export { type ChannelSummary, describeWorld, summarizeWorld, type WorldSummary } from './world-summary.js'
