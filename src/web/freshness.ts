import type { RunRecord } from '../store/contract.js'
import type { Check } from './health.js'

/** The state of one poll on one channel. */
export interface PollState {
  channel: string
  kind: 'listings' | 'rfqs'
  /** The moment three intervals ago; null where the schedule is younger than that. */
  staleBefore: Date | null
  /** The newest complete run, if any. */
  newest: Pick<RunRecord, 'finishedAt'> | null
}

/**
 * Whether polls are fresh: a complete one ended within three intervals of the schedule.
 * @param now to tell ages by
 */
export function freshness(polls: readonly PollState[], now: Date): Check[] {
  return polls.map(({ channel, kind, staleBefore, newest }) => {
    const name = `${kind} of ${channel}`
    if (newest?.finishedAt == null) return { name, ok: staleBefore === null, message: 'never polled whole so far' }
    const age = `polled whole ${since(newest.finishedAt, now)} ago`
    if (staleBefore === null || new Date(newest.finishedAt) >= staleBefore) return { name, ok: true, message: age }
    return { name, ok: false, message: `${age}, three intervals or more: see runs` }
  })
}

function since(time: string, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(time)) / 1_000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
