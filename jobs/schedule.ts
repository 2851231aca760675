import { type Logger as CronLogger, createTask, type ScheduledTask } from 'node-cron'
import type { Config, JobSchedule } from '../src/config.js'
import type { Clock } from '../src/domain/clock.js'
import type { JobName, JobRunner, Log } from './contract.js'
import { type Cron, compileCron } from './cron.js'
import { jobId } from './job-id.js'

export interface ScheduleOptions {
  config: Pick<Config, 'channels' | 'schedule' | 'scheduleTimeZone'>
  enqueue: JobRunner['enqueue']
  now: Clock
  log: Log
}

/** Cron ticks that only enqueue. */
export interface Schedule {
  /** Enqueues what is owed since the start or the last beat; never rejects, one at a time. */
  tick(): Promise<void>
  /** Lets node-cron beat it, now and at every minute (every second where an expression has six fields). */
  start(): void
  /** No more beats; waits for the one under way. */
  stop(): Promise<void>
}

const JOB_OF: Record<JobSchedule, JobName> = {
  listings: 'poll-listings',
  rfqs: 'poll-rfqs',
  closeExpired: 'close-expired',
  channelReport: 'channel-report',
}
const DAY_MS = 24 * 3_600_000

/** One kind of job on one channel. */
interface ScheduledJob {
  name: JobName
  channel: string
  cron: Cron
  /** Ticks up to here are dealt with. */
  after: Date
  /** A run that the start owes: nobody knows what was missed before. */
  catchUp: Date | null
}

/**
 * A schedule of the configured jobs on every channel. Ticks that were missed (the process slept, the queue was away)
 * make one job, with the id of the newest tick; a tick is dealt with only when the queue took it. Each poll is owed
 * once at the start.
 */
export function createSchedule({ config, enqueue, now, log }: ScheduleOptions): Schedule {
  const lines = createScheduledJobs(config, now())
  const stepMs = Math.min(...lines.map(({ cron }) => cron.stepMs))
  let task: ScheduledTask | null = null
  let underWay: Promise<void> = Promise.resolve()

  const beatOnce = async () => {
    const upTo = now()
    const results = await Promise.allSettled(lines.map((line) => enqueueDue(line, upTo, enqueue, log)))
    const failures = results.filter((result) => result.status === 'rejected')
    if (failures.length === 0) return
    const facts = { jobs: failures.length, err: failures[0]?.reason }
    log.error(facts, 'scheduled jobs could not be put in the queue; they are tried again at the next beat')
  }
  const beat = () => {
    underWay = underWay.then(beatOnce)
    return underWay
  }
  return {
    tick: beat,
    start() {
      if (lines.length === 0) return
      // Late beats count too: what they missed is found by `lastTick`.
      task = createTask(stepMs < 60_000 ? '* * * * * *' : '* * * * *', beat, {
        timezone: 'UTC',
        noOverlap: true,
        missedExecutionTolerance: DAY_MS,
        suppressMissedWarning: true,
        logger: cronLog(log),
      })
      void task.start()
      void beat()
    },
    async stop() {
      await task?.destroy()
      await underWay
    },
  }
}

function createScheduledJobs(
  { channels, schedule, scheduleTimeZone }: ScheduleOptions['config'],
  start: Date,
): ScheduledJob[] {
  const lines: ScheduledJob[] = []
  for (const kind of Object.keys(JOB_OF) as JobSchedule[]) {
    const expression = schedule[kind]
    if (expression === null) continue
    const cron = compileCron(expression, scheduleTimeZone)
    const owed = kind === 'listings' || kind === 'rfqs' ? minuteOf(start) : null
    for (const channel of channels) {
      if (kind === 'closeExpired' && channel.autoClose === 'off') continue
      lines.push({ name: JOB_OF[kind], channel: channel.key, cron, after: start, catchUp: owed })
    }
  }
  return lines
}

async function enqueueDue(line: ScheduledJob, upTo: Date, enqueue: JobRunner['enqueue'], log: Log): Promise<void> {
  const { name, channel, catchUp: owed } = line
  if (upTo < line.after) line.after = upTo // The clock was set back.
  const tick = line.cron.lastTick({ after: line.after, upTo })
  const at = tick ?? owed
  if (at !== null) {
    const id = jobId(name, { channel }, at)
    const added = await enqueue(name, { channel, cause: tick ? 'tick' : 'start' }, id)
    log.debug({ job: name, id, added }, added ? 'job enqueued' : 'job known already')
  }
  line.after = upTo
  line.catchUp = null
}

const minuteOf = (moment: Date) => new Date(Math.floor(moment.getTime() / 60_000) * 60_000)

function cronLog(log: Log): CronLogger {
  return {
    debug: (message) => log.debug(String(message)),
    info: (message) => log.debug(message),
    warn: (message) => log.debug(message),
    error: (message, error) => log.error({ err: error ?? message }, 'the clock of the schedule failed'),
  }
}
