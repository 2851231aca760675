import type { JobOrder, JobStatusView } from '../../api/actions.js'
import { Notice, plain } from '../../components/format.js'
import { isQueueUnavailable } from '../../http/errors.js'
import type { PageContent, PageRequest } from '../page.js'

/** The status of a job requested on a page: null if it is no longer in the queue, `unreachable` if the queue does not answer. */
type RequestedJobStatus = JobStatusView | 'unreachable' | null

/** Pages are shown even if the queue is unavailable. */
const readJobStatus = (job: string, { queue }: Pick<PageRequest, 'queue'>): Promise<RequestedJobStatus> =>
  queue.status(job).catch((error: Error) => {
    if (isQueueUnavailable(error)) return 'unreachable'
    throw error
  })

/** Seconds after which a page that waits for a job reloads. */
const REFRESH_SECONDS = '1'

/** A page that waits for a job reloads until the job has ended, so it needs no live updates. */
export const autoReload: Pick<PageContent, 'live' | 'onSend'> = {
  live: 'no',
  onSend: (reply) => reply.header('refresh', REFRESH_SECONDS),
}
const RELOAD_NOTICE = 'This page reloads automatically.'

/** Puts a job on the queue. @returns its id, or null if one for the same work waits or runs */
export function enqueueJob(
  { request: { user }, queue }: Pick<PageRequest, 'request' | 'queue'>,
  { name, payload }: { name: JobOrder['name']; payload: Omit<JobOrder['payload'], 'cause'> },
): Promise<string | null> {
  const cause = `page ${user?.name ?? ''}`.trim().slice(0, 100)
  return queue.enqueue({ name, payload: { ...payload, cause } })
}

/** The job in the address of a page, which was requested on it: what became of it, and whether it has not ended yet. */
export async function readRequestedJob(page: Pick<PageRequest, 'query' | 'queue'>) {
  const { job } = page.query
  if (job === undefined) return null
  const status = await readJobStatus(job, page)
  const isRunning = status === 'unreachable' || status?.state === 'waiting' || status?.state === 'active'
  return { isRunning, notice: <JobNotice status={status} /> }
}

const TITLES: Readonly<Record<string, string>> = {
  'poll-listings': 'The poll of listings',
  'poll-rfqs': 'The poll of RFQs',
  'close-expired': 'The closing round',
  'channel-report': 'The overview',
  'rfq-report': 'The workbook of the RFQ',
}

function JobNotice({ status }: { status: RequestedJobStatus }) {
  if (status === 'unreachable') return <Notice tone="warn">{`The queue does not answer. ${RELOAD_NOTICE}`}</Notice>
  if (status === null) return <Notice tone="neutral">The requested job is no longer in the queue.</Notice>
  const title = `${TITLES[status.name] ?? plain(status.name)} of ${plain(status.channel)}`
  switch (status.state) {
    case 'waiting':
      return <Notice tone="warn">{`${title} is waiting for a worker. ${RELOAD_NOTICE}`}</Notice>
    case 'active':
      return <Notice tone="warn">{`${title} is running. ${RELOAD_NOTICE}`}</Notice>
    case 'completed':
      return (
        <Notice tone="good">
          {`${title} has ended. `}
          {status.reportHref !== null && <a href={status.reportHref}>Download</a>}
        </Notice>
      )
    case 'failed':
      return <Notice tone="bad">{`${title} failed: ${plain(status.error)}`}</Notice>
  }
}
