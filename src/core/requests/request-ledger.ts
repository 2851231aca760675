/**
 * Where all processes on one database agree when requests to one marketplace may start (docs/ARCHITECTURE.md, Request limits).
 * The rule is the generic cell rate algorithm: one row says when the next start is due, and each claim moves that on
 * (`src/store/sql/claim-starts.ts`).
 */
export interface RequestLedger {
  /**
   * Takes the next starts, first come, first served, unless there is a pause.
   * @throws if the ledger cannot be reached: no request may start then
   */
  claim(claim: StartClaim): Promise<StartGrant>
}

/** Milliseconds. */
export interface StartClaim {
  /** How long after the next start is due these may begin at the earliest. */
  lead: number
  /** How long after their begin the next start is due; 0 takes none, to hear of pauses only. */
  cost: number
  /** How long a pause that the marketplace asked for still lasts; 0 to report none. */
  pausedFor: number
}

/** Milliseconds from the claim, so that processes need not have the same clock as the ledger. */
export interface StartGrant {
  /** Meaningless during a pause. */
  startsIn: number
  /** No request may start for this long, and no start was taken; 0 without a pause. */
  pausedFor: number
}

/** How long after it is due a start may be used, in milliseconds; more is paid for. */
export const GRACE_MS = 50
/**
 * How long before it is due a start may be used that was claimed with those before it, in milliseconds. Every start is then used that much
 * sooner after it is due, so that the whole range stays that of `GRACE_MS`.
 */
const EARLY_MS = 20
/** Longest pause kept, in milliseconds: a wrong header must not stop polling for years. */
export const MAX_PAUSE_MS = 24 * 60 * 60 * 1000
/** How far starts may fall behind and catch up, in milliseconds, because timers are late. */
export const LATE_MS = 10

/**
 * How many requests a limit allows per second: whole ones, so that no second has more than the limit; below 1, one request in
 * a longer time.
 */
export const allowedPerSecond = (limit: number): number => (limit < 1 ? limit : Math.floor(limit))

/**
 * The average time between two starts, in milliseconds, at which no period of one second has more starts than a limit allows, although
 * each may be late by `GRACE_MS` and `LATE_MS`: about six percent above what the limit says.
 * @param perSecond the limit: positive and finite
 */
export function startInterval(perSecond: number): number {
  const allowed = allowedPerSecond(perSecond)
  // One more, because a period of one second may begin and end with a start.
  return (1000 / Math.min(1, allowed) + GRACE_MS + LATE_MS + 1) / Math.max(1, allowed)
}

/**
 * What to claim for several starts. They begin together, when they could have begun one after another, so that nothing before or after
 * them is too close.
 * @param interval average time between two starts, in milliseconds
 * @param grace how long after they are due they may be used, in milliseconds
 */
export const claimOf = (interval: number, starts: number, grace: number): StartClaim => ({
  lead: (starts - 1) * interval,
  cost: starts * interval + Math.max(0, grace - GRACE_MS),
  pausedFor: 0,
})

/**
 * The starts of requests that wait at the same time which one claim may take, so that a ledger on a disk is not asked for each of many.
 * @param interval average time between two starts, in milliseconds
 */
export const startsTogether = (interval: number): number => 1 + Math.floor(EARLY_MS / interval)

/** To hear of pauses only. */
export const NO_STARTS: StartClaim = { lead: 0, cost: 0, pausedFor: 0 }

/** A ledger for this process alone, which keeps its pauses itself. @param clock monotonic, in milliseconds */
export function createProcessLedger(clock: () => number): RequestLedger {
  let nextAt = Number.NEGATIVE_INFINITY
  return {
    async claim({ lead, cost }) {
      const now = clock()
      const startsAt = Math.max(now, nextAt + lead)
      nextAt = startsAt + cost
      return { startsIn: startsAt - now, pausedFor: 0 }
    },
  }
}
