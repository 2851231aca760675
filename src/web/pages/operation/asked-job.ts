import type { JobStatusView } from '../../../views/schemas/index.js'
import type { ActionDeps } from '../../api/actions.js'
import { isQueueUnavailable } from '../../http/errors.js'
import type { PageContent } from '../page.js'

/** The status of a job that was asked for on a page: null if the queue no longer knows it, `unreachable` if it does not answer. */
export type AskedStatus = JobStatusView | 'unreachable' | null

/** Pages are shown without the queue too. */
export const readStatus = (job: string, { queue }: Pick<ActionDeps, 'queue'>): Promise<AskedStatus> =>
  queue.status(job).catch((error: Error) => {
    if (isQueueUnavailable(error)) return 'unreachable'
    throw error
  })

/** Who asked for a job on a page, as its cause. */
export const causeOf = (user: { name: string } | null): string => `page ${user?.name ?? ''}`.trim().slice(0, 100)

/** Seconds after which a page that waits for a job loads itself again. */
const REFRESH_SECONDS = '1'

/** A page that waits for a job loads itself again until that has ended; what was polled meanwhile is then in it anyway. */
export const reloading: Pick<PageContent, 'live' | 'onSend'> = {
  live: 'no',
  onSend: (reply) => reply.header('refresh', REFRESH_SECONDS),
}
export const LOADS_AGAIN = 'This page loads itself again.'
