import { Gauge, type Registry } from 'prom-client'
import type { QueueLoad } from '../core/queue-load.js'
import type { ChannelState, DatabaseState } from './contract.js'

/** Gauges that are set at a scrape. `null`: the source could not be read, and its gauges are omitted. */
export interface StateMetrics {
  setDatabase(state: DatabaseState | null): void
  setQueue(load: QueueLoad | null): void
  setClosingStopped(stopped: boolean | null): void
}

/** Creates the gauges of docs/METRICS.md, "What the database says" and "The queue". */
export function createStateMetrics(registers: Registry[]): StateMetrics {
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `quotekeeper_${name}`, help, labelNames, registers })
  const source = gauge(
    'metrics_source_up',
    'Whether the database and the queue could be read at this scrape.',
    'source',
  )
  const channels = createChannelGauges(gauge)
  const notifications = gauge(
    'notifications',
    'Events that a target has not got: those that will be sent (waiting), and those passed over (passed-over).',
    'target',
    'state',
  )
  const failures = gauge('notification_target_failures', 'Attempts in a row that failed.', 'target')
  const databaseBytes = gauge('database_bytes', 'Size of the database file.')
  const walBytes = gauge('database_wal_bytes', 'Size of the write-ahead log of the database.')
  const jobs = gauge('queue_jobs', 'Jobs in the queue.', 'state')
  const oldest = gauge('queue_oldest_waiting_seconds', 'How long the oldest waiting job has waited; 0 if none waits.')
  const stopped = gauge('closing_stopped', '1 while the configuration, the stop file or a person stops all closing.')
  // Removed, because a gauge without labels has the value 0 initially and after a reset.
  const setOrRemove = (target: Gauge, value: number | undefined) => {
    target.remove()
    if (value !== undefined) target.set(value)
  }
  return {
    setDatabase(state) {
      source.set({ source: 'database' }, state === null ? 0 : 1)
      channels.set(state?.channels ?? [])
      notifications.reset()
      failures.reset()
      for (const { target, waiting, passedOver, failures: inRow } of state?.notifications ?? []) {
        notifications.set({ target, state: 'waiting' }, waiting)
        notifications.set({ target, state: 'passed-over' }, passedOver)
        failures.set({ target }, inRow)
      }
      setOrRemove(databaseBytes, state?.databaseBytes)
      setOrRemove(walBytes, state?.walBytes)
    },
    setQueue(load) {
      source.set({ source: 'queue' }, load === null ? 0 : 1)
      jobs.reset()
      if (load !== null) for (const state of ['waiting', 'active', 'delayed'] as const) jobs.set({ state }, load[state])
      setOrRemove(oldest, load?.oldestWaitingSeconds)
    },
    setClosingStopped: (isStopped) => setOrRemove(stopped, isStopped === null ? undefined : Number(isStopped)),
  }
}

type CreateGauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) => Gauge<Label>

function createChannelGauges(gauge: CreateGauge) {
  const info = gauge('channel_info', 'A configured channel and its closing mode; always 1.', 'channel', 'auto_close')
  const completed = gauge(
    'poll_last_complete_timestamp_seconds',
    'When the newest complete poll ended.',
    'channel',
    'kind',
  )
  const stale = gauge(
    'poll_stale',
    '1 if no poll has completed within three intervals of its schedule.',
    'channel',
    'kind',
  )
  const rfqs = gauge('rfqs', 'RFQs that are not missing, by state.', 'channel', 'state')
  const overdue = gauge('rfqs_overdue', 'Open RFQs that are past due, grace included.', 'channel')
  const nextDue = gauge(
    'rfq_next_due_timestamp_seconds',
    'When the next response due date of an open RFQ ends.',
    'channel',
  )
  const unsettled = gauge('closes_unsettled', 'Closes that need attention, by outcome.', 'channel', 'outcome')
  const blocked = gauge('closes_blocked', '1 while the newest closing round is blocked until approved.', 'channel')
  const all = [info, completed, stale, rfqs, overdue, nextDue, unsettled, blocked]
  const setChannel = (state: ChannelState) => {
    const { channel } = state
    info.set({ channel, auto_close: state.autoClose }, 1)
    for (const poll of state.polls) {
      const { kind, completedAt } = poll
      if (completedAt !== null) completed.set({ channel, kind }, completedAt.getTime() / 1_000)
      stale.set({ channel, kind }, poll.stale ? 1 : 0)
    }
    for (const [rfqState, count] of Object.entries(state.rfqs)) rfqs.set({ channel, state: rfqState }, count)
    overdue.set({ channel }, state.overdue)
    if (state.nextDue !== null) nextDue.set({ channel }, state.nextDue.getTime() / 1_000)
    for (const [outcome, count] of Object.entries(state.unsettled)) unsettled.set({ channel, outcome }, count)
    blocked.set({ channel }, state.blocked)
  }
  return {
    /** Replaces all values, so that channels that are no longer read disappear. */
    set(states: readonly ChannelState[]): void {
      for (const each of all) each.reset()
      for (const state of states) setChannel(state)
    },
  }
}
