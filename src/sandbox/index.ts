/** The public names of the sandbox; other folders import only from here. */

export type { Effect } from './faults/fault-effects.js'
export { openApiDocument } from './openapi-document.js'
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.js'
export { SandboxError } from './sandbox-error.js'
export type { RfqTerms } from './world/document-types.js'
export type { World } from './world/world.js'
export { advanceWorld, type WorldEvent } from './world/world-events.js'
export { type ChannelSpec, createWorld } from './world/world-seed.js'
export { describeWorld } from './world/world-summary.js'
