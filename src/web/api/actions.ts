import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Settings } from '../../core/decision/settings.js'
import type { RedeliveryFilter } from '../../core/events/deliveries.js'
import { MAX_NAME_LENGTH } from '../../core/text/clean-text.js'
import type { AwardActions } from '../../tables/awards/award-order.js'
import { beforeFirstPoll } from '../../tables/polls.js'
import type { User } from '../access/users.js'
import { defined } from '../http/request-values.js'
import type { Operation } from './endpoint.js'
import { knownChannel, momentOf, requireFound } from './endpoints/request.js'
import { acceptedJob, type JobStatusView, jobStatus } from './job.js'
import { asOf } from './parameters.js'
import { ProblemError, unknownName } from './problem.js'
import type { ApiReader } from './read.js'

/** Work that users put on the queue. */
export interface JobOrder {
  name: 'rfq-report' | 'channel-report' | 'poll-listings' | 'poll-rfqs' | 'close-expired'
  /** `asOf`: of reports. */
  payload: { channel: string; rfqId?: string; asOf?: string; cause: string }
}

/** The queue, as far as users put work on it. */
export interface ApiQueue {
  /** The id of a job for work that is wanted now. */
  newId(order: JobOrder): string
  /**
   * Adds a job.
   * @returns false if there is a job with this id, or one for the same work waits or runs
   */
  enqueue(order: JobOrder, id: string): Promise<boolean>
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
  /** Sends notifications again; resolves to their ids. */
  retryDeliveries: (which: RedeliveryFilter) => Promise<number[]>
  suggest: (text: string, candidates: readonly string[]) => string[]
  awards: AwardActions
  /** What offers are compared with. */
  settings: Settings
}

/** A request that changes something, or asks for the status of one. */
export interface ActionCall<Body> {
  path: Readonly<Record<string, string>>
  body: Body
  user: User | null
  /** The header `Idempotency-Key`. */
  idempotencyKey: string | undefined
  deps: ActionDeps
}

/** An operation that runs in the service itself. */
export interface ActionEndpoint extends Operation {
  handle(call: ActionCall<unknown>): Promise<unknown>
}

export const action = <Result extends z.ZodType, Body extends z.ZodObject>(
  definition: Omit<Operation, 'query' | 'body' | 'result'> & {
    body?: Body
    result: Result
    handle(call: ActionCall<z.output<Body>>): Promise<z.input<Result>>
  },
): ActionEndpoint => ({ ...definition, query: z.object({}) }) as unknown as ActionEndpoint

/** An operation that puts work for a channel on the queue. */
const jobAction = <Body extends z.ZodObject<{ channel: z.ZodString }>>({
  order,
  ...definition
}: Pick<Operation, 'id' | 'path' | 'summary' | 'description'> & {
  body: Body
  /** The work. @param payload what every job of the channel has */
  order(call: ActionCall<z.output<Body>>, payload: JobOrder['payload']): JobOrder | Promise<JobOrder>
}): ActionEndpoint =>
  action({
    ...definition,
    method: 'POST',
    result: acceptedJob,
    status: 202,
    acceptsIdempotencyKey: true,
    problems: [404, 409, 413, 415, 422, 503],
    async handle(call) {
      const channel = knownChannel(call.body.channel, call.deps)
      const cause = `api ${call.user?.name ?? ''}`.trim().slice(0, 100)
      return accept(call, await order(call, { channel, cause }))
    },
  })

const channel = z.string({ error: 'a channel, org/slug' })
const rfqName = z.string({ error: 'a text: number, reference or id of an RFQ' })

