import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { MetricSources } from '../../src/metrics/service-metrics.js'
import { createServiceMetrics } from '../../src/metrics/service-metrics.js'
import { parseSamples } from './exposition.js'

const docs = join(import.meta.dirname, '../../docs')
const read = (file: string) => readFileSync(join(docs, file), 'utf8')

const SOURCES: MetricSources = {
  reader: {
    rfqCounts: async () => [{ state: 'open', dueDate: '2026-12-01', count: 1 }],
    unsettledCloses: async () => [],
    newestRun: async () => null,
    targetStates: async () => [{ target: 'desk', waiting: 1, failures: 2, passedOver: null } as never],
    sizes: async () => ({ database: 1, wal: 1 }),
  },
  channels: [{ key: 'acme/forest', autoClose: 'on', timeZone: 'UTC', graceHours: 0 }],
  targets: ['desk'],
  pollChecks: async () => [
    {
      ...{ channel: 'acme/forest', kind: 'rfqs', ok: true, message: '' },
      ...{ completeAt: '2026-11-21T12:00:00.000Z', error: null, lostEntriesAt: null },
    },
  ],
  closingStopped: async () => true,
  queue: async () => ({ waiting: 1, active: 1, oldestWaitingSeconds: 1 }),
}

/** Every metric of Quotekeeper, after everything has happened that sets a label. */
async function exposeAll(): Promise<string> {
  const { activity, exposeWith } = createServiceMetrics({ version: '1.2.3' })
  const times = { startedAt: '2026-11-21T12:00:00.000Z', finishedAt: '2026-11-21T12:00:01.000Z' }
  const run = { id: 1, channel: 'acme/forest', kind: 'rfqs', outcome: 'complete', seen: 1, ...times } as const
  activity.runEnded({ run, decisions: [{ decision: 'keep', outcome: null }] })
  activity.versionsWritten('acme/forest', [
    { kind: 'rfq', delaySeconds: null },
    { kind: 'response', delaySeconds: 60 },
  ])
  activity.requestEnded({
    operation: 'readRfq',
    code: 200,
    seconds: 1,
    retry: true,
    waitedSeconds: 1,
    clockSkewSeconds: 1,
  })
  activity.reportEnded({ report: 'rfq', seconds: 1, succeeded: true })
  const now = () => new Date('2026-11-21T12:00:00Z')
  return (await exposeWith(SOURCES, { now, onError: (error) => expect.unreachable(String(error)) })()).text
}

interface Metric {
  name: string
  type: string
  labels: string[]
}
const byName = (a: Metric, b: Metric) => a.name.localeCompare(b.name)

function exposedMetrics(text: string): Metric[] {
  const samples = parseSamples(text)
  return [...text.matchAll(/^# TYPE (quotekeeper_\S+) (\w+)$/gm)]
    .map(([, name = '', type = '']) => {
      const sample = samples.find((each) => each.name === name || each.name === `${name}_count`)
      return { name, type, labels: Object.keys(sample?.labels ?? {}).sort() }
    })
    .sort(byName)
}

function documentedMetrics(): Metric[] {
  return [...read('METRICS.md').matchAll(/^\| `(quotekeeper_\w+)` \| (\w+) \| (.*?) \|/gm)]
    .map(([, name = '', type = '', labels = '']) => ({
      name,
      type,
      // The values of a label stand in brackets after it.
      labels: [...labels.replaceAll(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g)].map(([, label = '']) => label).sort(),
    }))
    .sort(byName)
}

const text = await exposeAll()
const known = new Set(parseSamples(text).map(({ name }) => name))

describe('docs/METRICS.md', () => {
  it('lists exactly the metrics that are exposed, with their types and labels', () => {
    expect(documentedMetrics()).toEqual(exposedMetrics(text))
  })
})

describe('docs/ops', () => {
  const namesIn = (expression: string) =>
    [...expression.matchAll(/\b(?:quotekeeper|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name)
  const { groups } = parse(read('ops/alerts.yaml')) as {
    groups: { rules: { alert: string; expr: string; annotations: { runbook: string } }[] }[]
  }
  const rules = groups.flatMap((group) => group.rules)

  it('uses only metrics that exist', () => {
    const used = namesIn(read('ops/alerts.yaml') + read('ops/grafana-dashboard.json'))
    expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([])
    expect(used.length).toBeGreaterThan(50)
  })

  it('shows every metric on the dashboard or in an alert rule', () => {
    const used = new Set(namesIn(read('ops/alerts.yaml') + read('ops/grafana-dashboard.json')))
    const names = documentedMetrics().map(({ name }) => name)
    const isUsed = (name: string) => ['', '_bucket', '_count'].some((suffix) => used.has(name + suffix))
    expect(names.filter((name) => !isUsed(name))).toEqual([])
  })

  it('names a section of OPERATIONS.md for each alert, and no section is left over', () => {
    const sections = [...read('OPERATIONS.md').matchAll(/^### (Quotekeeper\w+)$/gm)].map(([, name]) => name)
    expect(sections).toEqual(rules.map(({ alert }) => alert))
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook).toBe(`docs/OPERATIONS.md#${alert.toLowerCase()}`)
    }
  })
})
