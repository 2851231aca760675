import type { Config } from '../config/contract.js'
import { type Cron, compileCron } from '../config/cron.js'
import type { RequestRates, RunKind, RunRecord } from '../core/records.js'
import { describeShortage } from '../core/requests/request-rates.js'
import { ageOf } from '../core/time/clock.js'
import { formatAge } from '../core/time/read-times.js'
import type { RunQueries, Store } from '../store/contract.js'
import { minPollMs } from '../sync/budget.js'
import type { ReadinessCheck } from './contract.js'

/** The fields of a run that readiness uses. */
export type FinishedRun = Pick<RunRecord, 'finishedAt'> &
  Partial<Pick<RunRecord, 'outcome' | 'error' | 'failedItems' | 'suspicious'>>

/** How recently one kind of poll completed on one channel. */
export interface PollState {
  channel: string
  kind: 'listings' | 'rfqs'
  /** A complete poll must have finished at or after this moment; null if too few ticks have passed to tell. */
  staleBefore: Date | null
  /** The newest run that counts as complete (`newestCompleteRun`), if any. */
  newest: FinishedRun | null
  /** The newest finished run, if it is newer than that and does not count as complete. */
  failed?: FinishedRun | null
  /** Request rates of the newest poll that planned its requests; manual polls do not plan. */
  rates?: RequestRates | null
}

/** A poll is stale after this many schedule intervals without a complete run. */
const MAX_AGE_INTERVALS = 3
const YEAR_MS = 366 * 24 * 3_600_000
const MAX_ERROR_LENGTH = 300

/** Runs searched for one that planned its requests. */
const MAX_RECENT_RUNS = 50

/** Whether a run is partial only because it was limited to a part, as by `report --fresh`: nothing failed. */
const isLimited = ({ outcome, failedItems }: Pick<RunRecord, 'outcome' | 'failedItems'>): boolean =>
  outcome === 'partial' && failedItems === 0

/**
 * Returns the newest run that counts as complete; the newest finished run if it is newer and does not count as complete; and the rates of
 * the newest run that planned its requests.
 */
export async function newestRuns(
  store: Pick<RunQueries, 'runs' | 'newestCompleteRun'>,
  { channel, kind }: { channel: string; kind: RunKind },
): Promise<{ newest: RunRecord | null; failed: RunRecord | null; rates: RequestRates | null }> {
  const [newest, recent] = await Promise.all([
    store.newestCompleteRun({ channel, kind }),
    store.runs({ channel, kind, limit: MAX_RECENT_RUNS }),
  ])
  const finished = recent.filter(({ finishedAt }) => finishedAt !== null)
  const last = finished.find((run) => !isLimited(run))
  const planned = finished.find(({ requestRates }) => requestRates !== null)
  return { newest, failed: last && last.id !== newest?.id ? last : null, rates: planned?.requestRates ?? null }
}

/** Whether no complete poll is as recent as the schedule demands. */
export function isStale({ staleBefore, newest }: Pick<PollState, 'staleBefore' | 'newest'>, now: Date): boolean {
  if (staleBefore === null) return false
  if (newest?.finishedAt == null) return true
  return ageOf(newest.finishedAt, now) > now.getTime() - staleBefore.getTime()
}

/**
 * Checks that each poll last completed within three schedule intervals; names the last error.
 * @param now used to show ages
 */
export const checkPollFreshness = (polls: readonly PollState[], now: Date): ReadinessCheck[] =>
  polls.map((poll) => ({ name: `${poll.kind} of ${poll.channel}`, ...checkPoll(poll, now) }))

/** The check of one poll, without its name. */
export function checkPoll(poll: PollState, now: Date): Omit<ReadinessCheck, 'name'> {
  const { newest, failed } = poll
  const ok = !isStale(poll, now)
  const lastError = failed?.finishedAt
    ? `; last error ${formatAge(failed.finishedAt, now)} ago: ${oneLine(failed)}`
    : ''
  if (newest?.finishedAt == null) return { ok, message: `no complete poll yet${lastError}` }
  // A complete poll has an error if an RFQ can never be read.
  const exception = newest.error || newest.outcome === 'partial' ? `, except ${oneLine(newest)}` : ''
  const shortage = describeShortage(poll.rates)
  const rates = shortage === null ? '' : `; ${shortage}`
  const message = `last complete poll ${formatAge(newest.finishedAt, now)} ago${exception}${rates}`
  if (ok) return { ok, message: message + lastError }
  return { ok, message: `${message} (older than 3 intervals)${lastError}; see \`quotekeeper runs\`` }
}

/** The error of a run on one line, cut; its outcome if it has none. */
export function oneLine({ error, outcome }: FinishedRun): string {
  const text = (error ?? `the run was ${outcome ?? 'not finished'}`).replaceAll(/\s+/g, ' ')
  return text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH - 1)}…` : text
}

/** The part of the configuration that determines the polls. */
export type PollConfig = Pick<Config, 'schedule' | 'scheduleTimeZone' | 'requests'> & {
  channels: readonly { key: string }[]
}

/** Creates a function that loads how recently each scheduled poll of each channel completed. */
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

const KINDS = ['listings', 'rfqs'] as const

function pollCrons({ schedule, scheduleTimeZone }: Pick<Config, 'schedule' | 'scheduleTimeZone'>) {
  return KINDS.flatMap((kind) => {
    const expression = schedule[kind]
    return expression === null ? [] : [{ kind, cron: compileCron(expression, scheduleTimeZone) }]
  })
}

/**
 * The moment three intervals ago, counted in ticks, so that a schedule that pauses at night is not stale in the morning.
 * @param minIntervalMs minimum length of an interval, because the request limit does not allow more polls
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
  const atRequestLimit = now.getTime() - MAX_AGE_INTERVALS * minIntervalMs
  return new Date(Math.min(oldest + (now.getTime() - newest), latest, atRequestLimit))
}

/** Whether one kind of poll of a channel is behind its schedule. */
export interface PollCheck {
  channel: string
  kind: 'listings' | 'rfqs'
  ok: boolean
  message: string
  /** When the newest complete poll finished; null if none did. */
  completeAt: string | null
  /** When a poll found that the list may not be whole; null unless the newest one did. */
  lostEntriesAt: string | null
}

/** Checks each scheduled poll of each channel, as readiness does. */
export function createPollChecks(
  config: PollConfig,
  store: Pick<Store, 'runs' | 'newestCompleteRun'>,
): (now: Date) => Promise<PollCheck[]> {
  const loadPollStates = pollStateLoader(config, store)
  return async (now) =>
    (await loadPollStates(now)).map((state) => ({
      channel: state.channel,
      kind: state.kind,
      ...checkPoll(state, now),
      completeAt: state.newest?.finishedAt ?? null,
      lostEntriesAt: state.failed?.suspicious ? (state.failed.finishedAt ?? null) : null,
    }))
}
