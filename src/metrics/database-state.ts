import { isCalendarDate } from '../core/time/calendar-days.js'
import { createCalendar, createOverdueTest, endOfDate } from '../core/time/expiry.js'
import type { Reader, RfqCount } from '../store/contract.js'
import type { ChannelState, DatabaseState, PollFreshness } from './contract.js'

/** A channel as configured. */
export interface MonitoredChannel {
  key: string
  autoClose: ChannelState['autoClose']
  timeZone: string
  graceHours: number
}

export interface DatabaseStateOptions {
  reader: Pick<Reader, 'rfqCounts' | 'unsettledCloses' | 'newestRun' | 'targetStates' | 'sizes'>
  channels: readonly MonitoredChannel[]
  /** Names of the configured targets of notifications. */
  targets: readonly string[]
  /** Reads how recent the polls of all channels are. */
  pollFreshness: (now: Date) => Promise<readonly (PollFreshness & { channel: string })[]>
}

/** Reads the state of the configured channels from the database. */
export async function readDatabaseState(options: DatabaseStateOptions, now: Date): Promise<DatabaseState> {
  const { reader, channels, targets, pollFreshness } = options
  const polls = await pollFreshness(now)
  const states: ChannelState[] = []
  for (const channel of channels) {
    const { key, autoClose } = channel
    const unsettled = await reader.unsettledCloses({ channel: key, now })
    const round = await reader.newestRun({ channel: key, kind: 'close' })
    const countOf = (outcome: string) => unsettled.filter((each) => each.outcome === outcome).length
    states.push({
      channel: key,
      autoClose,
      polls: polls.filter((poll) => poll.channel === key),
      ...summariseRfqs(await reader.rfqCounts(key), channel, now),
      unsettled: {
        refused: countOf('refused'),
        unknown: countOf('unknown'),
        failed: countOf('failed'),
        open: countOf('open'),
      },
      blocked: round?.stop?.code === 'max-per-run' ? 1 : 0,
    })
  }
  const known = await reader.targetStates()
  const notifications = known
    .filter(({ target }) => targets.includes(target))
    .map(({ target, waiting, passedOver, failures }) => ({
      target,
      waiting,
      passedOver: passedOver?.events ?? 0,
      failures,
    }))
  const { database, wal } = await reader.sizes()
  return { channels: states, notifications, databaseBytes: database, walBytes: wal }
}

/** Counts RFQs by state and due date. States that are not in the API description count as `other`. */
function summariseRfqs(counts: readonly RfqCount[], { timeZone, graceHours }: MonitoredChannel, now: Date) {
  const calendar = createCalendar(timeZone)
  const today = calendar.dateAt(now)
  const sum = (matches: (rfqs: RfqCount) => boolean) =>
    counts.filter(matches).reduce((total, { count }) => total + count, 0)
  const open = sum(({ state }) => state === 'open')
  const isOverdue = createOverdueTest(calendar, graceHours, now)
  const closed = sum(({ state }) => state === 'closed')
  const [next] = counts
    .flatMap(({ state, dueDate }) => (state === 'open' && dueDate !== null && dueDate >= today ? [dueDate] : []))
    .filter(isCalendarDate)
    .sort()
  return {
    rfqs: { open, closed, other: sum(() => true) - open - closed },
    overdue: sum(({ state, dueDate }) => state === 'open' && isOverdue(dueDate)),
    nextDue: next === undefined ? null : endOfDate(next, calendar),
  }
}
