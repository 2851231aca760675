import { randomUUID } from 'node:crypto'
import type { Settings } from '../../core/decision/settings.js'
import { HttpError } from '../http/errors.js'

/** A report that a user requested on a page. */
export interface ReportJobRequest {
  channel: string
  /** Id and name of the RFQ; null for the overview of the channel. */
  rfq: { id: string; name: string } | null
  asOf: Date
  settings: Settings
  /** A report with other settings than the configured ones, which a user tries out. */
  isWhatIf: boolean
  /** Name of the user. */
  requestedBy: string
}

/**
 * Writes a report.
 * @param onProgress called with the completed fraction, from 0 to 1
 * @returns the file name in the report folder
 */
export type MakeReportFile = (request: ReportJobRequest, onProgress: (progress: number) => void) => Promise<string>

export interface ReportJob {
  id: string
  /** `RFQ 1042 of acme/forest`. */
  title: string
  requestedBy: string
  requestedAt: Date
  state: 'waiting' | 'running' | 'done' | 'failed'
  /** Completed fraction, from 0 to 1. */
  progress: number
  /** Name in the report folder once it is done, otherwise null. */
  file: string | null
  error: string | null
}

export interface ReportJobs {
  /** @throws HttpError 503 if the queue is full */
  enqueue(request: ReportJobRequest, now: Date): ReportJob
  find(id: string): ReportJob | undefined
  /** Newest first. */
  list(): ReportJob[]
}

/** Maximum number of waiting reports. */
const MAX_WAITING = 10
/** Finished jobs beyond this number are forgotten, oldest first. */
const MAX_JOBS = 50

/** A queue in memory that generates one report at a time. Jobs are lost when the service stops; written reports are kept. */
export function createReportJobs(make: MakeReportFile, describeError: (error: unknown) => string): ReportJobs {
  const jobs = new Map<string, ReportJob>()
  let tail: Promise<void> = Promise.resolve()

  async function run(job: ReportJob, request: ReportJobRequest): Promise<void> {
    job.state = 'running'
    try {
      job.file = await make(request, (progress) => {
        job.progress = progress
      })
      Object.assign(job, { state: 'done', progress: 1 })
    } catch (error) {
      Object.assign(job, { state: 'failed', error: describeError(error) })
    }
  }

  return {
    enqueue(request, now) {
      const waiting = [...jobs.values()].filter(({ state }) => state === 'waiting').length
      if (waiting >= MAX_WAITING)
        throw new HttpError(503, `the report queue is full (${waiting} waiting); try again in a minute`, {
          'retry-after': 60,
        })
      const title =
        request.rfq === null ? `Overview of ${request.channel}` : `RFQ ${request.rfq.name} of ${request.channel}`
      const state = { state: 'waiting', progress: 0, file: null, error: null } as const
      const job: ReportJob = { id: randomUUID(), title, requestedBy: request.requestedBy, requestedAt: now, ...state }
      jobs.set(job.id, job)
      for (const [id, { state: jobState }] of jobs) {
        if (jobs.size <= MAX_JOBS) break
        if (jobState === 'done' || jobState === 'failed') jobs.delete(id)
      }
      tail = tail.then(() => run(job, request))
      return job
    },
    find: (id) => jobs.get(id),
    list: () => [...jobs.values()].reverse(),
  }
}