export const ACTION_ENDPOINTS: readonly ActionEndpoint[] = [
  jobAction({
    id: 'makeReport',
    path: '/reports',
    summary: 'Make a workbook: the offer comparison of an RFQ, or the overview of a channel',
    body: z.strictObject({
      channel: channel.describe('`org/slug`.'),
      rfq: rfqName.optional().describe('Number, reference or id, or `id:…`. Without it: the overview of the channel.'),
      as_of: asOf.as_of,
    }),
    async order(call, work) {
      const { rfq } = call.body
      const asOf = await pastMoment(call)
      const payload = { ...work, ...(asOf && { asOf: asOf.toISOString() }) }
      if (rfq === undefined) return { name: 'channel-report', payload }
      return { name: 'rfq-report', payload: { ...payload, rfqId: await rfqIdOf(call, rfq, asOf) } }
    },
  }),
  jobAction({
    id: 'poll',
    path: '/sync',
    summary: 'Poll a channel now',
    body: z.strictObject({
      channel: channel.describe('`org/slug`.'),
      kind: z.enum(['listings', 'rfqs'], { error: 'listings or rfqs' }).default('rfqs'),
    }),
    order: ({ body: { kind } }, payload) => ({ name: `poll-${kind}`, payload }),
  }),
  jobAction({
    id: 'closeExpired',
    path: '/closings',
    summary: 'Run a closing round on a channel now',
    description:
      'The same round as that of the schedule, with the same policy: it closes what is past due if the channel has ' +
      '`autoClose: on`, and only records what it would close if it has `dry-run`. A round that is too large is blocked ' +
      'until approved. With `rfq`, it closes that RFQ only, if it qualifies and the round is not blocked. `GET /closings` has what ' +
      'it decided, and why.',
    body: z.strictObject({
      channel: channel.describe('`org/slug`.'),
      rfq: rfqName.optional().describe('Number, reference or id, or `id:…`. Without it: all RFQs that are past due.'),
    }),
    async order(call, payload) {
      const { rfq } = call.body
      const obstacle = await call.deps.closingObstacle(payload.channel)
      if (obstacle !== null) throw new ProblemError(409, `nothing would be closed: ${obstacle}`)
      const only = rfq === undefined ? {} : { rfqId: await rfqIdOf(call, rfq) }
      return { name: 'close-expired', payload: { ...payload, ...only } }
    },
  }),
  action({
    id: 'retryNotifications',
    method: 'POST',
    path: '/notifications/retry',
    summary: 'Send notifications again: what was not delivered, and with `ids` or `from` also what was',
    description: 'The service sends them as soon as it can, and tries for 72 hours anew.',
    body: z.strictObject({
      ids: z
        .array(z.int({ error: 'an id, a whole number from 1' }).min(1, { error: 'an id, a whole number from 1' }), {
          error: 'a list of ids',
        })
        .min(1, { error: 'at least one id' })
        .max(1_000, { error: 'at most 1000 ids' })
        .optional()
        .describe('Of deliveries. Without `ids`, `target` and `from`: all that were not delivered.'),
      target: z.string({ error: 'the name of a target' }).optional().describe('Only to this target.'),
      from: z
        .int({ error: 'a sequence, a whole number from 1' })
        .min(1, { error: 'a sequence, a whole number from 1' })
        .optional()
        .describe('Of the events from this sequence on.'),
    }),
    result: z
      .strictObject({ ids: z.array(z.int()).describe('Deliveries that the service now sends again.') })
      .meta({ id: 'RetriedDeliveries' }),
    problems: [404, 413, 415],
    async handle({ body: { ids, target, from }, deps }) {
      if (ids !== undefined && (target !== undefined || from !== undefined))
        throw new ProblemError(400, 'use ids, or target and from, not both')
      const found = await deps.retryDeliveries(defined({ ids, target, fromSequence: from }))
      if (found.length > 0 || (ids === undefined && target === undefined)) return { ids: found }
      throw new ProblemError(404, 'there is no such notification that could be sent again')
    },
  }),
  action({
    id: 'readJob',
    method: 'GET',
    path: '/jobs/{job}',
    summary: 'Status of a job',
    description: 'Jobs are kept for a day, with `queue: in-process` until the service stops.',
    result: jobStatus,
    problems: [404, 503],
    async handle({ path, deps }) {
      const id = path.job ?? ''
      const status = await deps.queue.status(id)
      if (status === null) throw unknownName('job', id, [])
      return status
    },
  }),
]

