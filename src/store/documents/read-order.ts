import { CLOCK_TOLERANCE_MS, type Timestamp } from '../../core/time/clock.js'
import { type DocumentState, lastShownAt } from './document-state.js'

/**
 * Which of two reads of an RFQ is newer, and under which time it is recorded (docs/ARCHITECTURE.md, invariant 3). The order comes from
 * the database, which numbers what is recorded on a channel; a clock is only for showing.
 */

/**
 * Whether a read is known to be newer than what is stored: nothing was recorded of the RFQ since the read was sent. Otherwise the two
 * overlap, and the RFQ must be read again.
 * @param sentAfter the number of the newest recording on the channel before the read was sent; undefined: the read is known to be newer
 * @param recording in which what is stored was recorded; 0 if in none
 */
export const isNewerRead = (sentAfter: number | undefined, recording: number): boolean =>
  sentAfter === undefined || recording <= sentAfter

/**
 * SQL of both engines: takes the next number of a recording on a channel, and the time of recording. Clocks of machines differ a little,
 * so times within a channel do not go backwards by less than CLOCK_TOLERANCE_MS. A time further ahead was stored by a clock that was
 * wrong, and decides nothing.
 */
export const BEGIN_RECORDING = `
insert into channels (channel, newest_at, recordings) values (@channel, @now, 1)
on conflict (channel) do update set recordings = channels.recordings + 1,
  newest_at = case when channels.newest_at > @now and channels.newest_at <= @tolerated then channels.newest_at else @now end
returning newest_at, recordings`

/** SQL of both engines. No row: nothing was recorded on the channel. */
export const NEWEST_RECORDING = 'select recordings from channels where channel = @channel'

export interface RecordingRow {
  newest_at: Timestamp
  recordings: number
}

export const recordingParameters = (channel: string, now: Date) => ({
  channel,
  now: now.toISOString(),
  tolerated: new Date(now.getTime() + CLOCK_TOLERANCE_MS).toISOString(),
})

/** The rule of BEGIN_RECORDING for the time. */
export function recordingTime(now: Date, newest: Timestamp): Timestamp {
  const { now: at, tolerated } = recordingParameters('', now)
  return newest > at && newest <= tolerated ? newest : at
}

/**
 * The times of a new version. It is never observed before the version that it replaces, so that a document has one version at any
 * moment, also if the clock was ahead when that one was recorded.
 * @param row the version that it replaces
 * @param stamp the time of recording
 */
export function versionTimes(row: DocumentState, stamp: Timestamp): { notBefore: Timestamp; observedAt: Timestamp } {
  const observedAt = later(row.changed_at, stamp)
  const shownAt = lastShownAt(row)
  return { observedAt, notBefore: shownAt <= observedAt ? shownAt : row.changed_at }
}

/**
 * When a document that is missing was last seen: when it was last read, unless that is in the future.
 */
export const lastSeenAt = (row: DocumentState, stamp: Timestamp): Timestamp =>
  row.last_read_at <= stamp ? row.last_read_at : earlier(row.changed_at, stamp)

export const later = (a: Timestamp, b: Timestamp): Timestamp => (a > b ? a : b)
const earlier = (a: Timestamp, b: Timestamp): Timestamp => (a < b ? a : b)
