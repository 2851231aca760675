import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { DocumentKind } from '../core/documents/documents.js'
import type { DecisionRecord, RunKind, RunOutcome, RunRecord } from '../core/records.js'
import type { RequestObserver } from '../marketplace/contract.js'

/** The part of the result of a poll or closing round that metrics use. */
export interface EndedRun {
  run: Pick<RunRecord, 'id' | 'channel' | 'kind' | 'outcome' | 'startedAt' | 'finishedAt' | 'seen'>
  /** The decisions of a closing round. */
  decisions?: readonly Pick<DecisionRecord, 'decision' | 'outcome'>[]
}

/** A version that a run recorded; `delaySeconds` is null for the first one of a document. */
export interface WrittenVersion {
  kind: DocumentKind
  delaySeconds: number | null
}

/** Counts the activity of this process. Does not throw for unexpected values, because labels come from fixed lists. */
export interface ActivityMetrics {
  requestEnded: RequestObserver
  runEnded(run: EndedRun): void
  runFailed(run: { channel: string; kind: RunKind }): void
  versionsWritten(channel: string, versions: readonly WrittenVersion[]): void
  reportEnded(report: { report: 'rfq' | 'channel'; seconds: number; succeeded: boolean }): void
}

const REQUEST_BUCKETS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const WAIT_BUCKETS = [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60]
const RUN_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600]
const REPORT_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const DELAY_BUCKETS = [10, 30, 60, 120, 300, 600, 1800, 3600, 21_600, 86_400]

/** Creates the counters and histograms of docs/METRICS.md, "What the process does". */
export function createActivityMetrics(registers: Registry[]): ActivityMetrics {
  const runs = new Counter({
    name: 'quotekeeper_runs_total',
    help: 'Polls and closing rounds that ended, by outcome.',
    labelNames: ['channel', 'kind', 'outcome'] as const,
    registers,
  })
  const runDuration = new Histogram({
    name: 'quotekeeper_run_duration_seconds',
    help: 'Duration of polls and closing rounds.',
    labelNames: ['kind'] as const,
    buckets: RUN_BUCKETS,
    registers,
  })
  const documents = new Counter({
    name: 'quotekeeper_documents_seen_total',
    help: 'Documents that polls found on the marketplace, whether read again or listed as unchanged.',
    labelNames: ['channel', 'kind'] as const,
    registers,
  })
  const versions = new Counter({
    name: 'quotekeeper_versions_written_total',
    help: 'Versions recorded: documents seen for the first time (new) and changes of known ones (changed).',
    labelNames: ['channel', 'document', 'change'] as const,
    registers,
  })
  const delay = new Histogram({
    name: 'quotekeeper_detection_delay_seconds',
    help: 'How long a change of a known document can have been unknown at most: since the last observation before it.',
    labelNames: ['document'] as const,
    buckets: DELAY_BUCKETS,
    registers,
  })
  const decisions = new Counter({
    name: 'quotekeeper_closings_total',
    help: 'Closing decisions recorded, by outcome of the close (none: no close was tried).',
    labelNames: ['channel', 'decision', 'outcome'] as const,
    registers,
  })
  const reports = new Histogram({
    name: 'quotekeeper_report_duration_seconds',
    help: 'Duration of making a report.',
    labelNames: ['report', 'outcome'] as const,
    buckets: REPORT_BUCKETS,
    registers,
  })
  return {
    requestEnded: createRequestMetrics(registers),
    runEnded({ run, decisions: made = [] }) {
      const { channel, kind, outcome, startedAt, finishedAt, seen } = run
      if (outcome === null || finishedAt === null) return
      runs.inc({ channel, kind, outcome })
      runDuration.observe({ kind }, (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000)
      if (kind !== 'close') documents.inc({ channel, kind }, seen)
      for (const { decision, outcome: result } of made) decisions.inc({ channel, decision, outcome: result ?? 'none' })
    },
    runFailed: ({ channel, kind }) => runs.inc({ channel, kind, outcome: 'failed' satisfies RunOutcome }),
    versionsWritten(channel, written) {
      for (const { kind, delaySeconds } of written) {
        const document = kind === 'response' ? 'offer' : kind
        versions.inc({ channel, document, change: delaySeconds === null ? 'new' : 'changed' })
        if (delaySeconds !== null) delay.observe({ document }, delaySeconds)
      }
    },
    reportEnded: ({ report, seconds, succeeded }) =>
      reports.observe({ report, outcome: succeeded ? 'succeeded' : 'failed' }, seconds),
  }
}

function createRequestMetrics(registers: Registry[]): RequestObserver {
  const duration = new Histogram({
    name: 'quotekeeper_marketplace_request_duration_seconds',
    help: 'Duration of requests to the marketplace, retries included, by operation and HTTP status (error: no complete reply).',
    labelNames: ['operation', 'code'] as const,
    buckets: REQUEST_BUCKETS,
    registers,
  })
  const retries = new Counter({
    name: 'quotekeeper_marketplace_retries_total',
    help: 'Requests that repeated a failed read.',
    labelNames: ['operation'] as const,
    registers,
  })
  const wait = new Histogram({
    name: 'quotekeeper_marketplace_rate_limit_wait_seconds',
    help: 'How long requests waited for the request limits before they were sent.',
    labelNames: ['operation'] as const,
    buckets: WAIT_BUCKETS,
    registers,
  })
  let skew: Gauge | null = null
  return ({ operation, code, seconds, retry, waitedSeconds, clockSkewSeconds }) => {
    duration.observe({ operation, code: codeLabel(code) }, seconds)
    if (retry) retries.inc({ operation })
    wait.observe({ operation }, waitedSeconds)
    if (clockSkewSeconds === null) return
    // Created at the first measurement, because 0 would mean that the clocks agree.
    skew ??= new Gauge({
      name: 'quotekeeper_marketplace_clock_skew_seconds',
      help: 'The local clock minus the clock of the marketplace, from the newest reply.',
      registers,
    })
    skew.set(clockSkewSeconds)
  }
}

const NAMED_CODES = new Set([200, 400, 401, 403, 404, 408, 409, 410, 429, 500, 502, 503, 504])

/** A label with few possible values, whatever status a marketplace sends. */
const codeLabel = (code: number | 'error'): string =>
  code === 'error' || NAMED_CODES.has(code) ? String(code) : `${Math.floor(code / 100)}xx`
