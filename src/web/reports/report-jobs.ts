import { randomUUID } from 'node:crypto'
import type { Settings } from '../../core/decision/settings.js'
import { HttpError } from '../http/errors.js'

/** A report that a user requested on a page. */
export interface ReportJobRequest {
  channel: string
  /** Id and name of the RFQ; null for the overview of the channel. */
  rfq: { id: string; name: string } | null
  asOf: Date
  format: 'xlsx' | 'html'
  settings: Settings
  /** Whether the settings differ from the configuration. */
  isWhatIf: boolean
  /** The name of the user who asked for it. */
  by: string
}

/**
 * Writes a report.
 * @param onProgress called with the share that is done
 * @returns its name in the report folder
 */
export type MakeReportFile = (request: ReportJobRequest, onProgress: (share: number) => void) => Promise<string>

export interface ReportJob {
  id: string
  /** `RFQ 1042 of acme/forest`. */
  title: string
  by: string
  startedAt: Date
  state: 'waiting' | 'running' | 'done' | 'failed'
  /** Share that is done, from 0 to 1. */
  progress: number
  /** Name in the report folder, once it is done. */
  file: string | null
  error: string | null
}

export interface ReportJobs {
  /** @throws HttpError 503 if too many wait already */
  start(request: ReportJobRequest, now: Date): ReportJob
  find(id: string): ReportJob | undefined
  /** Newest first. */
  list(): ReportJob[]
}

/** Maximum number of waiting reports. */
const MAX_WAITING = 10
/** Maximum number of jobs kept in memory. */
const MAX_JOBS = 50

/** Makes reports one after another, and remembers their status until the service stops. */
export function createReportJobs(make: MakeReportFile, describeError: (error: unknown) => string): ReportJobs {
  const jobs = new Map<string, ReportJob>()
  let last: Promise<void> = Promise.resolve()

  async function run(job: ReportJob, request: ReportJobRequest): Promise<void> {
    job.state = 'running'
    try {
      job.file = await make(request, (share) => {
        job.progress = share
      })
      Object.assign(job, { state: 'done', progress: 1 })
    } catch (error) {
      Object.assign(job, { state: 'failed', error: describeError(error) })
    }
  }

  return {
    start(request, now) {
      const waiting = [...jobs.values()].filter(({ state }) => state === 'waiting').length
      if (waiting >= MAX_WAITING)
        throw new HttpError(503, `${waiting} reports are already waiting; try again in a minute`, { 'retry-after': 60 })
      const title =
        request.rfq === null ? `Overview of ${request.channel}` : `RFQ ${request.rfq.name} of ${request.channel}`
      const state = { state: 'waiting', progress: 0, file: null, error: null } as const
      const job: ReportJob = { id: randomUUID(), title, by: request.by, startedAt: now, ...state }
      jobs.set(job.id, job)
      for (const [id, { state: known }] of jobs) {
        if (jobs.size <= MAX_JOBS) break
        if (known === 'done' || known === 'failed') jobs.delete(id)
      }
      last = last.then(() => run(job, request))
      return job
    },
    find: (id) => jobs.get(id),
    list: () => [...jobs.values()].reverse(),
  }
}
