import type { RunRecord } from '../../core/records.js'
import type { ClockStop } from '../../core/time/clock-skew.js'
import type { RunQueries } from '../../store/contract.js'

/** Rounds to look through for one that did not fail; more of them make up a day of failures at the default schedule. */
const MAX_ROUNDS = 150

/** Finds whether the clocks stopped the newest closing round of a channel that got that far; null if not. */
export type FindClockStop = (channel: string) => Promise<ClockStop | null>

/** Creates the function that finds it in the runs that are recorded (docs/CLOSING.md, rule 4). */
export const createClockStop =
  (store: Pick<RunQueries, 'newestRun' | 'runs'>): FindClockStop =>
  async (channel) => {
    const filter = { channel, kind: 'close' } as const
    const newest = await store.newestRun(filter)
    if (newest === null || reachedClosing(newest)) return newest && clockStopOf(newest)
    const round = (await store.runs({ ...filter, limit: MAX_ROUNDS })).find(reachedClosing)
    return round === undefined ? null : clockStopOf(round)
  }

/** A round that failed or was interrupted says nothing about the clocks. */
const reachedClosing = ({ outcome }: RunRecord) => outcome === 'complete' || outcome === 'partial'

function clockStopOf({ stop, finishedAt }: RunRecord): ClockStop | null {
  if (stop === null || stop.clocks === null || finishedAt === null) return null
  return { problem: stop.clocks, isCompared: stop.code === 'clock', at: finishedAt }
}
