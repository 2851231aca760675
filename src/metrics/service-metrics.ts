import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { shareConcurrent } from '../core/async.js'
import type { QueueLoad } from '../core/queue-load.js'
import type { UnsettledClose } from '../core/records.js'
import { isCalendarDate } from '../core/time/calendar-days.js'
import type { Clock } from '../core/time/clock.js'
import { endOfDate } from '../core/time/expiry.js'
import type { PollCheck } from '../readiness/poll-freshness.js'
import type { Store } from '../store/contract.js'
import { type ChannelRules, createRulesLookup } from '../tables/channels/channel-rules.js'
import { countRfqs } from '../tables/lists/channels.js'
import { createActivityMetrics } from './activity-metrics.js'

/** What is read at a scrape. */
export interface MetricSources {
  reader: Pick<Store, 'rfqCounts' | 'unsettledCloses' | 'newestRun' | 'targetStates' | 'sizes'>
  channels: readonly ChannelRules[]
  /** Names of the configured targets of notifications. */
  targets: readonly string[]
  pollChecks: (now: Date) => Promise<readonly PollCheck[]>
  /** Whether the kill switch stops all closing. */
  closingStopped: () => Promise<boolean>
  queue: () => Promise<QueueLoad>
}

/** Creates the metrics of one process (docs/METRICS.md), with those of Node.js and the operating system. */
export function createServiceMetrics({ version }: { version: string }) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'quotekeeper_build_info',
    help: 'The version of Quotekeeper and of Node.js; always 1.',
    labelNames: ['version', 'node_version'],
    registers,
  }).set({ version, node_version: process.version }, 1)
  return {
    activity: createActivityMetrics(registers),
    /**
     * Creates the function that reads the sources and returns all metrics in the text format of Prometheus. Concurrent calls
     * share one result. If a source cannot be read, its metrics are left out and `quotekeeper_metrics_source_up` says so.
     * @param onError called with the error of a source
     */
    exposeWith: (sources: MetricSources, { now, onError }: { now: Clock; onError: (error: unknown) => void }) =>
      shareConcurrent(async () => {
        const all = Registry.merge([registry, ...(await readState(sources, now(), onError))])
        return { contentType: registry.contentType, text: await all.metrics() }
      }),
  }
}

/** The gauges of docs/METRICS.md, "What the database says" and "The queue". */
const GAUGES = {
  metrics_source_up: 'Whether the source could be read at this scrape.',
  channel_info: 'A configured channel and its closing mode; always 1.',
  rfqs: 'RFQs that are not missing, by state.',
  rfqs_overdue: 'Open RFQs that are past due, grace included.',
  rfq_next_due_timestamp_seconds: 'When the next due date of an open RFQ ends.',
  closes_unsettled: 'Closes that need attention, by outcome.',
  closes_blocked: '1 while the newest closing round is blocked until approved.',
  poll_last_complete_timestamp_seconds: 'When the newest complete poll ended.',
  poll_stale: '1 if no poll has completed within three intervals.',
  notifications: 'Events that a target has not got, or never gets.',
  notification_target_failures: 'Attempts in a row that failed.',
  database_bytes: 'Size of the database file.',
  database_wal_bytes: 'Size of the write-ahead log of the database.',
  closing_stopped: '1 while the configuration, the stop file or a person stops all closing.',
  queue_jobs: 'Jobs in the queue.',
  queue_oldest_waiting_seconds: 'How long the oldest waiting job has waited; 0 if none waits.',
} as const
type SetGauge = (name: keyof typeof GAUGES, value: number, labels?: Readonly<Record<string, string>>) => void

/** A registry of the gauges that were set. */
function createGauges(): { registry: Registry; set: SetGauge } {
  const registry = new Registry()
  const gauges = new Map<string, Gauge>()
  const set: SetGauge = (name, value, labels = {}) => {
    const options = { name: `quotekeeper_${name}`, help: GAUGES[name], labelNames: Object.keys(labels) }
    const gauge = gauges.get(name) ?? new Gauge({ ...options, registers: [registry] })
    gauges.set(name, gauge)
    gauge.set(labels, value)
  }
  return { registry, set }
}

