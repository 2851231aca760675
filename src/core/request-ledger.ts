/**
 * How processes share the request limits of one marketplace: each tells the ledger what it does and wants, and gets slots
 * (requests in flight) and starts. The rules are here, as pure functions; a store keeps the state (docs/ARCHITECTURE.md,
 * Request limits).
 */
export interface RequestLedger {
  /**
   * Reports what this process does and wants, and returns what it may do. With nothing in flight and nothing waiting, it
   * gives everything back.
   * @throws if the ledger cannot be reached: no request may start then
   */
  claim(report: LedgerReport): Promise<LedgerShare>
}

export interface LedgerReport {
  concurrency: number
  perSecond: number
  /** Requests in flight. */
  running: number
  /** Requests waiting to start. */
  waiting: number
  /** Starts that the first of them needs at once: granted together, or not at all. */
  together: number
  /** Starts within the last `BATCH_MS`: about as many are expected next. */
  recentStarts: number
  /** What was used of the starts granted before, the rest of which is given back; null keeps them. */
  used: { starts: number; lastStartAgo: number } | null
  /** How late a start may be, in milliseconds; a later one is forfeited. */
  grace: number
  /** How long a pause that the marketplace asked this process for still lasts, in milliseconds; 0 without one. */
  pausedFor: number
}

/** Times are in milliseconds from the claim, so that processes need not have the same clock as the ledger. */
export interface LedgerShare {
  /** Requests that may be in flight, those now in flight included. */
  slots: number
  /** Requests that may start between `startsIn` and `validFor`. */
  starts: number
  startsIn: number
  validFor: number
  /** No request may start for this long; 0 without a pause. */
  pausedFor: number
}

/** Starts are granted in batches of at most what the limit allows within this time, in milliseconds. */
export const BATCH_MS = 100
/** How often a process with requests in flight must claim, in milliseconds. */
export const RENEW_MS = 1000
/** Slots that were not renewed for this long are taken back, in milliseconds. */
export const LEASE_MS = 5000
/** Slots that expired longer ago than this are taken back, also if nobody could renew them, in milliseconds. */
const MAX_RENEWAL_GAP_MS = 120_000
/** Longest pause kept, in milliseconds: a wrong header must not stop polling for years. */
export const MAX_PAUSE_MS = 24 * 60 * 60 * 1000
/** Clocks are read in whole milliseconds: two readings may make a period one millisecond too short at each end. */
const CLOCK_RESOLUTION_MS = 2
/** Starts that a lost ledger granted may still be used for this long, in milliseconds. */
const UNKNOWN_STARTS_MS = 2 * BATCH_MS
/** More grants than this are merged, so that the state stays small. */
const MAX_GRANTS = 32

/** A process that wants to send requests, or does. Times are milliseconds of the ledger's clock. */
interface Holder {
  id: string
  concurrency: number
  perSecond: number
  /** Requests it may have in flight. */
  slots: number
  /** Requests in flight and waiting. */
  wants: number
  expiresAt: number
  /** When it last reported starts, or first asked for some. */
  servedAt: number
}

/** Starts between two moments. */
interface Grant {
  /** The process that may still use it; null once that is settled. */
  holder: string | null
  starts: number
  from: number
  until: number
}

export interface LedgerState {
  /** When it was last written, by the ledger's clock. */
  at: number
  pausedUntil: number
  /** Until when slots are kept although they were not renewed: nobody could. */
  renewBy: number
  holders: readonly Holder[]
  /** Ascending by `from`. */
  grants: readonly Grant[]
}

/** Whether what was stored as the state of a ledger is one. */
export const isLedgerState = (state: LedgerState): boolean =>
  [state.at, state.pausedUntil, state.renewBy].every(Number.isFinite) &&
  Array.isArray(state.holders) &&
  Array.isArray(state.grants)

/**
 * @param options.unknownStarts an earlier ledger was lost, and starts that it granted are unknown: grants none before they no
 *   longer count
 */
export const emptyLedger = (now: number, { unknownStarts = false } = {}): LedgerState => ({
  at: now,
  pausedUntil: now,
  renewBy: now,
  holders: [],
  grants: unknownStarts
    ? [{ holder: null, starts: Number.MAX_SAFE_INTEGER, from: now, until: now + UNKNOWN_STARTS_MS }]
    : [],
})

