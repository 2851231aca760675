import type { ActionDeps } from '../api/actions.js'
import type { JobStatusView } from '../api/schemas/index.js'

/** The status of a job that was asked for on a page: null if the queue no longer knows it, `unreachable` if it does not answer. */
export type AskedStatus = JobStatusView | 'unreachable' | null

/** Pages are shown without the queue too. */
export const readStatus = (job: string, { queue }: Pick<ActionDeps, 'queue'>): Promise<AskedStatus> =>
  queue.status(job).catch((error: Error) => {
    if (error.name === 'QueueUnavailableError') return 'unreachable'
    throw error
  })

/** Who asked for a job on a page, as its cause. */
export const causeOf = (user: { name: string } | null): string => `page ${user?.name ?? ''}`.trim().slice(0, 100)

/** Seconds after which a page that waits for a job loads itself again. */
export const REFRESH_SECONDS = 1
export const LOADS_AGAIN = 'This page loads itself again.'
