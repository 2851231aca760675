import type { JobStatus } from '../../../jobs/contract.js'
import { jobId } from '../../../jobs/job-id.js'
import type { ServiceQueue } from '../../../jobs/service.js'
import { scrubError } from '../../core/text/secret-scrubber.js'
import type { Clock } from '../../core/time/clock.js'
import { reportPath } from '../../tables/page-paths.js'
import type { ActionDeps, JobStatusView } from '../../web/api/actions.js'
import type { App } from '../app.js'

/** What users put on the queue, on pages and over the API, and what becomes of it. */
export type QueueActions = Pick<ActionDeps, 'queue' | 'closingObstacle'>

/** What users can put on the queue, once that is open. */
export async function createQueueActions(
  { config, scrub, store }: Pick<App, 'config' | 'scrub' | 'store'>,
  now: Clock,
): Promise<(queue: ServiceQueue) => QueueActions> {
  const { createFindClosingBlocker } = await import('../../closing/closing-blockers.js')
  const closingObstacle = async (key: string) => {
    const mode = config.channels.find((channel) => channel.key === key)?.autoClose
    if (mode !== 'on' && mode !== 'dry-run') return `${key} has autoClose: off`
    return createFindClosingBlocker(config, await store())(key, now())
  }
  return (queue) => ({
    queue: {
      newId: ({ name, payload }) => jobId(name, payload, now()),
      enqueue: ({ name, payload }, id) => queue.enqueue(name, payload, id),
      async status(id) {
        const status = await queue.job(id)
        // Errors of libraries may quote what they were given.
        return status === null ? null : scrubError(toView(status), scrub)
      },
    },
    closingObstacle,
  })
}

function toView({ id, payload, result, ...status }: JobStatus): JobStatusView {
  const { name, state, addedAt, finishedAt, error } = status
  const { channel, rfqId = null, asOf = null } = payload
  const report = result?.report ?? null
  const job = { job: id, name, channel, rfqId, asOf, state, addedAt, finishedAt, error }
  return { ...job, report, reportHref: report && reportPath(report) }
}
