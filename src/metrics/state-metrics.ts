import { Gauge, type Registry } from 'prom-client'
import type { QueueLoad } from '../core/queue-load.js'
import type { UnsettledClose } from '../core/records.js'
import { isCalendarDate } from '../core/time/calendar-days.js'
import { createCalendar, createOverdueTest, endOfDate } from '../core/time/expiry.js'
import type { PollCheck } from '../readiness/poll-freshness.js'
import type { Store } from '../store/contract.js'

/** A channel as configured. */
interface MonitoredChannel {
  key: string
  autoClose: 'on' | 'dry-run' | 'off'
  timeZone: string
  graceHours: number
}

/** What is read at a scrape. */
export interface MetricSources {
  reader: Pick<Store, 'rfqCounts' | 'unsettledCloses' | 'newestRun' | 'targetStates' | 'sizes'>
  channels: readonly MonitoredChannel[]
  /** Names of the configured targets of notifications. */
  targets: readonly string[]
  pollChecks: (now: Date) => Promise<readonly PollCheck[]>
  /** Whether the kill switch stops all closing. */
  closingStopped: () => Promise<boolean>
  queue: () => Promise<QueueLoad>
}

const OUTCOMES: readonly UnsettledClose['outcome'][] = ['refused', 'unknown', 'failed', 'open']

/**
 * Declares the gauges of docs/METRICS.md, "What the database says" and "The queue".
 * @returns reads the sources and sets the gauges; those of a source that cannot be read are omitted
 */