/**
 * Reads the sources.
 * @param onError called with the error of a source
 * @returns their gauges, without those of a source that could not be read, which one gauge says
 */
async function readState(sources: MetricSources, now: Date, onError: (error: unknown) => void): Promise<Registry[]> {
  const up = createGauges()
  const readSource = async (source: string, read: (set: SetGauge) => Promise<void>): Promise<Registry[]> => {
    const { registry, set } = createGauges()
    try {
      await read(set)
      up.set('metrics_source_up', 1, { source })
      return [registry]
    } catch (error) {
      up.set('metrics_source_up', 0, { source })
      onError(error)
      return []
    }
  }
  const read = await Promise.all([
    readSource('database', (set) => readDatabase(sources, set, now)),
    readSource('queue', (set) => readQueue(sources, set)),
  ])
  return [up.registry, ...read.flat()]
}

async function readQueue({ queue }: MetricSources, set: SetGauge): Promise<void> {
  const { waiting, active, oldestWaitingSeconds } = await queue()
  set('queue_jobs', waiting, { state: 'waiting' })
  set('queue_jobs', active, { state: 'active' })
  set('queue_oldest_waiting_seconds', oldestWaitingSeconds)
}

async function readDatabase(sources: MetricSources, set: SetGauge, now: Date): Promise<void> {
  const { reader, channels, targets, pollChecks, closingStopped } = sources
  for (const { channel, kind, ok, completeAt } of await pollChecks(now)) {
    if (completeAt !== null)
      set('poll_last_complete_timestamp_seconds', Date.parse(completeAt) / 1_000, { channel, kind })
    set('poll_stale', ok ? 0 : 1, { channel, kind })
  }
  for (const channel of channels) await readChannel(reader, channel, set, now)
  for (const { target, waiting, passedOver, failures } of await reader.targetStates()) {
    if (!targets.includes(target)) continue
    set('notifications', waiting, { target, state: 'waiting' })
    set('notifications', passedOver?.events ?? 0, { target, state: 'passed-over' })
    set('notification_target_failures', failures, { target })
  }
  const { database, wal } = await reader.sizes()
  set('database_bytes', database)
  set('database_wal_bytes', wal)
  set('closing_stopped', (await closingStopped()) ? 1 : 0)
}

const OUTCOMES: readonly UnsettledClose['outcome'][] = ['refused', 'unknown', 'failed', 'open']

async function readChannel(reader: MetricSources['reader'], each: ChannelRules, set: SetGauge, now: Date) {
  const { key: channel, autoClose } = each
  const [rfqs, rules] = [await reader.rfqCounts(channel), createRulesLookup([each])(channel)]
  const { overdue, ...states } = countRfqs(rfqs, rules, now)
  set('channel_info', 1, { channel, auto_close: autoClose })
  for (const [state, count] of Object.entries(states)) set('rfqs', count, { channel, state })
  set('rfqs_overdue', overdue, { channel })
  const today = rules.calendar.dateAt(now)
  const [next] = rfqs
    .flatMap(({ state, dueDate }) => (state === 'open' && dueDate !== null && dueDate >= today ? [dueDate] : []))
    .filter(isCalendarDate)
    .sort()
  const nextDue = next === undefined ? null : endOfDate(next, rules.calendar)
  if (nextDue !== null) set('rfq_next_due_timestamp_seconds', nextDue.getTime() / 1_000, { channel })
  const closes = await reader.unsettledCloses({ channel, now })
  for (const outcome of OUTCOMES)
    set('closes_unsettled', closes.filter((close) => close.outcome === outcome).length, { channel, outcome })
  const round = await reader.newestRun({ channel, kind: 'close' })
  set('closes_blocked', round?.stop?.code === 'max-per-run' ? 1 : 0, { channel })
}
