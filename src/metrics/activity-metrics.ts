import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { DocumentKind } from '../core/documents/documents.js'
import {
  CLOSE_OUTCOMES,
  DECISION_KINDS,
  type DecisionRecord,
  RUN_KINDS,
  RUN_OUTCOMES,
  type RunKind,
  type RunRecord,
} from '../core/records.js'
import type { Operation, RequestObserver } from '../marketplace/contract.js'

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

const DOCUMENTS = ['listing', 'rfq', 'offer']
const OPERATIONS = ['listListings', 'listRfqs', 'readRfq', 'readResponse', 'closeRfq'] satisfies Operation[]
const NAMED_CODES = [200, 400, 401, 403, 404, 408, 409, 410, 429, 500, 502, 503, 504]
const CODES = [...NAMED_CODES.map(String), '1xx', '2xx', '3xx', '4xx', '5xx', 'error']

/** Each label of a metric with all its values. */
type Labels<Name extends string> = Record<Name, readonly string[]>

/** Creates the counters and histograms of docs/METRICS.md, "What the process does". */
export function createActivityMetrics(registers: Registry[], channels: readonly string[]): ActivityMetrics {
  const counter = <Name extends string>(name: string, help: string, labels: Labels<Name>): Counter<Name> => {
    const labelNames = Object.keys(labels) as Name[]
    const created = new Counter({ name: `quotekeeper_${name}_total`, help, labelNames, registers })
    for (const each of combinations(labels)) created.inc(each, 0)
    return created
  }
  const histogram = <Name extends string>(name: string, help: string, buckets: number[], labels: Labels<Name>) => {
    const labelNames = Object.keys(labels) as Name[]
    const created = new Histogram({ name: `quotekeeper_${name}_seconds`, help, labelNames, buckets, registers })
    for (const each of combinations(labels)) created.zero(each)
    return created
  }
  const runs = counter('runs', 'Polls and closing rounds that ended, by outcome.', {
    channel: channels,
    kind: RUN_KINDS,
    outcome: RUN_OUTCOMES,
  })
  const runDuration = histogram('run_duration', 'Duration of polls and closing rounds.', RUN_BUCKETS, {
    kind: RUN_KINDS,
  })
  const documents = counter(
    'documents_seen',
    'Documents that polls found on the marketplace, whether read again or listed as unchanged.',
    { channel: channels, kind: ['listings', 'rfqs'] },
  )
  const versions = counter(
    'versions_written',
    'Versions recorded: documents seen for the first time (new) and changes of known ones (changed).',
    { channel: channels, document: DOCUMENTS, change: ['new', 'changed'] },
  )
  const delay = histogram(
    'detection_delay',
    'How long a change of a known document can have been unknown at most: since the last observation before it.',
    DELAY_BUCKETS,
    { document: DOCUMENTS },
  )
  const decisions = counter(
    'closings',
    'Closing decisions recorded, by outcome of the close (none: no close was tried).',
    { channel: channels, decision: DECISION_KINDS, outcome: [...CLOSE_OUTCOMES, 'none'] },
  )
  const reports = histogram('report_duration', 'Duration of making a report.', REPORT_BUCKETS, {
    report: ['rfq', 'channel'],
    outcome: ['succeeded', 'failed'],
  })
  const duration = histogram(
    'marketplace_request_duration',
    'Duration of requests to the marketplace, retries included, by operation and HTTP status (error: no complete reply).',
    REQUEST_BUCKETS,
    { operation: OPERATIONS, code: CODES },
  )
  const retries = counter('marketplace_retries', 'Requests that repeated a failed read.', { operation: OPERATIONS })
  const wait = histogram(
    'marketplace_rate_limit_wait',
    'How long requests waited for the request limits before they were sent.',
    WAIT_BUCKETS,
    { operation: OPERATIONS },
  )
  const skew = new Gauge({
    name: 'quotekeeper_marketplace_clock_skew_seconds',
    help: 'The local clock minus the clock of the marketplace, from the newest reply.',
    registers,
  })
  skew.remove() // Absent before the first measurement, because 0 would mean that the clocks agree.
  return {
    requestEnded({ operation, code, seconds, retry, waitedSeconds, clockSkewSeconds }) {
      duration.observe({ operation, code: codeLabel(code) }, seconds)
      if (retry) retries.inc({ operation })
      wait.observe({ operation }, waitedSeconds)
      if (clockSkewSeconds !== null) skew.set(clockSkewSeconds)
    },
    runEnded({ run, decisions: made = [] }) {
      const { channel, kind, outcome, startedAt, finishedAt, seen } = run
      if (outcome === null || finishedAt === null) return
      runs.inc({ channel, kind, outcome })
      runDuration.observe({ kind }, (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000)
      if (kind !== 'close') documents.inc({ channel, kind }, seen)
      for (const { decision, outcome: result } of made) decisions.inc({ channel, decision, outcome: result ?? 'none' })
    },
    runFailed: ({ channel, kind }) => runs.inc({ channel, kind, outcome: 'failed' }),
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

/** Every combination of labels, which has the value 0 from the start, so that a rate sees the first increase. */
const combinations = <Name extends string>(labels: Labels<Name>): Record<Name, string>[] =>
  (Object.entries(labels) as [Name, readonly string[]][]).reduce(
    (all, [name, values]) => all.flatMap((each) => values.map((value) => ({ ...each, [name]: value }))),
    [{} as Record<Name, string>],
  )

/** A label with few possible values, whatever status a marketplace sends. */
const codeLabel = (code: number | 'error'): string =>
  code === 'error' || NAMED_CODES.includes(code) ? String(code) : `${Math.floor(code / 100)}xx`
