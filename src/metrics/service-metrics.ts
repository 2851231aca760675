import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { shareConcurrent } from '../core/async.js'
import { createActivityMetrics } from './activity-metrics.js'
import type { MetricSources } from './contract.js'
import { createStateMetrics } from './state-metrics.js'

/**
 * Creates the metrics of one process (docs/METRICS.md), with those of Node.js and the operating system.
 * @param options.channels the configured channels
 */
export function createServiceMetrics(options: { version: string; channels: readonly { key: string }[] }) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'quotekeeper_build_info',
    help: 'The version of Quotekeeper and of Node.js; always 1.',
    labelNames: ['version', 'node_version'],
    registers,
  }).set({ version: options.version, node_version: process.version }, 1)
  const activity = createActivityMetrics(
    registers,
    options.channels.map(({ key }) => key),
  )
  const state = createStateMetrics(registers)
  return {
    /** Counts the activity of this process. */
    activity,
    /**
     * Creates the function that reads the sources and returns all metrics in the text format of Prometheus. Concurrent calls
     * share one result. If a source cannot be read, its metrics are left out and `quotekeeper_metrics_source_up` says so.
     * @param onError called with the error of a source
     */
    exposeWith({ database, queue, closingStopped }: MetricSources, onError: (error: unknown) => void) {
      const readOrNull = <T>(read: () => Promise<T>) =>
        read().catch((error: unknown) => {
          onError(error)
          return null
        })
      return shareConcurrent(async () => {
        await Promise.all([
          readOrNull(database).then(state.setDatabase),
          readOrNull(queue).then(state.setQueue),
          readOrNull(closingStopped).then(state.setClosingStopped),
        ])
        return { contentType: registry.contentType, text: await registry.metrics() }
      })
    },
  }
}
