/** The door of the room: everything that others use of the sandbox. */
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
} from './documents.js'
export type { Effect, WireEffect } from './effects.js'
export { SandboxError } from './errors.js'
export { advance, type Happening } from './events.js'
export type { Fault, FaultController, FaultHandle } from './faults.js'
export { openApiDocument } from './openapi.js'
export type { RequestLog, RequestLogEntry } from './request-log.js'
export type { Operation } from './routes.js'
export { type LiveOptions, type Sandbox, type SandboxOptions, startSandbox } from './sandbox.js'
export { type ChannelSpec, createWorld, defaultChannels, type WorldOptions } from './seed.js'
export { loadWorld, saveWorld } from './state-file.js'
export { type ChannelSummary, describeWorld, summarizeWorld, type WorldSummary } from './summary.js'
export type { Change, ResponseChanges, World } from './world.js'
