import type { ReadDeps } from '../web/api/endpoint.js'
import type { ApiReader } from '../web/api/read.js'

/** How recent the record of a channel is. */
export interface Freshness {
  channel: string
  /** When the newest complete poll of its RFQs finished; as of a past moment, the newest one until then. */
  polledAt: string | null
  /** Whether polling is behind its schedule; null as of a past moment, and if it has none. */
  behind: boolean | null
  message: string
}

/** What the server works with. It reads through the HTTP API's operations. */
export interface McpDeps extends Pick<ReadDeps, 'suggest'> {
  reader: ApiReader
  /** The configured channels, `org/slug`. */
  channels: readonly string[]
  /** The current time, not before anything that is recorded. */
  now(): Promise<Date>
  freshness(channels: readonly string[], moment: { now: Date; asOf?: Date }): Promise<Freshness[]>
  version: string
  /** Called with unexpected errors; the client gets no details. */
  onError(error: unknown): void
}
