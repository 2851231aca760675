import fc from 'fast-check'
import { expect } from 'vitest'
import {
  claimShare,
  emptyLedger,
  type LedgerReport,
  type LedgerShare,
  type LedgerState,
} from '../../src/core/request-ledger.js'

export const REPORT: LedgerReport = {
  concurrency: 4,
  perSecond: 5,
  running: 0,
  waiting: 10,
  together: 1,
  recentStarts: 0,
  used: { starts: 0, lastStartAgo: 0 },
  grace: 50,
  pausedFor: 0,
}

/** No limit of starts stands in the way of the slots. */
export const UNLIMITED = { perSecond: 1_000_000 }

/** A ledger with a clock that the test moves. */
export function openLedger(now = 1_000_000, defaults: Partial<LedgerReport> = {}) {
  const ledger = { now, state: emptyLedger(now), gone: new Set<string>() }
  let claims = 0
  const claim = (id: string, report: Partial<LedgerReport> = {}): LedgerShare => {
    const isGone = (other: string) => ledger.gone.has(other)
    const result = claimShare(ledger.state, {
      id,
      report: { ...REPORT, ...defaults, ...report },
      now: ledger.now,
      isGone,
    })
    // As a store keeps it; simulations make so many claims that this would take most of their time.
    const isStored = claims++ < 100 || claims % 16 === 0
    ledger.state = isStored ? (JSON.parse(JSON.stringify(result.state)) as LedgerState) : result.state
    return result.share
  }
  return Object.assign(ledger, { claim })
}

interface Worker {
  id: string
  perSecond: number
  concurrency: number
  /** Requests still to be sent. */
  waiting: number
  /** When each request in flight ends. */
  running: number[]
  share: { slots: number; left: number; from: number; until: number }
  used: number
  lastStart: number
  nextAt: number
  served: number
}

interface Simulation {
  seed: number
  seconds: number
  limits: readonly { perSecond: number; concurrency: number }[]
  /** Longest duration of a request, in milliseconds. */
  takes?: number
  /** All requests take as long as the longest, and a process claims as soon as one has ended. */
  steady?: boolean
  /** How late a process may be to use what it was granted, in milliseconds. */
  late?: number
  /** Processes are killed and replaced, about once in this many seconds. */
  killEvery?: number
  /** The clock of the ledger is set back by an hour each time so many seconds have passed. */
  clockBackEvery?: number
  /** Requests that each process has to send, over the whole time; without it, there are always more. */
  work?: number
}

