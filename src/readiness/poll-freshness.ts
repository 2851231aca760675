import type { Config } from '../config/contract.js'
import { type Cron, compileCron } from '../config/cron.js'
import type { RunRecord } from '../core/records.js'
import { describeShortage } from '../core/requests/request-rates.js'
import { oneLine, truncate } from '../core/text/clean-text.js'
import { ageOf } from '../core/time/clock.js'
import { formatAge } from '../core/time/read-times.js'
import type { PollKind, Store } from '../store/contract.js'

/** A poll is behind after this many schedule intervals without a complete run. */
const MAX_AGE_INTERVALS = 3
const YEAR_MS = 366 * 24 * 3_600_000
const MAX_ERROR_LENGTH = 300

/** How recently one kind of scheduled poll of a channel completed. */
export interface PollCheck {
  channel: string
  kind: PollKind
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
export type PollConfig = Pick<Config, 'schedule' | 'scheduleTimeZone'> & {
  channels: readonly { key: string }[]
}

type PollRuns = Pick<Store, 'newestRun'>

/** Creates a function that checks each scheduled poll of each channel. */
export function createPollChecks(config: PollConfig, store: PollRuns): (now: Date) => Promise<PollCheck[]> {
  const crons = (['listings', 'rfqs'] as const).flatMap((kind) => {
    const expression = config.schedule[kind]
    return expression === null ? [] : [{ kind, cron: compileCron(expression, config.scheduleTimeZone) }]
  })
  return async (now) => {
    const polls = crons.map(({ kind, cron }) => ({ kind, staleBefore: staleBefore(cron, now) }))
    const all = config.channels.flatMap(({ key: channel }) => polls.map((poll) => ({ channel, ...poll })))
    return Promise.all(all.map((poll) => checkPoll(store, poll, now)))
  }
}

async function checkPoll(
  store: PollRuns,
  { channel, kind, staleBefore }: { channel: string; kind: PollKind; staleBefore: Date | null },
  now: Date,
): Promise<PollCheck> {
  const newest = await store.newestRun({ channel, kind, isComplete: true })
  const last = await store.newestRun({ channel, kind })
  const failed = last?.id === newest?.id ? null : last
  const completeAt = newest?.finishedAt ?? null
  const isYoung = (at: string, since: Date) => ageOf(at, now) <= now.getTime() - since.getTime()
  const ok = staleBefore === null || (completeAt !== null && isYoung(completeAt, staleBefore))
  // Manual polls do not plan their requests.
  const planned = await store.newestRun({ channel, kind, isPlanned: true })
  const parts = [
    newest && completeAt ? completeText(newest, completeAt, { ok, now }) : 'no complete poll yet',
    describeShortage(planned?.requestRates),
    failed?.finishedAt ? `last error ${formatAge(failed.finishedAt, now)} ago: ${errorOf(failed)}` : null,
    ok || completeAt === null ? null : 'see `quotekeeper runs`',
  ]
  const message = parts.filter((part) => part !== null).join('; ')
  const lostEntriesAt = failed?.suspicious ? failed.finishedAt : null
  return { channel, kind, ok, message, completeAt, error: failed?.error ?? null, lostEntriesAt }
}

/** A complete poll has an error if an RFQ can never be read. */
function completeText(run: RunRecord, completeAt: string, { ok, now }: { ok: boolean; now: Date }): string {
  const exception = run.error || run.outcome === 'partial' ? `, except ${errorOf(run)}` : ''
  return `last complete poll ${formatAge(completeAt, now)} ago${ok ? '' : ' (older than 3 intervals)'}${exception}`
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
