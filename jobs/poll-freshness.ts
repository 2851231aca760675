import type { ReadinessCheck } from '../src/domain/readiness.js'

/** How recently one kind of poll completed on one channel. */
export interface PollState {
  channel: string
  kind: 'listings' | 'rfqs'
  /** A complete poll must have finished at or after this moment; null if too few ticks have passed to tell. */
  staleBefore: Date | null
  /** The newest complete run, if any. */
  newest: { finishedAt: string | null } | null
}

/**
 * Checks that each poll last completed within three schedule intervals.
 * @param now used to show ages
 */
export function checkPollFreshness(polls: readonly PollState[], now: Date): ReadinessCheck[] {
  return polls.map(({ channel, kind, staleBefore, newest }) => {
    const name = `${kind} of ${channel}`
    if (newest?.finishedAt == null) return { name, ok: staleBefore === null, message: 'no complete poll yet' }
    const message = `last complete poll ${formatAge(newest.finishedAt, now)} ago`
    if (staleBefore === null || new Date(newest.finishedAt) >= staleBefore) return { name, ok: true, message }
    return { name, ok: false, message: `${message} (older than 3 intervals); see \`quotekeeper runs\`` }
  })
}

function formatAge(time: string, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(time)) / 1_000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
