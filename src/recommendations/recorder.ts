import type { Settings } from '../core/decision/settings.js'
import { firstInstantOf } from '../core/time/calendar-days.js'
import type { Clock } from '../core/time/clock.js'
import { createCalendar } from '../core/time/expiry.js'
import type {
  DirtyRfq,
  ExchangeRates,
  RecommendationQueries,
  Recommendations,
  RecorderLease,
} from '../store/contract.js'
import { VERSION } from '../version.js'
import type { ComputeRfqs } from './compute-rfq.js'

export interface RecorderOptions {
  store: Pick<
    Recommendations,
    'takeRecommendationLease' | 'releaseRecommendationLease' | 'markComputedBefore' | 'recordRecommendations'
  > &
    Pick<RecommendationQueries, 'dirtyRfqs'> &
    Pick<ExchangeRates, 'rateFetches'>
  compute: ComputeRfqs
  /** Called once with each RFQ that cannot be computed, which is not retried until the process restarts. */
  onFailed: (rfq: DirtyRfq, message: string) => void
  channels: readonly { key: string; timeZone: string }[]
  settings: Settings
  holder: RecorderLease['holder']
  now: Clock
}

/** The result of a round. */
export type RecordingRound =
  /** This process has the lease. `left` is 0 if all dirty RFQs were recorded, or else a lower bound of those that were not. */
  | { held: true; recorded: number; left: number }
  /** Another process has the lease. */
  | { held: false; command: string | null; hasOtherSettings: boolean }

/** Records recommendations for dirty RFQs. One process at a time has the lease to record them. */
export interface RecommendationRecorder {
  /**
   * Records until no RFQ is dirty.
   * @param withinMs ends after this time, in milliseconds
   * @throws StoreError
   */
  round(withinMs?: number): Promise<RecordingRound>
  /** Releases the lease. */
  release(): Promise<void>
}

/** The lease of a process that died expires after this time, in milliseconds. */
const LEASE_MS = 30_000
/** RFQs computed together and recorded in one transaction: some megabytes of documents in memory. */
const BATCH_SIZE = 20

export function createRecommendationRecorder(options: RecorderOptions): RecommendationRecorder {
  const { store, compute, onFailed, channels, settings, holder, now } = options
  let leasedUntil = 0
  /** When rows were last checked for changes other than of documents: midnights and exchange rates. */
  let checked: Date | null = null
  const failed = new Set<string>()

  async function takeLease(): Promise<Exclude<RecordingRound, { held: true }> | null> {
    const at = now()
    if (at.getTime() < leasedUntil - LEASE_MS / 2 && at.getTime() >= leasedUntil - LEASE_MS) return null
    const reply = await store.takeRecommendationLease({
      holder,
      settings,
      version: VERSION,
      now: at,
      leaseMs: LEASE_MS,
    })
    leasedUntil = reply.held ? at.getTime() + LEASE_MS : 0
    return reply.held ? null : reply
  }

  /** Marks RFQs that are dirty because of a new day or new exchange rates. */
  async function markOutdated(): Promise<void> {
    const at = now()
    for (const { key, timeZone } of channels) await markEarlierDays(at, timeZone, key)
    if (settings.ratesFrom === null) {
      checked = at
      return
    }
    // Days of exchange rates are in UTC.
    await markEarlierDays(at, 'UTC')
    const fetches = await store.rateFetches(checked ?? new Date(0))
    // Those of a process whose clock is ahead are not known yet.
    const fetched = fetches.findLast((moment) => moment <= at.toISOString())
    if (fetched !== undefined) await store.markComputedBefore(fetched)
    checked = at
  }

  async function markEarlierDays(at: Date, timeZone: string, channel?: string): Promise<void> {
    const calendar = createCalendar(timeZone)
    const today = calendar.dateAt(at)
    if (checked !== null && calendar.dateAt(checked) === today) return
    const midnight = firstInstantOf(today, (instant) => calendar.dateAt(instant))
    if (midnight !== null) await store.markComputedBefore(midnight.toISOString(), channel)
  }

  async function nextDirty(): Promise<DirtyRfq[]> {
    const dirty = await store.dirtyRfqs({ limit: BATCH_SIZE + failed.size })
    return dirty.filter((each) => !failed.has(keyOf(each))).slice(0, BATCH_SIZE)
  }

  async function record(dirty: DirtyRfq[]): Promise<number> {
    const at = now()
    const batch = await compute(dirty, at)
    for (const { rfq, message } of batch.failed) {
      failed.add(keyOf(rfq))
      onFailed(rfq, message)
    }
    return store.recordRecommendations(holder, batch.computed, batch.settings, at)
  }

  return {
    async round(withinMs = Number.POSITIVE_INFINITY) {
      const end = performance.now() + withinMs
      let recorded = 0
      for (;;) {
        const other = await takeLease()
        if (other !== null) return other
        await markOutdated()
        const dirty = await nextDirty()
        if (dirty.length === 0) return { held: true, recorded, left: failed.size }
        if (performance.now() >= end) return { held: true, recorded, left: dirty.length }
        const written = await record(dirty)
        // Another process has taken the lease, or the RFQs were marked again.
        if (written === 0) leasedUntil = 0
        recorded += written
      }
    },
    async release() {
      leasedUntil = 0
      checked = null
      await store.releaseRecommendationLease(holder)
    },
  }
}

const keyOf = ({ channel, rfqId }: DirtyRfq) => `${channel}\t${rfqId}`
