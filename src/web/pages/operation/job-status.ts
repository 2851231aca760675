import type { ActionDeps } from '../../api/actions.js'
import type { JobStatusView } from '../../api/job.js'
import { isQueueUnavailable } from '../../http/errors.js'
import type { PageContent } from '../page.js'

/** The status of a job requested on a page: null if it is no longer in the queue, `unreachable` if the queue does not answer. */
export type RequestedJobStatus = JobStatusView | 'unreachable' | null

/** Pages are shown even if the queue is unavailable. */
export const readJobStatus = (job: string, { queue }: Pick<ActionDeps, 'queue'>): Promise<RequestedJobStatus> =>
  queue.status(job).catch((error: Error) => {
    if (isQueueUnavailable(error)) return 'unreachable'
    throw error
  })

/** The cause of a job: the user who requested it on a page. */
export const jobCause = (user: { name: string } | null): string => `page ${user?.name ?? ''}`.trim().slice(0, 100)

/** Seconds after which a page that waits for a job reloads. */
const REFRESH_SECONDS = '1'

/** A page that waits for a job reloads until the job has ended, so it needs no live updates. */
export const autoReload: Pick<PageContent, 'live' | 'onSend'> = {
  live: 'no',
  onSend: (reply) => reply.header('refresh', REFRESH_SECONDS),
}
export const RELOAD_NOTICE = 'This page reloads automatically.'
