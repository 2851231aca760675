import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { shareConcurrent } from '../core/async.js'
import type { Clock } from '../core/time/clock.js'
import { type ActivityMetrics, createActivityMetrics } from './activity-metrics.js'
import { type MetricSources, readState } from './state-metrics.js'

interface ServiceMetrics {
  /** Counts the activity of this process. */
  readonly activity: ActivityMetrics
  /**
   * Creates the function that reads the sources and returns all metrics in the text format of Prometheus. Concurrent calls
   * share one result. If a source cannot be read, its metrics are left out and `quotekeeper_metrics_source_up` says so.
   * @param onError called with the error of a source
   */
  exposeWith(
    sources: MetricSources,
    options: { now: Clock; onError: (error: unknown) => void },
  ): () => Promise<{ contentType: string; text: string }>
}

/** Creates the metrics of one process (docs/METRICS.md), with those of Node.js and the operating system. */
export function createServiceMetrics({ version }: { version: string }): ServiceMetrics {
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
    exposeWith: (sources, { now, onError }) =>
      shareConcurrent(async () => {
        const all = Registry.merge([registry, ...(await readState(sources, now(), onError))])
        return { contentType: registry.contentType, text: await all.metrics() }
      }),
  }
}
