import { createFindClosingBlocker } from '../closing/kill-switch.js'
import type { Config } from '../config/contract.js'
import { withTimeout } from '../core/async.js'
import { ratesTask } from '../core/decision/rate-source.js'
import type { QueueLoad } from '../core/queue-load.js'
import { formatCount } from '../core/text/number-format.js'
import type { Clock } from '../core/time/clock.js'
import type { MaintenanceTask, Store } from '../store/contract.js'
import { createPollChecks, errorOf } from './poll-freshness.js'

/** One condition that must hold for the service to do its work. */
export interface ReadinessCheck {
  /** `database`, `queue`, `rfqs of acme/forest`, … */
  name: string
  ok: boolean
  /** For operators; never contains a secret. */
  message: string
}

/** Runs every check; settles within seconds. */
export type Readiness = () => Promise<ReadinessCheck[]>

export interface ReadinessOptions {
  config: Config
  store: Store
  runner: { load(): Promise<QueueLoad> }
  now: Clock
  /** Says whether its ticks happen. Default null: this process does not schedule. */
  schedule?: { check(): { ok: boolean; message: string } } | null
}

/**
 * Checks that the database is writable, the queue accepts writes, and every channel was polled completely in time. What keeps closing and
 * maintenance from working is named, and never makes the service unready, because no restart would change it.
 */
export function createReadiness({ config, store, runner, now, schedule = null }: ReadinessOptions): Readiness {
  const checkPolls = createPollChecks(config, store)
  const describeClosing = closingChecks(config, store)
  return async () => {
    const moment = now()
    const others: ReadinessCheck[] = []
    const database = async () => {
      const polls = await checkPolls(moment)
      others.push(...polls.map(({ channel, kind, ok, message }) => ({ name: `${kind} of ${channel}`, ok, message })))
      others.push(...(await describeClosing(moment)), ...(await describeMaintenance(store, config)))
      return store.checkWritable()
    }
    const queue = async () => {
      const { waiting, active } = await runner.load()
      return { ok: true, message: `${formatCount(waiting, 'job')} waiting, ${active} running` }
    }
    const checks = await Promise.all([runCheck('database', database), runCheck('queue', queue)])
    return [...checks, ...(schedule === null ? [] : [{ name: 'schedule', ...schedule.check() }]), ...others]
  }
}

/** What keeps each channel from closing, and how many closes need attention; nothing if that is all well. */
export function closingChecks(config: Config, store: Store): (now: Date) => Promise<ReadinessCheck[]> {
  const channels = config.channels.filter(({ autoClose }) => autoClose !== 'off')
  const findClosingBlocker = createFindClosingBlocker(config, store)
  return async (now) => {
    const checks: ReadinessCheck[] = []
    for (const { key } of channels) {
      const blocker = await findClosingBlocker(key)
      const round = blocker === null ? await store.newestRun({ channel: key, kind: 'close' }) : null
      const closes = (await store.unsettledCloses({ channel: key, now })).filter(({ inProgress }) => !inProgress)
      const parts: string[] = []
      // A person's order already begins with "stopped".
      if (blocker !== null) parts.push(blocker.startsWith('stopped ') ? blocker : `stopped: ${blocker}`)
      if (round?.finishedAt && round.cause !== null)
        parts.push(`last round: ${errorOf({ ...round, error: round.cause })}`)
      if (closes.length > 0)
        parts.push(`needs attention: ${formatCount(closes.length, 'close')}; see \`quotekeeper closings\``)
      if (parts.length > 0) checks.push({ name: `closing of ${key}`, ok: true, message: parts.join('; ') })
    }
    return checks
  }
}

/** The configured maintenance tasks that failed. */
export async function describeMaintenance(
  store: Pick<Store, 'maintenanceState'>,
  { rates }: Pick<Config, 'rates'>,
): Promise<ReadinessCheck[]> {
  const tasks = new Map<string, MaintenanceTask>([['pruning', 'prune']])
  if (rates !== null) tasks.set('exchange rates', ratesTask(rates))
  const checks: ReadinessCheck[] = []
  for (const [name, task] of tasks) {
    const error = (await store.maintenanceState(task))?.error ?? null
    if (error !== null) checks.push({ name, ok: true, message: `not done: ${error}` })
  }
  return checks
}

/** How long a check may take, in milliseconds, so that a server that hangs does not delay the result. */
const MAX_CHECK_MS = 5000

async function runCheck(name: string, check: () => Promise<{ ok: boolean; message: string }>): Promise<ReadinessCheck> {
  const result = check().catch((error: Error) => ({ ok: false, message: error.message }))
  if (await withTimeout(result, MAX_CHECK_MS)) return { name, ...(await result) }
  return { name, ok: false, message: `the ${name} does not answer within ${MAX_CHECK_MS / 1000} s` }
}
