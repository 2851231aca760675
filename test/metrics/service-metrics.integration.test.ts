import { describe, expect, it } from 'vitest'
import type { QueueLoad } from '../../src/core/queue-load.js'
import type { MetricSources } from '../../src/metrics/service-metrics.js'
import { createServiceMetrics } from '../../src/metrics/service-metrics.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { openReaderOf } from '../helpers/store/store-engine.js'
import { parseSamples } from './exposition.js'

const EMPTY: QueueLoad = { waiting: 0, active: 0, oldestWaitingSeconds: 0 }

/** Metrics over the database of a fixture; a source can be replaced. */
async function openMetrics(fixture: ChannelFixture, replaced: Partial<MetricSources> = {}) {
  const reader = await openReaderOf(fixture.store)
  const poll = { channel: KEY, kind: 'rfqs', ok: false, message: '', completeAt: null, error: null } as const
  const { activity, exposeWith } = createServiceMetrics({ version: '1.2.3' })
  const errors: unknown[] = []
  const sources: MetricSources = {
    ...{ reader, targets: ['desk'], queue: async () => EMPTY, closingStopped: async () => false },
    channels: [{ key: KEY, autoClose: 'on', timeZone: 'UTC', graceHours: 0 }],
    pollChecks: async () => [{ ...poll, lostEntriesAt: null }],
    ...replaced,
  }
  const expose = exposeWith(sources, { now: fixture.now, onError: (error) => errors.push(error) })
  const value = async (name: string, labels: Record<string, string> = {}) => {
    const samples = parseSamples((await expose()).text)
    const found = samples.filter(
      (each) => each.name === `quotekeeper_${name}` && Object.entries(labels).every(([k, v]) => each.labels[k] === v),
    )
    return found.length > 1 ? found.map((each) => each.value) : found[0]?.value
  }
  return { reader, activity, expose, value, errors }
}

describe('activity', () => {
  it('is counted by outcome, document and operation', async () => {
    const fixture = await openChannelFixture({ rfqs: 2, responsesPerRfq: 3 })
    const { activity, reader, value } = await openMetrics(fixture)
    const poll = async () => {
      const result = await fixture.pollRfqs()
      activity.runEnded(result)
      activity.versionsWritten(KEY, await reader.recordedVersions(result.run.id))
    }
    await poll()
    fixture.advanceSeconds(300)
    fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' })
    await poll()
    activity.runEnded(await fixture.closeExpired({ mode: 'on' }))
    activity.runFailed({ channel: KEY, kind: 'rfqs' })
    activity.reportEnded({ report: 'rfq', seconds: 0.3, succeeded: true })
    expect(await value('runs_total', { kind: 'rfqs', outcome: 'complete' })).toBe(2)
    expect(await value('runs_total', { kind: 'rfqs', outcome: 'failed' })).toBe(1)
    expect(await value('runs_total', { kind: 'close' })).toBe(1)
    expect(await value('documents_seen_total', { kind: 'rfqs' })).toBe(8 + 3 + 6)
    expect(await value('versions_written_total', { document: 'offer', change: 'new' })).toBe(6)
    const closed = (await fixture.store.decisions({})).filter(({ outcome }) => outcome === 'closed')
    expect(closed.length).toBeGreaterThan(0)
    expect(await value('closings_total', { decision: 'close', outcome: 'closed' })).toBe(closed.length)
    expect(await value('report_duration_seconds_count', { report: 'rfq', outcome: 'succeeded' })).toBe(1)
    expect(await value('build_info', { version: '1.2.3' })).toBe(1)
  })

  it('of requests has few labels, whatever a marketplace answers', async () => {
    const { activity, value, expose } = await openMetrics(await openChannelFixture())
    const request = {
      operation: 'readRfq',
      seconds: 0.2,
      retry: false,
      waitedSeconds: 0,
      clockSkewSeconds: null,
    } as const
    expect(await value('marketplace_clock_skew_seconds')).toBeUndefined()
    for (let code = 100; code < 600; code++) activity.requestEnded({ ...request, code })
    activity.requestEnded({ ...request, code: 'error', retry: true, waitedSeconds: 3, clockSkewSeconds: -4 })
    const codes = parseSamples((await expose()).text)
      .filter(({ name }) => name.endsWith('request_duration_seconds_count'))
      .map(({ labels }) => labels.code)
    expect(codes).toHaveLength(13 + 5 + 1)
    expect(codes).toEqual(expect.arrayContaining(['200', '429', '503', '2xx', '4xx', 'error']))
    expect(await value('marketplace_retries_total')).toBe(1)
    expect(await value('marketplace_rate_limit_wait_seconds_sum')).toBe(3)
    expect(await value('marketplace_clock_skew_seconds')).toBe(-4)
  })
})

