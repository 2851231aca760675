import { z } from 'zod'
import { text } from '../../../tables/schema.js'
import { type ActionCall, actionOperation, findSubject, type JobOrder, jobStatus } from '../actions.js'
import { asOf, channelName, rfqName } from '../parameters.js'
import { API_PREFIX, ProblemError, unknownName } from '../problem.js'

interface JobBody {
  channel: string
  rfq?: string | undefined
  as_of?: string | undefined
}

const acceptedJob = z
  .strictObject({ job: text, href: text.describe('Answers the status of the job.') })
  .meta({ id: 'AcceptedJob' })

const ofChannel = { channel: channelName.describe('`org/slug`.') }

/** An operation that puts work for a channel on the queue. */
const jobOperation = <Body extends z.ZodObject & z.ZodType<JobBody>>({
  job,
  refusal,
  ...definition
}: {
  id: string
  path: string
  summary: string
  description: string
  body: Body
  job: (body: z.output<Body>) => JobOrder['name']
  /** Why nothing would be done; null if something may be. */
  refusal?: (call: ActionCall<z.output<Body>>) => Promise<string | null>
}) =>
  actionOperation({
    ...definition,
    status: 202,
    result: acceptedJob,
    async handle(call: ActionCall<z.output<Body>>) {
      const { body, user, deps } = call
      const { asOf, ...subject } = await findSubject(body, deps)
      const refused = await refusal?.(call)
      if (refused) throw new ProblemError(409, refused)
      const cause = `api ${user?.name ?? ''}`.trim().slice(0, 100)
      const payload = { ...subject, ...(asOf && { asOf: asOf.toISOString() }), cause }
      const id = await deps.queue.enqueue({ name: job(body), payload })
      if (id === null) throw new ProblemError(409, 'a job for the same work is waiting or running already')
      return { job: id, href: `${API_PREFIX}/jobs/${encodeURIComponent(id)}` }
    },
  })

export const WORK_OPERATIONS = [
  jobOperation({
    id: 'makeReport',
    path: '/reports',
    summary: 'Make a workbook',
    description: 'The offer comparison of an RFQ, or without `rfq` the overview of a channel.',
    body: z.strictObject({ ...ofChannel, rfq: rfqName.optional(), ...asOf }),
    job: ({ rfq }) => (rfq === undefined ? 'channel-report' : 'rfq-report'),
  }),
  jobOperation({
    id: 'poll',
    path: '/sync',
    summary: 'Poll a channel now',
    description: 'As the schedule does.',
    body: z.strictObject({ ...ofChannel, kind: z.enum(['listings', 'rfqs']).default('rfqs') }),
    job: ({ kind }) => `poll-${kind}`,
  }),
  jobOperation({
    id: 'closeExpired',
    path: '/closings',
    summary: 'Run a closing round on a channel now',
    description:
      'The same round as that of the schedule, with the same policy: it closes what is past due if the channel has ' +
      '`autoClose: on`, and only records what it would close if it has `dry-run`. A round that is too large is blocked ' +
      'until approved. With `rfq`, it closes that RFQ only, if it qualifies and the round is not blocked. `GET /closings` has what ' +
      'it decided, and why.',
    body: z.strictObject({ ...ofChannel, rfq: rfqName.optional() }),
    job: () => 'close-expired',
    async refusal({ body: { channel }, deps }) {
      const obstacle = await deps.closingObstacle(channel)
      return obstacle === null ? null : `nothing would be closed: ${obstacle}`
    },
  }),
  actionOperation({
    id: 'readJob',
    method: 'GET',
    path: '/jobs/{job}',
    summary: 'Status of a job',
    description: 'Jobs are kept for a day, with `queue: in-process` until the service stops.',
    result: jobStatus,
    async handle({ path: { job = '' }, deps }) {
      const status = await deps.queue.status(job)
      if (status === null) throw unknownName('job', job)
      return status
    },
  }),
]
