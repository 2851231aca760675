import type { RunRecord } from '../core/records.js'
import type { ClockSkewBlock } from '../core/time/clock-skew.js'
import type { Closings, ListRun, RunQueries } from '../store/contract.js'
import { type ClosingSwitches, closingKillSwitch } from './kill-switch.js'

/** Finds what would keep a closing round of a channel from closing any RFQ now; null if nothing does. */
export type FindClosingBlocker = (channel: string, now: Date) => Promise<string | null>

/**
 * Creates a function that finds what blocks all closing of a channel: the kill switch, or a list that may not be whole
 * or was not recorded (docs/CLOSING.md, rules 2 and 10).
 */
export function createFindClosingBlocker(
  config: ClosingSwitches,
  store: Pick<RunQueries, 'newestListRead'> & Pick<Closings, 'closingStop'>,
): FindClosingBlocker {
  const killSwitch = closingKillSwitch(config, store)
  return async (channel, now) =>
    (await killSwitch()) ?? listBlockReason(await store.newestListRead(channel, now))?.text ?? null
}

/** Why the newest list blocks closing: it may not be whole, or was not recorded. Null if it does not. */
export function listBlockReason(
  poll: ListRun | null,
): { code: 'mass-loss' | 'list-not-recorded'; text: string } | null {
  if (poll?.suspicious) {
    return { code: 'mass-loss', text: `the list of the newest poll (run ${poll.id}) may not be whole` }
  }
  if (poll === null || poll.isListRecorded) return null
  const text = `the newest poll (run ${poll.id}) ended before its list was recorded, so the newest list is not known`
  return { code: 'list-not-recorded', text }
}

/** Rounds to search for one that did not fail: at the default schedule, about a day of failures. */
const MAX_ROUNDS = 150

/** Finds the clock difference that stopped the newest closing round of a channel; null if none did. */
export type FindClockSkewBlock = (channel: string) => Promise<ClockSkewBlock | null>

/** Creates the function, which reads recorded runs (docs/CLOSING.md, rule 4). Rounds that failed before they closed anything are skipped. */
export const createFindClockSkewBlock =
  (store: Pick<RunQueries, 'newestRun' | 'runs'>): FindClockSkewBlock =>
  async (channel) => {
    const filter = { channel, kind: 'close' } as const
    const newest = await store.newestRun(filter)
    if (newest === null || comparedClocks(newest)) return newest && clockSkewBlockOf(newest)
    const round = (await store.runs({ ...filter, limit: MAX_ROUNDS })).find(comparedClocks)
    return round === undefined ? null : clockSkewBlockOf(round)
  }

/** A round that failed or was interrupted may have ended before it compared the clocks. */
const comparedClocks = ({ outcome }: RunRecord) => outcome === 'complete' || outcome === 'partial'

function clockSkewBlockOf({ stop, finishedAt }: RunRecord): ClockSkewBlock | null {
  if (stop === null || stop.clocks === null || finishedAt === null) return null
  return { problem: stop.clocks, isCompared: stop.code === 'clock', at: finishedAt }
}
