import type { Config } from '../config/contract.js'
import { type Cron, compileCron } from '../config/cron.js'
import type { RequestRates, RunKind, RunRecord } from '../core/records.js'
import { describeShortage } from '../core/requests/request-rates.js'
import { oneLine, truncate } from '../core/text/clean-text.js'
import { ageOf } from '../core/time/clock.js'
import { formatAge } from '../core/time/read-times.js'
import type { RunQueries } from '../store/contract.js'

/** A poll is behind after this many schedule intervals without a complete run. */
const MAX_AGE_INTERVALS = 3
const YEAR_MS = 366 * 24 * 3_600_000
const MAX_ERROR_LENGTH = 300
/** Runs searched for one that planned its requests. */
const MAX_RECENT_RUNS = 50

/** How recently one kind of scheduled poll of a channel completed. */
export interface PollCheck {
  channel: string
  kind: 'listings' | 'rfqs'
  /** Whether a poll completed within three intervals of the schedule. */
  ok: boolean
  message: string
  /** When the newest complete poll finished; null if none did. */
  completeAt: string | null
  /** Of the newest poll, if it did not complete. */
  error: string | null
  /** When a poll found that the list may not be whole; null unless the newest one did. */
  lostEntriesAt: string | null
}

/** The part of the configuration that determines the polls. */
export type PollConfig = Pick<Config, 'schedule' | 'scheduleTimeZone' | 'requests'> & {
  channels: readonly { key: string }[]
}

/** Creates a function that checks each scheduled poll of each channel. */
export function createPollChecks(
  config: PollConfig,
  store: Pick<RunQueries, 'runs' | 'newestCompleteRun'>,
): (now: Date) => Promise<PollCheck[]> {
  const crons = (['listings', 'rfqs'] as const).flatMap((kind) => {
    const expression = config.schedule[kind]
    return expression === null ? [] : [{ kind, cron: compileCron(expression, config.scheduleTimeZone) }]
  })
  return async (now) => {
    const polls = crons.map(({ kind, cron }) => ({ kind, staleBefore: staleBefore(cron, now) }))
    const all = config.channels.flatMap(({ key: channel }) => polls.map((poll) => ({ channel, ...poll })))
    return Promise.all(
      all.map(async ({ channel, kind, staleBefore: before }): Promise<PollCheck> => {
        const runs = await newestRuns(store, { channel, kind })
        return {
          ...{ channel, kind, ...describe(runs, !isStale(before, runs.newest, now), now) },
          completeAt: runs.newest?.finishedAt ?? null,
          error: runs.failed?.error ?? null,
          lostEntriesAt: runs.failed?.suspicious ? runs.failed.finishedAt : null,
        }
      }),
    )
  }
}

interface NewestRuns {
  /** The newest run that counts as complete. */
  newest: RunRecord | null
  /** The newest finished run, if it is newer and does not count as complete. */
  failed: RunRecord | null
  /** Of the newest run that planned its requests; manual polls do not plan. */
  rates: RequestRates | null
}

/** Reads the runs of a poll that say how recent it is. */
async function newestRuns(
  store: Pick<RunQueries, 'runs' | 'newestCompleteRun'>,
  { channel, kind }: { channel: string; kind: RunKind },
): Promise<NewestRuns> {
  const [newest, recent] = await Promise.all([
    store.newestCompleteRun({ channel, kind }),
    store.runs({ channel, kind, limit: MAX_RECENT_RUNS }),
  ])
  const finished = recent.filter(({ finishedAt }) => finishedAt !== null)
  const [last] = finished
  const planned = finished.find(({ requestRates }) => requestRates !== null)
  return { newest, failed: last && last.id !== newest?.id ? last : null, rates: planned?.requestRates ?? null }
}

function isStale(before: Date | null, newest: RunRecord | null, now: Date): boolean {
  if (before === null) return false
  if (newest?.finishedAt == null) return true
  return ageOf(newest.finishedAt, now) > now.getTime() - before.getTime()
}

function describe({ newest, failed, rates }: NewestRuns, ok: boolean, now: Date): Pick<PollCheck, 'ok' | 'message'> {
  const lastError = failed?.finishedAt
    ? `; last error ${formatAge(failed.finishedAt, now)} ago: ${errorOf(failed)}`
    : ''
  if (newest?.finishedAt == null) return { ok, message: `no complete poll yet${lastError}` }
  // A complete poll has an error if an RFQ can never be read.
  const exception = newest.error || newest.outcome === 'partial' ? `, except ${errorOf(newest)}` : ''
  const shortage = describeShortage(rates)
  const message = `last complete poll ${formatAge(newest.finishedAt, now)} ago${exception}${shortage === null ? '' : `; ${shortage}`}`
  if (ok) return { ok, message: message + lastError }
  return { ok, message: `${message} (older than 3 intervals)${lastError}; see \`quotekeeper runs\`` }
}

/** The error of a run on one line, cut; its outcome if it has none. */
export const errorOf = ({ error, outcome }: Pick<RunRecord, 'error' | 'outcome'>): string =>
  truncate(oneLine(error ?? `the run was ${outcome ?? 'not finished'}`), MAX_ERROR_LENGTH)

/**
 * The moment three intervals ago, counted in ticks, so that a schedule that pauses at night is not stale in the morning.
 * @returns null if too few ticks have passed to tell
 */
function staleBefore(cron: Cron, now: Date): Date | null {
  const after = new Date(now.getTime() - YEAR_MS)
  const ticks: number[] = []
  for (let upTo = now; ticks.length <= MAX_AGE_INTERVALS; upTo = new Date((ticks.at(-1) ?? 0) - 1)) {
    const tick = cron.lastTick({ after, upTo })
    if (tick === null) return null
    ticks.push(tick.getTime())
  }
  const [newest = 0, latest = 0, oldest = 0] = [ticks[0], ticks[MAX_AGE_INTERVALS - 1], ticks[MAX_AGE_INTERVALS]]
  return new Date(Math.min(oldest + (now.getTime() - newest), latest))
}
