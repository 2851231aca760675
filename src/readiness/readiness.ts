import { createFindClosingBlocker } from '../closing/closing-blockers.js'
import { closingKillSwitch } from '../closing/kill-switch.js'
import type { Config } from '../config/contract.js'
import { type Cron, compileCron } from '../config/cron.js'
import { withTimeout } from '../core/async.js'
import { CLOCK_REMEDY, type Clock, describeFutureTimes, type FutureTimes } from '../core/time/clock.js'
import type { Store } from '../store/contract.js'
import { minPollMs } from '../sync/plan/poll-planning.js'
import { describeClosing, stopText } from './closing-status.js'
import type { Readiness, ReadinessCheck } from './contract.js'
import { describeMaintenance } from './maintenance-status.js'
import { checkPollFreshness, newestRuns, type PollState } from './poll-freshness.js'

export interface ReadinessOptions {
  config: Pick<Config, 'channels' | 'closing' | 'database' | 'file' | 'schedule' | 'scheduleTimeZone' | 'requests'> &
    Partial<Pick<Config, 'anchors'>>
  store: Pick<
    Store,
    | 'runs'
    | 'newestListRead'
    | 'newestRun'
    | 'newestCompleteRun'
    | 'checkWritable'
    | 'lastClose'
    | 'unsettledCloses'
    | 'pendingPlans'
    | 'closingStop'
    | 'maintenanceState'
    | 'futureTimes'
  >
  runner: { ping(): Promise<{ ok: boolean; message: string }> }
  now: Clock
  /** Whether ticks of the schedule come; null, the default, in a process that does not schedule. */
  checkSchedule?: () => Pick<ReadinessCheck, 'ok' | 'message'> | null
}

/** A poll is stale after this many schedule intervals without a complete run. */
const MAX_AGE_INTERVALS = 3
const YEAR_MS = 366 * 24 * 3_600_000

/** Checks that the database is writable, the queue accepts writes, and every channel was polled completely of late. */
export function createReadiness({ config, store, runner, now, checkSchedule }: ReadinessOptions): Readiness {
  const loadPollStates = pollStateLoader(config, store)
  const checkWritable = reuseResult(() => store.checkWritable(), WRITE_TEST_INTERVAL_MS)
  const checkClosing = closingChecks(config, store)
  return async () => {
    const moment = now()
    let states: PollState[] = []
    let closing: ReadinessCheck[] = []
    let maintenance: ReadinessCheck[] = []
    let clock: ReadinessCheck[] = []
    const database = async () => {
      states = await loadPollStates(moment)
      closing = await checkClosing(moment)
      maintenance = await describeMaintenance(store, config, moment)
      clock = clockChecks(await store.futureTimes(moment))
      return checkWritable()
    }
    const checks = await Promise.all([runCheck('database', database), runCheck('queue', () => runner.ping())])
    const ticks = checkSchedule?.() ?? null
    const schedule = ticks === null ? [] : [{ name: 'schedule', ...ticks }]
    return [...checks, ...schedule, ...checkPollFreshness(states, moment), ...clock, ...closing, ...maintenance]
  }
}

/** Times in the future never make the service unready: no order depends on them, and no restart would change them. */
const clockChecks = (found: readonly FutureTimes[]): ReadinessCheck[] =>
  found.map((times) => ({
    name: `clock of ${times.channel}`,
    ok: true,
    message: `${describeFutureTimes(times)}; ${CLOCK_REMEDY}`,
  }))

/** The state of closing on each channel that the schedule closes, and what stops closing, also if only persons close. */
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
      channels.map(async ({ key }) => ({ key, blocker: await findClosingBlocker(key, now) })),
    )
    const shown = blockers.filter(({ blocker }) => isScheduled || blocker !== null)
    if (shown.length > 0)
      return Promise.all(shown.map(({ key, blocker }) => describeClosing(store, key, { now, blocker })))
    const stop = config.closing.enabled ? await killSwitch() : null
    return stop === null ? [] : [{ name: 'closing', ok: true, message: stopText(stop) }]
  }
}

/** The part of the configuration that says which polls there are. */
export type PollConfig = Pick<Config, 'schedule' | 'scheduleTimeZone' | 'requests'> & {
  channels: readonly { key: string }[]
}

/** Creates the function that tells how recently each scheduled poll of each channel completed. */
export function pollStateLoader(
  config: PollConfig,
  store: Pick<Store, 'runs' | 'newestCompleteRun'>,
): (at: Date) => Promise<PollState[]> {
  const crons = pollCrons(config)
  const minIntervalMs = minPollMs(config)
  return async (at) => {
    const kinds = crons.map(({ kind, cron }) => ({
      kind,
      staleBefore: staleBefore(cron, at, kind === 'rfqs' ? minIntervalMs : 0),
    }))
    const states = config.channels.flatMap(({ key: channel }) => kinds.map((kind) => ({ channel, ...kind })))
    return Promise.all(states.map(async (state) => ({ ...state, ...(await newestRuns(store, state)) })))
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

/** How long a check may take, in milliseconds: who asks does not wait for a server that hangs. */
const MAX_CHECK_MS = 5000

async function runCheck(name: string, check: () => Promise<{ ok: boolean; message: string }>): Promise<ReadinessCheck> {
  const result = check().catch((error: Error) => ({ ok: false, message: error.message }))
  if (await withTimeout(result, MAX_CHECK_MS)) return { name, ...(await result) }
  return { name, ok: false, message: `the ${name} does not answer within ${MAX_CHECK_MS / 1000} s` }
}

const KINDS = ['listings', 'rfqs'] as const

function pollCrons({ schedule, scheduleTimeZone }: Pick<Config, 'schedule' | 'scheduleTimeZone'>) {
  return KINDS.flatMap((kind) => {
    const expression = schedule[kind]
    return expression === null ? [] : [{ kind, cron: compileCron(expression, scheduleTimeZone) }]
  })
}

/**
 * Three intervals ago, counted in ticks, so that a schedule that pauses at night is not stale in the morning.
 * @param minIntervalMs how long an interval is at least, because the request limit does not allow more polls
 */
function staleBefore(cron: Cron, now: Date, minIntervalMs: number): Date | null {
  const after = new Date(now.getTime() - YEAR_MS)
  const ticks: number[] = []
  for (let upTo = now; ticks.length <= MAX_AGE_INTERVALS; upTo = new Date((ticks.at(-1) ?? 0) - 1)) {
    const tick = cron.lastTick({ after, upTo })
    if (tick === null) return null
    ticks.push(tick.getTime())
  }
  const [newest = 0, latest = 0, oldest = 0] = [ticks[0], ticks[MAX_AGE_INTERVALS - 1], ticks[MAX_AGE_INTERVALS]]
  const longest = now.getTime() - MAX_AGE_INTERVALS * minIntervalMs
  return new Date(Math.min(oldest + (now.getTime() - newest), latest, longest))
}