/**
 * The past moment that a body asks for; undefined for the present.
 * @throws ProblemError 400 for one in the future, or before the first poll of the channel
 */
export async function pastMoment({
  body,
  deps,
}: Pick<ActionCall<{ channel: string; as_of?: string | undefined }>, 'body' | 'deps'>): Promise<Date | undefined> {
  const { now, asOf = now } = momentOf({ now: deps.now(), query: body, where: 'body' })
  if (asOf >= now) return undefined
  const detail = await beforeFirstPoll(asOf, { channel: body.channel, kind: 'rfqs' }, deps.reader.firstPollAt)
  if (detail === null) return asOf
  throw new ProblemError(400, detail, { errors: [{ in: 'body', name: 'as_of', detail: 'before the first poll' }] })
}

/** The id of the RFQ that a body names. */
export async function rfqIdOf(
  { body: { channel }, deps: { reader, now } }: Pick<ActionCall<{ channel: string }>, 'body' | 'deps'>,
  name: string,
  asOf?: Date,
): Promise<string> {
  return requireFound(await reader.findRfq({ channel, name, now: now(), ...(asOf && { asOf }) })).id
}

/** The RFQ of a path, at a moment. @throws ProblemError as `pastMoment`, 404 and 409 as for any RFQ */
export async function rfqOfPath({ path, deps }: Pick<ActionCall<unknown>, 'path' | 'deps'>, moment?: string) {
  const channel = `${path.org}/${path.channel}`
  const body = { channel, as_of: moment }
  const asOf = await pastMoment({ body, deps })
  return { channel, rfqId: await rfqIdOf({ body, deps }, path.rfq ?? '', asOf), asOf }
}

/** The name under which something is recorded. */
export const userName = ({ user }: Pick<ActionCall<unknown>, 'user'>): string =>
  (user?.name ?? 'unknown').slice(0, MAX_NAME_LENGTH)

const KEY = /^[!-~]{1,255}$/

/** Puts work on the queue. A request that is repeated with its key is answered with the same job. */
async function accept(call: ActionCall<unknown>, order: JobOrder) {
  const { idempotencyKey: key, user, deps } = call
  if (key !== undefined && !KEY.test(key))
    throw new ProblemError(400, 'Idempotency-Key: allowed are 1 to 255 printable ASCII characters without spaces', {
      errors: [{ in: 'header', name: 'Idempotency-Key', detail: '1 to 255 printable ASCII characters' }],
    })
  const id = key === undefined ? deps.queue.newId(order) : idOfKey(key, user)
  const accepted = { job: id, href: `/api/v1/jobs/${encodeURIComponent(id)}` }
  const known = key === undefined ? null : await deps.queue.status(id)
  if (known !== null) return requireSameWork(known, order) && accepted
  if (await deps.queue.enqueue(order, id)) return accepted
  const added = await deps.queue.status(id)
  if (added !== null) return requireSameWork(added, order) && accepted
  throw new ProblemError(409, 'a job for the same work is waiting or running already')
}

/** Keys belong to a user, so that nobody meets the job of another one. */
const idOfKey = (key: string, user: User | null) =>
  `api_${createHash('sha256')
    .update(JSON.stringify([user?.name ?? null, key]))
    .digest('hex')
    .slice(0, 32)}`

function requireSameWork(job: JobStatusView, { name, payload }: JobOrder): true {
  const { channel: key, rfqId = null, asOf: moment = null } = payload
  const isSame = job.name === name && job.channel === key && job.rfqId === rfqId
  if (isSame && job.asOf === moment) return true
  throw new ProblemError(422, 'this Idempotency-Key was used for other work; send a new one')
}
