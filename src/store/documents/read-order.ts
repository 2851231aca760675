import { CLOCK_TOLERANCE_MS, type Timestamp } from '../../core/time/clock.js'
import { type DocumentState, lastShownAt } from './document-state.js'

/**
 * The order of two reads of an RFQ, and the times of their recordings. The database decides the order by
 * numbering the recordings on a channel; clocks are only for display.
 */

/**
 * Whether a read is known to be newer than the stored state, because nothing of the RFQ was recorded after the request was sent. Otherwise the
 * two overlap, and the RFQ must be read again.
 * @param sentAfter the number of the newest recording on the channel before the read was sent; undefined: the read is known to be newer
 * @param recording the number of the recording of the stored state; 0 if there is none
 */
export const isNewerRead = (sentAfter: number | undefined, recording: number): boolean =>
  sentAfter === undefined || recording <= sentAfter

/**
 * SQL for both engines: assigns the next recording number of a channel, and the recording time. Because the clocks of machines differ a
 * little, the time does not go back by up to CLOCK_TOLERANCE_MS. A later stored time comes from a wrong clock and is ignored.
 */
export const BEGIN_RECORDING = `
insert into channels (channel, newest_at, recordings) values (@channel, @now, 1)
on conflict (channel) do update set recordings = channels.recordings + 1,
  newest_at = case when channels.newest_at > @now and channels.newest_at <= @tolerated then channels.newest_at else @now end
returning newest_at, recordings`

/** SQL for both engines. Returns no row if nothing was recorded on the channel. */
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

/** The recording time by the rule of BEGIN_RECORDING. */
export function recordingTime(now: Date, newest: Timestamp): Timestamp {
  const { now: at, tolerated } = recordingParameters('', now)
  return newest > at && newest <= tolerated ? newest : at
}

/**
 * The times of a new version. It is never observed before the version that it replaces, so that a document has one version at any
 * moment, even if the clock was ahead when the previous version was recorded.
 * @param row the version that it replaces
 * @param stamp the time of recording
 */
export function versionTimes(row: DocumentState, stamp: Timestamp): { notBefore: Timestamp; observedAt: Timestamp } {
  const observedAt = later(row.changed_at, stamp)
  const shownAt = lastShownAt(row)
  return { observedAt, notBefore: shownAt <= observedAt ? shownAt : row.changed_at }
}

/** When a missing document was last seen: when it was last read, unless that is in the future. */
export const lastSeenAt = (row: DocumentState, stamp: Timestamp): Timestamp =>
  row.last_read_at <= stamp ? row.last_read_at : earlier(row.changed_at, stamp)

export const later = (a: Timestamp, b: Timestamp): Timestamp => (a > b ? a : b)
const earlier = (a: Timestamp, b: Timestamp): Timestamp => (a < b ? a : b)
