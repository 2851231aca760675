import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { DecisionRecord, RunKind, RunOutcome, RunRecord } from '../core/records.js'
import type { RequestObserver } from '../marketplace/contract.js'
import type { RecordedVersion } from '../store/contract.js'

/** The part of the result of a poll or closing round that metrics use. */
interface EndedRun {
  run: Pick<RunRecord, 'id' | 'channel' | 'kind' | 'outcome' | 'startedAt' | 'finishedAt' | 'seen'>
  /** The decisions of a closing round. */
  decisions?: readonly Pick<DecisionRecord, 'decision' | 'outcome'>[]
}

/** Counts the activity of this process. Does not throw for unexpected values, because labels come from fixed lists. */
export type ActivityMetrics = ReturnType<typeof createActivityMetrics>

const REQUEST_BUCKETS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const WAIT_BUCKETS = [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60]
const RUN_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600]
const REPORT_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const DELAY_BUCKETS = [10, 30, 60, 120, 300, 600, 1800, 3600, 21_600, 86_400]

/** Declares the counters and histograms of docs/METRICS.md, "What the process does". */
export function createActivityMetrics(registers: Registry[]) {
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name: `quotekeeper_${name}`, help, labelNames, registers })
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram({ name: `quotekeeper_${name}_seconds`, help, buckets, labelNames, registers })
  const runs = counter('runs_total', 'Polls and closing rounds that ended, by outcome.', 'channel', 'kind', 'outcome')
  const runDuration = histogram('run_duration', 'Duration of polls and closing rounds.', RUN_BUCKETS, 'kind')
  const documents = counter('documents_seen_total', 'Documents that polls found, read again or not.', 'channel', 'kind')
  const versions = counter('versions_written_total', 'Versions recorded.', 'channel', 'document', 'change')
  const delay = histogram('detection_delay', 'How long a change can have been unknown.', DELAY_BUCKETS, 'document')
  const closings = counter('closings_total', 'Closing decisions recorded.', 'channel', 'decision', 'outcome')
  const reports = histogram('report_duration', 'Duration of making a report.', REPORT_BUCKETS, 'report', 'outcome')
  const requests = histogram(
    'marketplace_request_duration',
    'Duration of requests to the marketplace, retries included.',
    REQUEST_BUCKETS,
    'operation',
    'code',
  )
  const retries = counter('marketplace_retries_total', 'Requests that repeated a failed read.', 'operation')
  const wait = histogram('marketplace_rate_limit_wait', 'Waits for the request limits.', WAIT_BUCKETS, 'operation')
  const skew = new Gauge({
    name: 'quotekeeper_marketplace_clock_skew_seconds',
    help: 'The local clock minus the clock of the marketplace, from the newest reply.',
    registers,
  })
  skew.remove() // Absent before the first measurement, because 0 would mean that the clocks agree.
  return {
    requestEnded({ operation, code, seconds, retry, waitedSeconds, clockSkewSeconds }: Parameters<RequestObserver>[0]) {
      requests.observe({ operation, code: codeLabel(code) }, seconds)
      if (retry) retries.inc({ operation })
      wait.observe({ operation }, waitedSeconds)
      if (clockSkewSeconds !== null) skew.set(clockSkewSeconds)
    },
    runEnded({ run, decisions = [] }: EndedRun) {
      const { channel, kind, outcome, startedAt, finishedAt, seen } = run
      if (outcome === null || finishedAt === null) return
      runs.inc({ channel, kind, outcome })
      runDuration.observe({ kind }, (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000)
      if (kind !== 'close') documents.inc({ channel, kind }, seen)
      for (const { decision, outcome: result } of decisions)
        closings.inc({ channel, decision, outcome: result ?? 'none' })
    },
    /** The run ended with an error of this process or its database, so that its result is unknown. */
    runFailed: ({ channel, kind }: { channel: string; kind: RunKind }) =>
      runs.inc({ channel, kind, outcome: 'failed' satisfies RunOutcome }),
    versionsWritten(channel: string, written: readonly RecordedVersion[]) {
      for (const { kind, delaySeconds } of written) {
        const document = kind === 'response' ? 'offer' : kind
        versions.inc({ channel, document, change: delaySeconds === null ? 'new' : 'changed' })
        if (delaySeconds !== null) delay.observe({ document }, delaySeconds)
      }
    },
    reportEnded: ({ report, seconds, succeeded }: { report: 'rfq' | 'channel'; seconds: number; succeeded: boolean }) =>
      reports.observe({ report, outcome: succeeded ? 'succeeded' : 'failed' }, seconds),
  }
}

const NAMED_CODES = new Set([200, 400, 401, 403, 404, 408, 409, 410, 429, 500, 502, 503, 504])

/** A label with few possible values, whatever status a marketplace sends. */
const codeLabel = (code: number | 'error'): string =>
  code === 'error' || NAMED_CODES.has(code) ? String(code) : `${Math.floor(code / 100)}xx`
