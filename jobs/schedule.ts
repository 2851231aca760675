import { type Logger as CronLogger, createTask, type ScheduledTask } from 'node-cron'
import type { Config, JobSchedule } from '../src/config.js'
import type { Clock } from '../src/domain/clock.js'
import type { JobName, JobRunner, Log } from './contract.js'
import { type Cron, compileCron } from './cron.js'
import { jobId } from './job-id.js'

export interface ScheduleOptions {
  config: Pick<Config, 'channels' | 'schedule' | 'scheduleTimeZone'>
  enqueue: JobRunner['enqueue']
  /** Whether this process enqueues a tick, where each process has a queue of its own. Default: it enqueues every tick. */
  claim?: (job: { name: JobName; channel: string }, tick: Date, now: Date) => Promise<boolean>
  now: Clock
  log: Log
}

/** Enqueues jobs when they become due. */
export interface Schedule {
  /** Enqueues the jobs that became due since the start or the last tick. Never rejects; calls run one after another. */
  tick(): Promise<void>
  /** Ticks now and every minute (every second if any expression has six fields). */
  start(): void
  /** Stops ticking, and waits for the tick that is running. */
  stop(): Promise<void>
}

const JOB_NAME: Record<JobSchedule, JobName> = {
  listings: 'poll-listings',
  rfqs: 'poll-rfqs',
  closeExpired: 'close-expired',
  channelReport: 'channel-report',
}
const DAY_MS = 24 * 3_600_000

/** One kind of job for one channel. */
interface ScheduledJob {
  name: JobName
  channel: string
  cron: Cron
  /** Ticks up to this moment are enqueued. */
  enqueuedUpTo: Date
  /** Moment of the job to run at start-up, because ticks may have been missed before; null if none or done. */
  catchUp: Date | null
}

/**
 * Schedules the configured jobs of every channel. Several missed ticks (the machine slept, the queue was unavailable)
 * become one job with the id of the newest; a tick counts as enqueued only when the queue accepted it. Each poll also
 * runs once at start-up.
 */
export function createSchedule({ config, now, log, ...options }: ScheduleOptions): Schedule {
  const jobs = createScheduledJobs(config, now())
  const stepMs = Math.min(...jobs.map(({ cron }) => cron.stepMs))
  let task: ScheduledTask | null = null
  let running: Promise<void> = Promise.resolve()

  const tickOnce = async () => {
    const upTo = now()
    const results = await Promise.allSettled(jobs.map((job) => enqueueDue(job, upTo, { ...options, log })))
    const failures = results.filter((result) => result.status === 'rejected')
    if (failures.length === 0) return
    const facts = { jobs: failures.length, err: failures[0]?.reason }
    log.error(facts, 'cannot enqueue scheduled jobs; retrying at the next tick')
  }
  const tick = () => {
    running = running.then(tickOnce)
    return running
  }
  return {
    tick,
    start() {
      if (jobs.length === 0) return
      // Late calls are run, not skipped: `lastTick` finds the ticks missed meanwhile.
      task = createTask(stepMs < 60_000 ? '* * * * * *' : '* * * * *', tick, {
        timezone: 'UTC',
        noOverlap: true,
        missedExecutionTolerance: DAY_MS,
        suppressMissedWarning: true,
        logger: toCronLogger(log),
      })
      void task.start()
      void tick()
    },
    async stop() {
      await task?.destroy()
      await running
    },
  }
}

function createScheduledJobs(
  { channels, schedule, scheduleTimeZone }: ScheduleOptions['config'],
  start: Date,
): ScheduledJob[] {
  const jobs: ScheduledJob[] = []
  for (const kind of Object.keys(JOB_NAME) as JobSchedule[]) {
    const expression = schedule[kind]
    if (expression === null) continue
    const cron = compileCron(expression, scheduleTimeZone)
    const catchUp = kind === 'listings' || kind === 'rfqs' ? floorToMinute(start) : null
    for (const channel of channels) {
      if (kind === 'closeExpired' && channel.autoClose === 'off') continue
      jobs.push({ name: JOB_NAME[kind], channel: channel.key, cron, enqueuedUpTo: start, catchUp })
    }
  }
  return jobs
}

async function enqueueDue(
  job: ScheduledJob,
  upTo: Date,
  { enqueue, claim, log }: Pick<ScheduleOptions, 'enqueue' | 'claim' | 'log'>,
): Promise<void> {
  const { name, channel, catchUp } = job
  if (upTo < job.enqueuedUpTo) job.enqueuedUpTo = upTo // The clock was set back.
  const tick = job.cron.lastTick({ after: job.enqueuedUpTo, upTo })
  const at = tick ?? catchUp
  if (at !== null) {
    const id = jobId(name, { channel }, at)
    const isOurs = claim === undefined || (await claim(job, at, upTo))
    const added = isOurs && (await enqueue(name, { channel, cause: tick ? 'tick' : 'start' }, id))
    log.debug({ job: name, id, added }, added ? 'job enqueued' : 'job already known')
  }
  job.enqueuedUpTo = upTo
  job.catchUp = null
}

const floorToMinute = (moment: Date) => new Date(Math.floor(moment.getTime() / 60_000) * 60_000)

function toCronLogger(log: Log): CronLogger {
  return {
    debug: (message) => log.debug(String(message)),
    info: (message) => log.debug(message),
    warn: (message) => log.debug(message),
    error: (message, error) => log.error({ err: error ?? message }, 'scheduler error'),
  }
}