describe('state', () => {
  it('counts RFQs by state, those past due, and says when the next one is due', async () => {
    const fixture = await openChannelFixture()
    const { world } = fixture.sandbox
    const channels = [{ key: KEY, autoClose: 'on' as const, timeZone: 'Europe/Paris', graceHours: 0 }]
    const { value, expose } = await openMetrics(fixture, { channels })
    for (const responseDueDate of ['2026-11-20', '1970-01-01', '2026-12-01', '2026-11-23', '2026-11-23'])
      world.addRfq(CHANNEL, { responseDueDate })
    world.changeRfq(world.addRfq(CHANNEL).id, { state: 'dr"aft\n# HELP evil', title: 'evil' } as never)
    world.closeRfq(world.addRfq(CHANNEL, { responseDueDate: '2026-11-22' }).id)
    world.changeRfq(world.addRfq(CHANNEL).id, { responseDueDate: 'soon' } as never)
    await fixture.pollRfqs()
    expect(await value('rfqs', { state: 'open' })).toBe(6)
    expect(await value('rfqs', { state: 'closed' })).toBe(1)
    expect(await value('rfqs', { state: 'other' })).toBe(1)
    expect(await value('rfqs_overdue')).toBe(1)
    expect(await value('rfq_next_due_timestamp_seconds')).toBe(Date.parse('2026-11-23T23:00:00Z') / 1000)
    expect(await value('poll_stale', { kind: 'rfqs' })).toBe(1)
    expect(await value('poll_last_complete_timestamp_seconds')).toBeUndefined()
    expect(await value('database_bytes')).toBeGreaterThan(0)
    expect(await value('metrics_source_up')).toEqual([1, 1])
    expect((await expose()).text).not.toMatch(/evil|key of acme/)
    fixture.setTime('2026-12-02T00:00:00.000Z')
    expect(await value('rfqs_overdue')).toBe(4)
    expect(await value('rfq_next_due_timestamp_seconds')).toBeUndefined()
  })

  it('counts the closes that need attention, and what is held for approval', async () => {
    const fixture = await openChannelFixture()
    for (let count = 0; count < 3; count++) fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' })
    const { value } = await openMetrics(fixture)
    await fixture.pollRfqs()
    await fixture.closeExpired({ mode: 'on', maxPerRun: 2 })
    expect(await value('closes_blocked')).toBe(1)
    fixture.sandbox.faults.add({
      operation: 'closeRfq',
      times: 3,
      effect: { kind: 'status', status: 200, body: { ok: false } },
    })
    await fixture.closeExpired({ mode: 'on', maxPerRun: 25 })
    expect(await value('closes_blocked')).toBe(0)
    expect(await value('closes_unsettled', { outcome: 'refused' })).toBe(3)
    expect(await value('closes_unsettled', { outcome: 'unknown' })).toBe(0)
  })

  it('of a source that fails is left out, not repeated, and returns with it', async () => {
    const fixture = await openChannelFixture({ rfqs: 2 })
    await fixture.pollRfqs()
    let broken = false
    const queue = async () => {
      if (broken) throw new Error('the queue at redis://h does not answer')
      return { ...EMPTY, waiting: 4, oldestWaitingSeconds: 7 }
    }
    const { value, errors } = await openMetrics(fixture, { queue })
    const see = async () => [
      await value('metrics_source_up', { source: 'queue' }),
      await value('queue_jobs', { state: 'waiting' }),
      await value('queue_oldest_waiting_seconds'),
      await value('rfqs', { state: 'open' }),
    ]
    for (let round = 0; round < 3; round++) {
      broken = false
      expect(await see()).toEqual([1, 4, 7, 2])
      broken = true
      expect(await see()).toEqual([0, undefined, undefined, 2])
    }
    expect(errors).toHaveLength(12)
  })
})
