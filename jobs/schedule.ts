import type { Config, JobSchedule } from '../src/config/contract.js'
import { type Cron, compileCron } from '../src/config/cron.js'
import type { Clock, MonotonicClock } from '../src/core/time/clock.js'
import type { JobName, JobRunner, Log } from './contract.js'

export interface ScheduleOptions {
  config: Pick<Config, 'channels' | 'schedule' | 'scheduleTimeZone'>
  enqueue: JobRunner['enqueue']
  now: Clock
  /** Default: that of this process. */
  elapsed?: MonotonicClock
  log: Log
}

/** Enqueues jobs when they become due. */
export interface Schedule {
  /** How often to tick, in milliseconds: every minute; every second if any expression has six fields. */
  stepMs: number
  /**
   * Enqueues the jobs that became due since the start or the last tick.
   * @throws the first error of a job that could not be enqueued; the next tick retries
   */
  tick(): Promise<void>
  /** Whether ticks happen, by the monotonic clock; for readiness. */
  check(): { ok: boolean; message: string }
}

const JOB_NAME: Record<JobSchedule, JobName> = {
  listings: 'poll-listings',
  rfqs: 'poll-rfqs',
  closeExpired: 'close-expired',
  channelReport: 'channel-report',
}
/** The schedule is not ready if no tick has ended for this long, in milliseconds: three intervals. */
const MAX_TICK_AGE_MS = 180_000

/** One kind of job for one channel. */
interface ScheduledJob {
  name: JobName
  channel: string
  cron: Cron
  /** Ticks up to this moment are enqueued. */
  enqueuedUpTo: Date
  /** Whether it is to be enqueued without a tick, at start-up. */
  atStart: boolean
}

/**
 * Schedules the configured jobs of every channel. Several missed ticks (the machine slept, the queue was unavailable)
 * become one job; a tick counts as enqueued only when the queue accepted it. Each poll also runs once at start-up. When the clock is set, the
 * schedule goes on from the new time.
 */
export function createSchedule({
  config,
  enqueue,
  now,
  elapsed = () => performance.now(),
  log,
}: ScheduleOptions): Schedule {
  const jobs = createScheduledJobs(config, now())
  let endedAt = elapsed()

  const enqueueDue = async (job: ScheduledJob, upTo: Date): Promise<void> => {
    const { name, channel } = job
    if (upTo < job.enqueuedUpTo) job.enqueuedUpTo = upTo // The clock was set back.
    const tick = job.cron.lastTick({ after: job.enqueuedUpTo, upTo })
    if (tick !== null || job.atStart) {
      const id = await enqueue(name, { channel, cause: tick ? 'tick' : 'start' })
      log.debug({ job: name, channel, id }, id === null ? 'such a job waits or runs' : 'job enqueued')
    }
    job.enqueuedUpTo = upTo
    job.atStart = false
  }
  return {
    stepMs: Math.min(60_000, ...jobs.map(({ cron }) => cron.stepMs)),
    async tick() {
      const upTo = now()
      const results = await Promise.allSettled(jobs.map((job) => enqueueDue(job, upTo)))
      endedAt = elapsed()
      for (const result of results) if (result.status === 'rejected') throw result.reason
    },
    check() {
      const sinceTickMs = elapsed() - endedAt
      if (sinceTickMs <= MAX_TICK_AGE_MS) return { ok: true, message: 'enqueues jobs when they become due' }
      const minutes = Math.floor(sinceTickMs / 60_000)
      return { ok: false, message: `no tick for ${minutes} min, so no job becomes due; restart this process` }
    },
  }
}

function createScheduledJobs(
  { channels, schedule, scheduleTimeZone }: ScheduleOptions['config'],
  start: Date,
): ScheduledJob[] {
  return (Object.keys(JOB_NAME) as JobSchedule[]).flatMap((kind) => {
    const expression = schedule[kind]
    if (expression === null) return []
    const cron = compileCron(expression, scheduleTimeZone)
    const atStart = kind === 'listings' || kind === 'rfqs'
    const scheduled = channels.filter(({ autoClose }) => kind !== 'closeExpired' || autoClose !== 'off')
    return scheduled.map(({ key }) => ({ name: JOB_NAME[kind], channel: key, cron, enqueuedUpTo: start, atStart }))
  })
}