/** Runs processes against one ledger. Returns when requests started, and the most in flight at once. */
export function simulate(options: Simulation) {
  const {
    seed,
    seconds,
    limits,
    takes = 300,
    steady = false,
    late = 0,
    killEvery = 0,
    clockBackEvery = 0,
    work,
  } = options
  const random = randomOf(seed)
  const ledger = openLedger(0)
  const starts: number[] = []
  let [maxInFlight, offset, number, killed] = [0, 0, 0, 0]
  let nextKill = killEvery > 0 ? killEvery * 1000 : Number.POSITIVE_INFINITY
  let nextClockBack = clockBackEvery > 0 ? clockBackEvery * 1000 : Number.POSITIVE_INFINITY
  const fresh = (limit: { perSecond: number; concurrency: number }, at: number): Worker => ({
    ...limit,
    id: `worker ${number++}`,
    waiting: work ?? Number.MAX_SAFE_INTEGER,
    running: [],
    share: { slots: 0, left: 0, from: 0, until: -1 },
    used: 0,
    lastStart: 0,
    nextAt: at + random() * 100,
    served: 0,
  })
  const workers = limits.map((limit) => fresh(limit, 0))
  for (;;) {
    const worker = workers.reduce((first, each) => (each.nextAt < first.nextAt ? each : first))
    const now = worker.nextAt
    if (now > seconds * 1000) break
    if (now > nextClockBack) {
      nextClockBack += clockBackEvery * 1000
      offset -= 3_600_000
    }
    if (now > nextKill) {
      nextKill += killEvery * 1000 * (0.5 + random())
      killed++
      // Its connections are gone with it; another takes its place later.
      const { served } = worker
      Object.assign(worker, fresh(worker, now + random() * 2000), { served })
      continue
    }
    worker.running = worker.running.filter((end) => end > now)
    const { share } = worker
    const isValid = () => share.left > 0 && now >= share.from && now <= share.until
    while (isValid() && worker.waiting > 0 && worker.running.length < share.slots) {
      share.left--
      worker.waiting--
      worker.used++
      worker.served++
      worker.lastStart = now
      starts.push(now)
      worker.running.push(now + (steady ? takes : random() * takes))
      maxInFlight = Math.max(
        maxInFlight,
        workers.reduce((sum, { running }) => sum + running.filter((end) => end > now).length, 0),
      )
    }
    const { running, waiting, perSecond, concurrency } = worker
    const keep = share.left > 0 && now <= share.until
    ledger.now = now + offset
    const claimed = ledger.claim(worker.id, {
      perSecond,
      concurrency,
      running: running.length,
      waiting,
      used: keep ? null : { starts: worker.used, lastStartAgo: now - worker.lastStart },
    })
    if (!keep) worker.used = 0
    const left = keep ? Math.min(share.left, claimed.starts) : claimed.starts
    worker.share = { slots: claimed.slots, left, from: now + claimed.startsIn, until: now + claimed.validFor }
    const lateness = random() * late
    const next = left > 0 && running.length < claimed.slots ? worker.share.from - now : 50
    const ended = steady && waiting > 0 ? Math.min(...running) : Number.POSITIVE_INFINITY
    worker.nextAt = Math.min(now + Math.max(next, 0.01) + lateness, ended)
    if (running.length === 0 && waiting === 0) worker.nextAt = Number.POSITIVE_INFINITY
  }
  return { starts, maxInFlight, served: workers.map(({ served }) => served), killed }
}

/** A generator of numbers in [0, 1): mulberry32. */
function randomOf(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The shortest time within which one more request started than allowed, in milliseconds. */
export function shortestExcess(starts: readonly number[], allowed: number): number {
  let shortest = Number.POSITIVE_INFINITY
  for (let i = allowed; i < starts.length; i++)
    shortest = Math.min(shortest, (starts[i] as number) - (starts[i - allowed] as number))
  return shortest
}

/** Simulates up to six processes that are late, killed and replaced, and expects that they never exceed the limits. */
export function expectLimitsHold({ seconds, runs }: { seconds: number; runs: number }): void {
  const limits = fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom(1, 3, 5, 20, 200))
    .map(([count, perSecond]) => Array.from({ length: count }, () => ({ perSecond, concurrency: 4 })))
  fc.assert(
    fc.property(
      fc.record({
        seed: fc.nat(),
        seconds: fc.constant(seconds),
        limits,
        takes: fc.constantFrom(10, 300, 3000),
        late: fc.constantFrom(0, 20, 400),
        killEvery: fc.constantFrom(0, 5),
      }),
      (options) => {
        const { starts, maxInFlight } = simulate(options)
        expect(shortestExcess(starts, options.limits[0]?.perSecond ?? 0)).toBeGreaterThanOrEqual(1000)
        expect(maxInFlight).toBeLessThanOrEqual(4)
      },
    ),
    { numRuns: runs },
  )
}

/** Simulates three processes for a minute, and expects that they use the limit in equal shares, and never exceed it. */
export function expectFullUse(perSecond: number): void {
  const limits = Array.from({ length: 3 }, () => ({ perSecond, concurrency: 100 }))
  const { starts, served } = simulate({ seed: 3, seconds: 60, limits, takes: 20, late: 2 })
  expect(shortestExcess(starts, perSecond)).toBeGreaterThanOrEqual(1000)
  expect(starts.length).toBeGreaterThan(0.9 * 60 * perSecond)
  for (const each of served) expect(each).toBeGreaterThan((0.8 * starts.length) / 3)
}