/**
 * Applies one claim. Over all processes and any sequence of claims, no period of one second has more starts than
 * `perSecond`, and no more requests than `concurrency` are in flight; if processes have different limits, the lowest of
 * those that want to send requests. Starts are granted first come, first served, one batch per process at a time; slots in
 * equal shares.
 * @param claim.id identifies the process
 * @param claim.isGone whether the process of this id is known to have ended
 */
export function claimShare(
  before: LedgerState,
  claim: { id: string; report: LedgerReport; now: number; isGone: (id: string) => boolean },
): { state: LedgerState; share: LedgerShare } {
  const { id, report, now, isGone } = claim
  const state = atTime(before, now)
  const leaseEnd = state.renewBy > now ? now - MAX_RENEWAL_GAP_MS : now
  const others = state.holders.filter(
    ({ id: other, expiresAt }) => other !== id && expiresAt > leaseEnd && !isGone(other),
  )
  const pausedUntil = Math.min(Math.max(state.pausedUntil, now + report.pausedFor), now + MAX_PAUSE_MS)
  const next = { ...state, pausedUntil }
  const pausedFor = Math.max(0, pausedUntil - now)
  const settled = settle(state.grants, claim)
  const wants = report.running + report.waiting
  if (wants === 0) {
    const share = { slots: 0, starts: 0, startsIn: 0, validFor: 0, pausedFor }
    return { state: { ...next, holders: others, grants: settled }, share }
  }
  const { concurrency, perSecond } = report
  const known = state.holders.find((holder) => holder.id === id)
  const servedAt = report.used && report.used.starts > 0 ? now : (known?.servedAt ?? now)
  const me: Holder = { id, concurrency, perSecond, wants, slots: report.running, expiresAt: now + LEASE_MS, servedAt }
  const holders = [...others, me]
  const slots = slotsFor(me, others, holders)
  const rate = rateOf(holders)
  const recent = compact(settled, now, rate.window)
  const paused = pausedFor > 0
  const kept = paused ? undefined : recent.find((grant) => grant.holder === id)
  const granted = kept || paused ? kept : newGrant(recent, { ...claim, slots, rate })
  // Slots for which there is no start are left to others.
  me.slots = Math.min(slots, report.running + (granted?.starts ?? 0))
  // During a pause, what was not used yet is taken back: all of a grant that has not begun.
  const rest = recent.filter((grant) => grant.holder !== id || (paused && grant.from <= now))
  return {
    state: { ...next, holders, grants: granted ? insert(rest, granted) : rest },
    share: {
      slots: me.slots,
      starts: granted?.starts ?? 0,
      startsIn: granted ? Math.max(0, granted.from - now) : 0,
      validFor: granted ? granted.until - now : 0,
      pausedFor,
    },
  }
}

/**
 * A clock that was set back moves everything back with it, as if no time had passed. After a time without any claim,
 * processes may have been unable to renew: they get time to do so before their slots are taken back.
 */
function atTime(state: LedgerState, now: number): LedgerState {
  const back = state.at - now
  if (back <= 0) return { ...state, at: now, renewBy: -back > 2 * RENEW_MS ? now + 2 * RENEW_MS : state.renewBy }
  return {
    at: now,
    pausedUntil: state.pausedUntil - back,
    renewBy: state.renewBy - back,
    holders: state.holders.map((holder) => ({
      ...holder,
      expiresAt: holder.expiresAt - back,
      servedAt: holder.servedAt - back,
    })),
    grants: state.grants.map((grant) => ({ ...grant, from: grant.from - back, until: grant.until - back })),
  }
}

/** Reduces the grant of a process to what was used of it. */
function settle(
  grants: readonly Grant[],
  { id, report: { used }, now }: { id: string; report: LedgerReport; now: number },
) {
  return grants.flatMap((grant) => {
    if (grant.holder !== id) return grant
    if (used === null) return grant.until < now ? { ...grant, holder: null } : grant
    if (used.starts === 0) return []
    const until = Math.min(grant.until, Math.max(grant.from, now - used.lastStartAgo))
    return { ...grant, holder: null, starts: Math.min(grant.starts, used.starts), until }
  })
}

