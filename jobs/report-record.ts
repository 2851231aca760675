import type { Clock } from '../src/core/time/clock.js'
import type { Store } from '../src/store/contract.js'
import type { JobObserver, JobPayload, Log } from './contract.js'
import { isScheduled } from './job-payload.js'

/** Who a report is made by, as it says itself: the user who asked for it, or what else caused it. */
export function requesterOf(payload: Pick<JobPayload, 'cause'>): string {
  const { cause } = payload
  if (isScheduled(payload)) return 'schedule'
  if (cause === 'close') return 'closing round'
  return cause.replace(/^(api|page) /, '')
}

interface ReportRecordDeps {
  store: Pick<Store, 'recordEvent'>
  now: Clock
  log: Pick<Log, 'warn'>
}

/** Records the event of a report. A failure is only logged, because the report was written. */
export async function recordReport(
  { store, now, log }: ReportRecordDeps,
  about: { channel: string; rfqId?: string },
  report: { path: string; by: string },
): Promise<void> {
  try {
    await store.recordEvent({ kind: 'report.made', at: now(), ...about, data: { report } })
  } catch (error) {
    log.warn({ channel: about.channel, file: report.path, err: error }, 'cannot record that the report was written')
  }
}

/** Tells the observer how long a report took, and whether it succeeded. */
export async function observeReport<T>(
  observer: Pick<JobObserver, 'reportEnded'> | undefined,
  report: 'rfq' | 'channel',
  make: () => Promise<T>,
): Promise<T> {
  const started = performance.now()
  let succeeded = false
  try {
    const made = await make()
    succeeded = true
    return made
  } finally {
    observer?.reportEnded({ report, seconds: (performance.now() - started) / 1_000, succeeded })
  }
}
