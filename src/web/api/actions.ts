import { z } from 'zod'
import type { Settings } from '../../core/decision/settings.js'
import type { AwardActions } from '../../tables/awards/awards.js'
import { FilterError } from '../../tables/filter-error.js'
import { channelKey, nullableText, text, timestamp } from '../../tables/schema.js'
import type { User } from '../access/users.js'
import { knownChannel, stateOf } from './lookup.js'
import type { Operation } from './operation.js'
import type { ApiReader } from './read.js'

/** Work that users put on the queue. */
export interface JobOrder {
  name: 'rfq-report' | 'channel-report' | 'poll-listings' | 'poll-rfqs' | 'close-expired'
  /** `asOf`: of reports. */
  payload: { channel: string; rfqId?: string; asOf?: string; cause: string }
}

export const jobStatus = z
  .strictObject({
    job: text,
    name: text,
    channel: channelKey,
    rfqId: nullableText,
    asOf: timestamp.nullable().describe('Of a report: the moment it is about; null: when it is made.'),
    state: z.enum(['waiting', 'active', 'completed', 'failed']),
    addedAt: timestamp,
    finishedAt: timestamp.nullable(),
    error: nullableText.describe('Why it failed.'),
    report: nullableText.describe('The file that was written, below `reports.directory`.'),
    reportHref: nullableText.describe('Downloads it.'),
  })
  .meta({ id: 'Job' })
/** The status of a job, and whose work it is. */
export type JobStatusView = z.input<typeof jobStatus>

/** The queue, as far as users put work on it. */
interface ApiQueue {
  /** Adds a job. @returns its id; null if one for the same work waits or runs */
  enqueue(order: JobOrder): Promise<string | null>
  /** Null if the queue does not know it. */
  status(id: string): Promise<JobStatusView | null>
}

export interface ActionDeps {
  queue: ApiQueue
  reader: ApiReader
  now: () => Date
  channels: readonly string[]
  /** Why a closing round on a channel would close nothing, or null. */
  closingObstacle: (channel: string) => Promise<string | null>
  awards: AwardActions
  /** What offers are compared with. */
  settings: Settings
}

/** A request that changes something, or asks for the status of one. */
export interface ActionCall<Body> {
  path: Readonly<Record<string, string>>
  body: Body
  user: User | null
  deps: ActionDeps
}

/** An operation that runs in the service itself. */
export interface ActionOperation extends Operation {
  handle(call: ActionCall<unknown>): Promise<unknown>
}

/** Checks an operation's types, as `readOperation` does. */
export const actionOperation = <Result extends z.ZodType, Body extends z.ZodObject = z.ZodObject>(
  definition: Omit<Operation, 'method' | 'tag' | 'query' | 'body' | 'result'> & {
    method?: Operation['method']
    body?: Body
    result: Result
    handle(call: ActionCall<z.output<Body>>): Promise<z.input<Result>>
  },
): ActionOperation => ({ method: 'POST', tag: 'Work', query: z.strictObject({}), ...definition }) as never

/**
 * The channel that a request names, its RFQ, and the past moment that it is about.
 * @throws ProblemError 404 and 409 for a name, 400 for a moment
 */
export async function findSubject(
  { channel, rfq, as_of }: { channel: string; rfq?: string | undefined; as_of?: string | undefined },
  { reader, now, channels }: Pick<ActionDeps, 'channels' | 'now'> & { reader: Omit<ApiReader, 'apiRead'> },
): Promise<{ channel: string; rfqId?: string; asOf?: Date }> {
  knownChannel(channel, channels)
  if (rfq === undefined && as_of !== undefined) throw new FilterError('as_of', 'as_of is about one RFQ: name it')
  const at = await stateOf({ as_of, channel }, { now: now(), reader })
  const rfqId = rfq === undefined ? {} : { rfqId: (await reader.findRfq({ ...at, channel, name: rfq })).id }
  return { channel, ...rfqId, ...(at.asOf && { asOf: at.asOf }) }
}