export function createStateMetrics(
  registers: Registry[],
): (sources: MetricSources, now: Date, onError: (error: unknown) => void) => Promise<void> {
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name: `quotekeeper_${name}`, help, labelNames, registers })
  const up = gauge('metrics_source_up', 'Whether the source could be read at this scrape.', 'source')
  const ofChannels = {
    info: gauge('channel_info', 'A configured channel and its closing mode; always 1.', 'channel', 'auto_close'),
    rfqs: gauge('rfqs', 'RFQs that are not missing, by state.', 'channel', 'state'),
    overdue: gauge('rfqs_overdue', 'Open RFQs that are past due, grace included.', 'channel'),
    nextDue: gauge('rfq_next_due_timestamp_seconds', 'When the next due date of an open RFQ ends.', 'channel'),
    unsettled: gauge('closes_unsettled', 'Closes that need attention, by outcome.', 'channel', 'outcome'),
    blocked: gauge('closes_blocked', '1 while the newest closing round is blocked until approved.', 'channel'),
  }
  const ofDatabase = {
    completed: gauge('poll_last_complete_timestamp_seconds', 'When the newest complete poll ended.', 'channel', 'kind'),
    stale: gauge('poll_stale', '1 if no poll has completed within three intervals.', 'channel', 'kind'),
    notifications: gauge('notifications', 'Events that a target has not got, or never gets.', 'target', 'state'),
    failures: gauge('notification_target_failures', 'Attempts in a row that failed.', 'target'),
    bytes: gauge('database_bytes', 'Size of the database file.'),
    walBytes: gauge('database_wal_bytes', 'Size of the write-ahead log of the database.'),
    stopped: gauge('closing_stopped', '1 while the configuration, the stop file or a person stops all closing.'),
  }
  const ofQueue = {
    jobs: gauge('queue_jobs', 'Jobs in the queue.', 'state'),
    oldest: gauge('queue_oldest_waiting_seconds', 'How long the oldest waiting job has waited; 0 if none waits.'),
  }

  const setChannel = async (reader: MetricSources['reader'], each: MonitoredChannel, now: Date) => {
    const { key: channel, autoClose, timeZone, graceHours } = each
    const counts = await reader.rfqCounts(channel)
    const calendar = createCalendar(timeZone)
    const [today, isOverdue] = [calendar.dateAt(now), createOverdueTest(calendar, graceHours, now)]
    const sum = (isMeant: (rfqs: (typeof counts)[number]) => boolean) =>
      counts.reduce((total, rfqs) => total + (isMeant(rfqs) ? rfqs.count : 0), 0)
    const [open, closed] = ['open', 'closed'].map((state) => sum((rfqs) => rfqs.state === state)) as [number, number]
    ofChannels.info.set({ channel, auto_close: autoClose }, 1)
    ofChannels.rfqs.set({ channel, state: 'open' }, open)
    ofChannels.rfqs.set({ channel, state: 'closed' }, closed)
    // States that are not in the API description.
    ofChannels.rfqs.set({ channel, state: 'other' }, sum(() => true) - open - closed)
    ofChannels.overdue.set(
      { channel },
      sum(({ state, dueDate }) => state === 'open' && isOverdue(dueDate)),
    )
    const [next] = counts
      .flatMap(({ state, dueDate }) => (state === 'open' && dueDate !== null && dueDate >= today ? [dueDate] : []))
      .filter(isCalendarDate)
      .sort()
    const nextDue = next === undefined ? null : endOfDate(next, calendar)
    if (nextDue !== null) ofChannels.nextDue.set({ channel }, nextDue.getTime() / 1_000)
    const closes = await reader.unsettledCloses({ channel, now })
    for (const outcome of OUTCOMES)
      ofChannels.unsettled.set({ channel, outcome }, closes.filter((close) => close.outcome === outcome).length)
    const round = await reader.newestRun({ channel, kind: 'close' })
    ofChannels.blocked.set({ channel }, round?.stop?.code === 'max-per-run' ? 1 : 0)
  }

  const setDatabase = async (sources: MetricSources, now: Date) => {
    const { reader, channels, targets, pollChecks, closingStopped } = sources
    for (const { channel, kind, ok, completeAt } of await pollChecks(now)) {
      if (completeAt !== null) ofDatabase.completed.set({ channel, kind }, Date.parse(completeAt) / 1_000)
      ofDatabase.stale.set({ channel, kind }, ok ? 0 : 1)
    }
    for (const channel of channels) await setChannel(reader, channel, now)
    for (const { target, waiting, passedOver, failures } of await reader.targetStates()) {
      if (!targets.includes(target)) continue
      ofDatabase.notifications.set({ target, state: 'waiting' }, waiting)
      ofDatabase.notifications.set({ target, state: 'passed-over' }, passedOver?.events ?? 0)
      ofDatabase.failures.set({ target }, failures)
    }
    const { database, wal } = await reader.sizes()
    ofDatabase.bytes.set(database)
    ofDatabase.walBytes.set(wal)
    ofDatabase.stopped.set((await closingStopped()) ? 1 : 0)
  }

  const setQueue = async (queue: MetricSources['queue']) => {
    const load = await queue()
    for (const state of ['waiting', 'active', 'delayed'] as const) ofQueue.jobs.set({ state }, load[state])
    ofQueue.oldest.set(load.oldestWaitingSeconds)
  }

  // After a reset, a gauge without labels has the value 0.
  const withoutLabels = new Set<Gauge>([ofDatabase.bytes, ofDatabase.walBytes, ofDatabase.stopped, ofQueue.oldest])
  const clear = (gauges: Readonly<Record<string, Gauge>>) => {
    for (const each of Object.values(gauges)) withoutLabels.has(each) ? each.remove() : each.reset()
  }

  return async (sources, now, onError) => {
    const readSource = async (source: string, gauges: Record<string, Gauge>, read: () => Promise<void>) => {
      clear(gauges)
      try {
        await read()
        up.set({ source }, 1)
      } catch (error) {
        clear(gauges)
        up.set({ source }, 0)
        onError(error)
      }
    }
    await Promise.all([
      readSource('database', { ...ofChannels, ...ofDatabase } as never, () => setDatabase(sources, now)),
      readSource('queue', ofQueue as never, () => setQueue(sources.queue)),
    ])
  }
}
