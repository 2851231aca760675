import type { ClockStop } from '../domain/clock-skew.js'
import type { RunRecord } from '../domain/records.js'
import type { RunQueries } from '../store/contract.js'
import { NO_DATE_HEADER } from './clock-skew.js'

/**
 * Why a round closes no further RFQ: the clocks do not agree. The error of its run begins with it.
 * @param closed how many RFQs it has closed before
 */
export const clockStopText = (problem: string, closed: number): string =>
  `No ${closed > 0 ? 'further ' : ''}RFQ was closed: ${problem}.`

/** What `clockStopText` makes of the reasons of `clockProblem`, at the beginning of an error that goes on with others. */
const CLOCK_STOP =
  /^No (?:further )?RFQ was closed: (the marketplace(?: sent no Date header|'s clock is \d+ s (?:behind|ahead of) ours \(limit [\d.e+-]+ s\)))\./

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

function clockStopOf({ error, finishedAt }: RunRecord): ClockStop | null {
  const problem = CLOCK_STOP.exec(error ?? '')?.[1]
  return problem === undefined || finishedAt === null
    ? null
    : { problem, isCompared: problem !== NO_DATE_HEADER, at: finishedAt }
}
