/** The public names of the sandbox; other folders import only from here. */

export type { Effect } from './faults.js'
export { type Sandbox, SandboxError, startSandbox } from './sandbox.js'
export { advanceWorld, type WorldEvent } from './world/events.js'
export type { RfqTerms } from './world/records.js'
export { type ChannelSpec, createWorld } from './world/seed.js'
export { describeWorld, type World } from './world/world.js'