/** Drops grants that no longer count, and merges old ones if there are many, at the cost of counting some for longer. */
function compact(grants: readonly Grant[], now: number, window: number): Grant[] {
  const counting = grants.filter(({ until }) => until + window > now)
  if (counting.length <= MAX_GRANTS) return counting
  const isPast = ({ until }: Grant) => until < now
  const merged: Grant[] = []
  for (const grant of counting.filter(isPast)) {
    const last = merged.at(-1)
    // A merged grant covers at most a sixteenth of the window.
    if (last && grant.until - last.from <= window / 16) {
      last.starts += grant.starts
      last.until = Math.max(last.until, grant.until)
    } else merged.push({ ...grant, holder: null })
  }
  return [...merged, ...counting.filter((grant) => !isPast(grant))]
}

interface Rate {
  /** Starts within one window. */
  capacity: number
  /** In milliseconds. */
  window: number
}

/**
 * How many requests a limit allows per second: whole ones, so that no second has more than the limit; below 1, one request in
 * a longer time.
 */
export const allowedPerSecond = (limit: number): number => (limit < 1 ? limit : Math.floor(limit))

/** The lowest limit of all, as a number of starts within one second, or one start within a longer time. */
function rateOf(holders: readonly Holder[]): Rate {
  const perSecond = allowedPerSecond(Math.min(...holders.map((holder) => holder.perSecond)))
  const window = 1000 / Math.min(1, perSecond)
  return { capacity: Math.max(1, perSecond), window: window + CLOCK_RESOLUTION_MS }
}

/**
 * The next batch for a process: at once if the window allows some starts, else as soon as it allows the whole batch. It
 * begins after all granted before: so to check each grant against those that may still start within one window before its
 * begin is enough.
 */
function newGrant(
  grants: readonly Grant[],
  { id, report, now, slots, rate }: { id: string; report: LedgerReport; now: number; slots: number; rate: Rate },
): Grant | undefined {
  const { capacity, window } = rate
  const { together } = report
  const usable = Math.min(report.waiting, Math.max(slots - report.running, report.recentStarts))
  if (slots === 0 || usable <= 0) return undefined
  const batch = Math.max(together, Math.min(usable, Math.max(1, Math.floor((capacity * BATCH_MS) / window))))
  let from = Math.max(now, grants.at(-1)?.from ?? now)
  const counting = grants.filter(({ until }) => until > from - window).sort((a, b) => a.until - b.until)
  let total = counting.reduce((sum, { starts }) => sum + starts, 0)
  const starts = total + together <= capacity ? Math.min(batch, capacity - total) : batch
  for (const grant of counting) {
    if (total + starts <= capacity) break
    total -= grant.starts
    from = Math.max(from, grant.until + window)
  }
  // More starts together than a window allows are waited for as if they began one after another.
  from += Math.max(0, starts - capacity) * window
  return { holder: id, starts, from, until: from + report.grace + (starts > 1 ? BATCH_MS : 0) }
}

/** `from` of a new grant is the largest; one that was kept returns to its place. */
const insert = (grants: readonly Grant[], grant: Grant): Grant[] => [...grants, grant].sort((a, b) => a.from - b.from)

/** Its fair share, as far as others have given theirs back; never less than it has in flight. */
function slotsFor(me: Holder, others: readonly Holder[], holders: readonly Holder[]): number {
  const capacity = Math.min(...holders.map(({ concurrency }) => concurrency))
  const taken = others.reduce((sum, { slots }) => sum + slots, 0)
  return Math.max(me.slots, Math.min(fairShare(me, holders, capacity), capacity - taken))
}

/**
 * What they want or an equal share. Slots that do not divide stay with those who use one, and go to those who were served
 * longest ago when they are free: who has just ended a request does not get its slot back while another waits for longer.
 */
function fairShare(me: Holder, holders: readonly Holder[], capacity: number): number {
  const byWants = [...holders].sort((a, b) => a.wants - b.wants)
  let left = capacity
  for (const [index, { wants }] of byWants.entries()) {
    const equal = left / (holders.length - index)
    if (wants > equal) {
      if (me.wants <= equal) break
      const usesMore = ({ slots }: Holder) => (slots > Math.floor(equal) ? 0 : 1)
      const unsatisfied = byWants
        .slice(index)
        .sort((a, b) => usesMore(a) - usesMore(b) || a.servedAt - b.servedAt || (a.id < b.id ? -1 : 1))
      return Math.floor(equal) + (unsatisfied.indexOf(me) < left % unsatisfied.length ? 1 : 0)
    }
    left -= wants
  }
  return me.wants
}
