import type { RequestRates, RunKind, RunRecord } from '../core/records.js'
import { describeShortage } from '../core/requests/request-rates.js'
import { formatAge } from '../core/sources/source-text.js'
import { CLOCK_REMEDY, isInFuture, type Timestamp } from '../core/time/clock.js'
import type { RunQueries } from '../store/contract.js'
import type { ReadinessCheck } from './contract.js'

/** What readiness needs to know of a run. */
export type FinishedRun = Pick<RunRecord, 'finishedAt'> &
  Partial<Pick<RunRecord, 'outcome' | 'error' | 'failedItems' | 'suspicious' | 'futureStoredAt'>>

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
  /** What the newest poll that planned its requests needed and had; polls by hand do not plan. */
  rates?: RequestRates | null
}

const MAX_ERROR_LENGTH = 300

/** How many runs to look through for one that planned its requests. */
const MAX_RECENT_RUNS = 50

/** Whether a run is partial only because a part was asked for, as by `report --fresh`: nothing failed. */
const isLimited = ({ outcome, failedItems }: Pick<RunRecord, 'outcome' | 'failedItems'>): boolean =>
  outcome === 'partial' && failedItems === 0

/**
 * The newest run that counts as complete, the newest finished one if it is newer, does not count, and failed, and the rates of
 * the newest one that planned its requests.
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

/** Whether no complete poll is known to be as recent as the schedule demands: of one that ended in the future, that is unknown. */
export function isStale({ staleBefore, newest }: Pick<PollState, 'staleBefore' | 'newest'>, now: Date): boolean {
  if (staleBefore === null) return false
  if (newest?.finishedAt == null || isInFuture(newest.finishedAt, now)) return true
  return new Date(newest.finishedAt) < staleBefore
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
  // A complete poll has an error if no poll can read some RFQ, or a clock is wrong.
  const separator = newest.futureStoredAt == null ? ', except' : ';'
  const exception = newest.error || newest.outcome === 'partial' ? `${separator} ${oneLine(newest)}` : ''
  const shortage = describeShortage(poll.rates)
  const rates = shortage === null ? '' : `; ${shortage}`
  if (isInFuture(newest.finishedAt, now)) return { ok, message: inFuture(newest.finishedAt) + lastError }
  const message = `last complete poll ${formatAge(newest.finishedAt, now)} ago${exception}${rates}`
  if (ok) return { ok, message: message + lastError }
  return { ok, message: `${message} (older than 3 intervals)${lastError}; see \`quotekeeper runs\`` }
}

const inFuture = (at: Timestamp): string =>
  `the last complete poll ended at ${at}, which is in the future by the clock of this machine, so it is unknown how recent it is ` +
  `until the next one; ${CLOCK_REMEDY}`

/** The error of a run on one line, cut; its outcome if it has none. */
export function oneLine({ error, outcome }: FinishedRun): string {
  const text = (error ?? `the run was ${outcome ?? 'not finished'}`).replaceAll(/\s+/g, ' ')
  return text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH - 1)}…` : text
}
