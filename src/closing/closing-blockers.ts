import type { RunRecord } from '../core/records.js'
import type { ClockSkewBlock } from '../core/time/clock-skew.js'
import type { Closings, RunQueries } from '../store/contract.js'
import { type ClosingSwitches, closingKillSwitch } from './kill-switch.js'

/** Finds what would keep a closing round of a channel from closing any RFQ now; null if nothing does. */
type FindClosingBlocker = (channel: string) => Promise<string | null>

/** Creates a function that finds what blocks all closing of a channel: the kill switch, or a list that may not be whole (docs/CLOSING.md, rules 2 and 10). */
export function createFindClosingBlocker(
  config: ClosingSwitches,
  store: Pick<RunQueries, 'newestList'> & Pick<Closings, 'closingStop'>,
): FindClosingBlocker {
  const killSwitch = closingKillSwitch(config, store)
  return async (channel) => {
    const stopped = await killSwitch()
    if (stopped !== null) return stopped
    const list = await store.newestList(channel)
    return list === null || list.isWhole ? null : `the newest list (run ${list.runId}) may not be whole`
  }
}

/** Rounds to search for one that did not fail: at the default schedule, about a day of failures. */
const MAX_ROUNDS = 150

/** Finds the clock difference that stopped the newest closing round of a channel; null if none did. */
type FindClockSkewBlock = (channel: string) => Promise<ClockSkewBlock | null>

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
