import { createFindClosingBlocker } from '../closing/closing-blockers.js'
import { closingKillSwitch } from '../closing/kill-switch.js'
import type { Config } from '../config/contract.js'
import { withTimeout } from '../core/async.js'
import type { RunRecord } from '../core/records.js'
import type { Clock } from '../core/time/clock.js'
import { formatAge } from '../core/time/read-times.js'
import type { Store } from '../store/contract.js'
import type { Readiness, ReadinessCheck } from './contract.js'
import { describeMaintenance } from './maintenance-status.js'
import { checkPollFreshness, oneLine, type PollState, pollStateLoader } from './poll-freshness.js'

export interface ReadinessOptions {
  config: Pick<Config, 'channels' | 'closing' | 'database' | 'file' | 'schedule' | 'scheduleTimeZone' | 'requests'> &
    Partial<Pick<Config, 'rates'>>
  store: Pick<
    Store,
    | 'runs'
    | 'newestList'
    | 'newestRun'
    | 'newestCompleteRun'
    | 'checkWritable'
    | 'lastClose'
    | 'unsettledCloses'
    | 'closingStop'
    | 'maintenanceState'
  >
  runner: { ping(): Promise<{ ok: boolean; message: string }> }
  now: Clock
  /** Whether ticks of the schedule happen; null, the default, in a process that does not schedule. */
  checkSchedule?: () => Pick<ReadinessCheck, 'ok' | 'message'> | null
}

/** Checks that the database is writable, the queue accepts writes, and every channel was polled completely in time. */
export function createReadiness({ config, store, runner, now, checkSchedule }: ReadinessOptions): Readiness {
  const loadPollStates = pollStateLoader(config, store)
  const checkWritable = reuseResult(() => store.checkWritable(), WRITE_TEST_INTERVAL_MS)
  const checkClosing = closingChecks(config, store)
  return async () => {
    const moment = now()
    let states: PollState[] = []
    let closing: ReadinessCheck[] = []
    let maintenance: ReadinessCheck[] = []
    const database = async () => {
      states = await loadPollStates(moment)
      closing = await checkClosing(moment)
      maintenance = await describeMaintenance(store, config)
      return checkWritable()
    }
    const checks = await Promise.all([runCheck('database', database), runCheck('queue', () => runner.ping())])
    const ticks = checkSchedule?.() ?? null
    const schedule = ticks === null ? [] : [{ name: 'schedule', ...ticks }]
    return [...checks, ...schedule, ...checkPollFreshness(states, moment), ...closing, ...maintenance]
  }
}

/** The state of closing on each channel that the schedule closes, and what blocks closing, even if it is only started manually. */
function closingChecks(
  config: ReadinessOptions['config'],
  store: ReadinessOptions['store'],
): (now: Date) => Promise<ReadinessCheck[]> {
  const channels = config.channels.filter(({ autoClose }) => autoClose !== 'off')
  const isScheduled = config.schedule.closeExpired !== null
  const findClosingBlocker = createFindClosingBlocker(config, store)
  const killSwitch = closingKillSwitch(config, store)
  return async (now) => {
    const blockers = await Promise.all(
      channels.map(async ({ key }) => ({ key, blocker: await findClosingBlocker(key) })),
    )
    const shown = blockers.filter(({ blocker }) => isScheduled || blocker !== null)
    if (shown.length > 0)
      return Promise.all(shown.map(({ key, blocker }) => describeClosing(store, key, { now, blocker })))
    const stop = config.closing.enabled ? await killSwitch() : null
    return stop === null ? [] : [{ name: 'closing', ok: true, message: stopText(stop) }]
  }
}

/** How long the result of a write test is reused, so that frequent requests do not wear the disk, in milliseconds. */
const WRITE_TEST_INTERVAL_MS = 2_000

function reuseResult<T>(call: () => Promise<T>, milliseconds: number): () => Promise<T> {
  let last: { at: number; result: Promise<T> } | null = null
  return () => {
    const at = performance.now()
    if (last === null || at - last.at > milliseconds) last = { at, result: call() }
    return last.result
  }
}

/** How long a check may take, in milliseconds, so that a server that hangs does not delay the result. */
const MAX_CHECK_MS = 5000

async function runCheck(name: string, check: () => Promise<{ ok: boolean; message: string }>): Promise<ReadinessCheck> {
  const result = check().catch((error: Error) => ({ ok: false, message: error.message }))
  if (await withTimeout(result, MAX_CHECK_MS)) return { name, ...(await result) }
  return { name, ok: false, message: `the ${name} does not answer within ${MAX_CHECK_MS / 1000} s` }
}

type ClosingStore = Pick<Store, 'newestRun' | 'lastClose' | 'unsettledCloses'>

/** Maximum number of RFQs that are named; the rest are counted. */
const MAX_NAMED = 5

/** A message for what blocks closing. A person's order already begins with "stopped". */
const stopText = (blocker: string): string => (blocker.startsWith('stopped ') ? blocker : `stopped: ${blocker}`)

/**
 * The state of closing on a channel, in one line: what blocks it, the last round and why it is not complete, the last close, and what
 * needs attention. It never makes the service unready, because no restart would change it; `quotekeeper check` fails on it.
 */
async function describeClosing(
  store: ClosingStore,
  channel: string,
  { now, blocker }: { now: Date; blocker: string | null },
): Promise<ReadinessCheck> {
  const [round, close, closes] = await Promise.all([
    store.newestRun({ channel, kind: 'close' }),
    store.lastClose(channel),
    store.unsettledCloses({ channel, now }),
  ])
  const unsettled = closes.filter(({ inProgress }) => !inProgress)
  const named = unsettled
    .slice(0, MAX_NAMED)
    .map(({ outcome, rfqNumber, rfqId }) => `RFQ ${rfqNumber ?? rfqId} ${outcome === 'open' ? 'unsettled' : outcome}`)
  const more = unsettled.length - named.length
  const openItems = [...named, ...(more > 0 ? [`${more} more`] : [])]
  const parts = [
    blocker === null ? null : stopText(blocker),
    round?.finishedAt
      ? `last round ${formatAge(round.finishedAt, now)} ago: ${round.outcome}${causeOf(round, blocker)}`
      : 'no round yet',
    close
      ? `last close ${formatAge(close.decidedAt, now)} ago: RFQ ${close.rfqNumber ?? close.rfqId} ${close.outcome}`
      : null,
    openItems.length > 0 ? `needs attention: ${openItems.join(', ')}; see \`quotekeeper closings\`` : null,
  ]
  return { name: `closing of ${channel}`, ok: true, message: parts.filter((part) => part !== null).join('; ') }
}

/** Why a round is not complete, without what the line already says: what blocks closing, and which closes need attention. */
function causeOf(round: RunRecord, blocker: string | null): string {
  const { cause, stop } = round
  if (cause === null || (blocker !== null && ['kill-switch', 'mass-loss'].includes(stop?.code ?? ''))) return ''
  return `: ${oneLine({ ...round, error: cause }).replace(/\.$/, '')}`
}
