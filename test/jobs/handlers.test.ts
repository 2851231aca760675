import { describe, expect, it } from 'vitest'
import type { JobName, JobObserver, JobPayload } from '../../jobs/contract.js'
import { RunFailedError } from '../../jobs/errors.js'
import { createHandlers, type HandlerDeps } from '../../jobs/handlers.js'
import type { DecisionRecord, RunKind } from '../../src/core/records.js'
import type { ChannelSession, Marketplace } from '../../src/marketplace/contract.js'
import type { MadeReport } from '../../src/report-files/make-report.js'
import type { NewDecision, RunEnd, Store } from '../../src/store/contract.js'
import { RunBusyError } from '../../src/store/errors.js'
import { reportRecord } from '../helpers/data/report-record.js'
import { recordingLog } from '../helpers/recording-log.js'
import { runEnd } from '../helpers/store/holding-run.js'
import { newDecision } from '../helpers/store/new-decision.js'
import { openNewStore } from '../helpers/store/new-store.js'
import { channelConfig, testConfig } from '../helpers/test-config.js'

const NOW = new Date('2026-11-21T10:00:00.000Z')
const TICK: JobPayload = { channel: 'acme/forest', cause: 'tick' }
const marketplace: Marketplace = {
  session: (channel) => ({ channel, requests: 0 }) as unknown as ChannelSession,
  close: async () => undefined,
}

async function recordRun(store: Store, kind: RunKind, end: Partial<RunEnd> = {}) {
  const run = await store.beginRun({ channel: 'acme/forest', kind, now: NOW })
  return run.finish(
    runEnd({ requests: 3, seen: 2, inserted: 1, unchanged: 1, ...end }),
    new Date(NOW.getTime() + 1_500),
  )
}

/** Handlers over a real database, with stubs for the marketplace and the work. */
async function createTestHandlers(options: Partial<HandlerDeps> & { end?: Partial<RunEnd> } = {}) {
  const { end = {}, ...deps } = options
  const store = await openNewStore({ clock: () => NOW })
  const log = recordingLog()
  const enqueued: { name: JobName; payload: JobPayload }[] = []
  const called: { what: string; options?: unknown }[] = []
  const handlers = createHandlers({
    config: testConfig(),
    store,
    marketplace,
    now: () => NOW,
    log,
    enqueue: async (name, payload) => String(enqueued.push({ name, payload })),
    pollListings: async () => {
      called.push({ what: 'listings' })
      return { run: await recordRun(store, 'listings', end), failures: [], changes: [] }
    },
    pollRfqs: async ({ byHand }, pollOptions) => {
      called.push({ what: 'rfqs', options: { ...pollOptions, byHand } })
      return { run: await recordRun(store, 'rfqs', end), failures: [{ id: 'r1', message: 'not found' }], changes: [] }
    },
    closeExpired: async (_context, policy) => {
      called.push({ what: 'close', options: policy })
      return { run: await recordRun(store, 'close', end), decisions: [], failures: [], ...NO_CLOSES }
    },
    killSwitch: async () => null,
    makeReport: async ({ channel, rfqId }) => {
      if (rfqId === 'too large') throw new Error('disk full')
      return { path: `/dev/null/reports/${channel}${rfqId === undefined ? '' : `/${rfqId}`}.xlsx` } as MadeReport
    },
    ...deps,
  })
  const run = (name: JobName, payload = TICK, signal = new AbortController().signal) =>
    handlers[name](payload, { id: 'x', signal })
  return { store, log, enqueued, called, run }
}

/** What a closing round reports besides its run and decisions. */
const NO_CLOSES = {
  approvalPlan: null,
  stopReason: null,
  unsettled: [],
  counts: { closed: 0, alreadyClosed: 0, wouldClose: 0, blocked: 0 },
}

const CLOSED = { rfqId: 'r1', rfqNumber: 1, decision: 'close', outcome: 'closed', versionAfter: 2 } as const
const decide = (store: Store, runId: number, changes: Partial<NewDecision>): Promise<DecisionRecord> =>
  store.appendDecision(newDecision(runId, { ...CLOSED, decidedAt: NOW.toISOString(), ...changes }))

describe('poll job', () => {
  it('warns once with the numbers when the request budget is exceeded, and when it no longer is', async () => {
    const end = { requestRates: { required: 36.7, allowed: 16.2 } } as Partial<RunEnd>
    const { run, log } = await createTestHandlers({ end })
    for (let poll = 0; poll < 6; poll++) await run('poll-rfqs')
    const warnings = () => log.lines.filter(({ message }) => message.includes('the request budget is exceeded'))
    expect(warnings()).toHaveLength(1)
    expect(warnings()[0]).toMatchObject({ level: 'warn', facts: { required: 36.7, allowed: 16.2 } })
    expect(warnings()[0]?.message).toContain('needs 36.7 requests per second')
    expect(warnings()[0]?.message).toContain('16.2 are available')
    end.requestRates = { required: 10, allowed: 16.2 }
    for (let poll = 0; poll < 6; poll++) await run('poll-rfqs')
    expect(warnings()).toHaveLength(1)
    expect(log.lines.filter(({ message }) => message === 'the request budget is no longer exceeded')).toHaveLength(1)
  })

  it('plans its requests if the schedule asked for it; for a person it reads everything, beside a run of its kind', async () => {
    const schedule = { listings: null, rfqs: '*/5 * * * *', closeExpired: null, channelReport: null }
    const { run, called } = await createTestHandlers({ config: testConfig({ schedule }) })
    for (const cause of ['tick', 'start', 'the page']) await run('poll-rfqs', { ...TICK, cause })
    const nextPollAt = new Date('2026-11-21T10:05:00.000Z')
    const planned = { options: { byHand: false, planning: { nextPollAt } } }
    expect(called).toMatchObject([planned, planned, { options: { byHand: true } }])
    expect(called[2]?.options).not.toHaveProperty('planning')
  })

  it.each([
    ['complete', 'info', false, false],
    ['partial', 'warn', false, true],
    ['failed', 'error', true, true],
  ] as const)('that is %s is logged as %s; it fails: %s, and after shutdown stopped it: %s', async (...end) => {
    const [outcome, level, fails, failsStopped] = end
    const { run, log } = await createTestHandlers({ end: { outcome, error: outcome === 'complete' ? null : 'down' } })
    for (const name of ['poll-listings', 'poll-rfqs', 'close-expired'] as const) {
      const ends = async (signal?: AbortSignal) =>
        run(name, TICK, signal).then(
          () => false,
          (error) => error instanceof RunFailedError && error.message === 'down',
        )
      expect([await ends(), await ends(AbortSignal.abort())]).toEqual([fails, failsStopped])
    }
    expect(log.at(level)).toContain(`listings of acme/forest: ${outcome}`)
  })

  it('is skipped without an error while another poll is running', async () => {
    const { run, log, store } = await createTestHandlers()
    await store.beginRun({ channel: 'acme/forest', kind: 'rfqs', now: NOW })
    await run('poll-rfqs')
    expect(log.lines).toMatchObject([{ level: 'info', message: expect.stringMatching(/^skipped: /) }])
  })

  it('is skipped until the Retry-After of the marketplace has passed', async () => {
    const { run, store, called, log } = await createTestHandlers()
    await recordRun(store, 'rfqs', { outcome: 'partial', notBefore: '2026-11-21T10:00:01.000Z' })
    await run('poll-rfqs')
    expect(called).toEqual([])
    expect(log.lines).toMatchObject([{ level: 'info', facts: { until: '2026-11-21T10:00:01.000Z' } }])
    await run('poll-listings')
    await recordRun(store, 'rfqs', { outcome: 'partial', notBefore: NOW.toISOString() })
    await run('poll-rfqs')
    expect(called.map(({ what }) => what)).toEqual(['listings', 'rfqs'])
  })

  it('is rejected for a channel that is not configured', async () => {
    const { run } = await createTestHandlers()
    await expect(run('poll-rfqs', { channel: 'acme/peat', cause: 'tick' })).rejects.toThrow('not in the configuration')
  })
})

describe('closing job', () => {
  it('is for one RFQ only if it names one, and fails if it was skipped although a user asked for it', async () => {
    const { run, called, log, store } = await createTestHandlers()
    const asked = { channel: 'acme/forest', rfqId: 'r1', cause: 'page ana' }
    await run('close-expired', asked)
    expect(called).toMatchObject([{ options: { only: ['r1'], byHand: true, startedBy: 'page ana' } }])
    expect(log.lines).toMatchObject([{ facts: { cause: 'page ana', rfq: 'r1' } }])
    const busy = async () => Promise.reject(new RunBusyError('another closing round is running'))
    const other = await createTestHandlers({ closeExpired: busy })
    await other.run('close-expired')
    await expect(other.run('close-expired', asked)).rejects.toThrow('skipped: another closing round is running')
    await recordRun(store, 'close', { outcome: 'partial', notBefore: new Date(NOW.getTime() + 60_000).toISOString() })
    await expect(run('close-expired', asked)).rejects.toThrow('skipped: the marketplace asked for a pause')
    await run('close-expired')
    expect(called).toHaveLength(1)
  })

  it('closes nothing if autoClose is off, and fails if a user asked for it', async () => {
    const { run, called } = await createTestHandlers({
      config: testConfig({ channels: [channelConfig('acme/forest', { autoClose: 'off' })] }),
    })
    await run('close-expired')
    await expect(run('close-expired', { channel: 'acme/forest', rfqId: 'r1', cause: 'page ana' })).rejects.toThrow(
      /^acme\/forest has autoClose: off/,
    )
    expect(called).toEqual([])
  })

  it.each([true, false])('enqueues a report of each RFQ that is now closed, if reportOnClose: %s', async (isWanted) => {
    const { run, enqueued, log } = await createTestHandlers({
      config: testConfig({ closing: { ...testConfig().closing, reportOnClose: isWanted } }),
      closeExpired: async ({ store }) => {
        const { id, ...round } = await recordRun(store, 'close')
        const decisions = []
        for (const changes of [
          { rfqId: 'r1', outcome: 'closed' },
          { rfqId: 'r2', outcome: 'already-closed' },
          { rfqId: 'r3', outcome: 'refused' },
          { rfqId: 'r4', decision: 'would-close', outcome: null },
        ] as const)
          decisions.push(await decide(store as Store, id, changes))
        return { run: { id, ...round }, decisions, failures: [], ...NO_CLOSES, approvalPlan: 'plan-1' }
      },
    })
    await run('close-expired')
    const payloads = enqueued.map(({ name, payload }) => [name, payload])
    const reportOf = (rfqId: string) => ['rfq-report', { channel: 'acme/forest', rfqId, cause: 'closing round' }]
    expect(payloads).toEqual(isWanted ? [reportOf('r1'), reportOf('r2')] : [])
    const approve = 'quotekeeper close-expired --channel acme/forest --approve plan-1'
    expect(log.lines).toMatchObject([{ level: 'info', facts: { closed: 1, wouldClose: 1, refused: 1, approve } }])
  })

  it('enqueues a report again that was lost, until it is made, and none of a close of long ago', async () => {
    const enqueued: string[] = []
    let time = NOW.getTime()
    const isLost = () => time < NOW.getTime() + 3_600_000
    const { run, store } = await createTestHandlers({
      now: () => new Date(time),
      enqueue: async (_name, { rfqId = '' }) => {
        if (isLost()) throw new Error('the queue does not answer')
        return String(enqueued.push(rfqId))
      },
    })
    const { id } = await recordRun(store, 'close')
    const decidedAt = new Date(time).toISOString()
    for (const rfqId of ['r1', 'r2']) await decide(store, id, { rfqId, decidedAt, outcome: 'closed' })
    const longAgo = new Date(time - 8 * 86_400_000).toISOString()
    await decide(store, id, { rfqId: 'r3', decidedAt: longAgo, outcome: 'closed' })
    for (let round = 0; round < 6; round++) {
      await run('close-expired')
      time += 15 * 60_000
    }
    expect(enqueued).toEqual(['r1', 'r2', 'r1', 'r2'])
    const made = { channel: 'acme/forest', madeBy: 'closing round', madeAt: new Date(time).toISOString() }
    await store.addReportRecord(reportRecord('r1.xlsx', { ...made, rfqId: 'r1' }))
    // Somebody else's report is none of the close.
    await store.addReportRecord(reportRecord('r2.xlsx', { ...made, rfqId: 'r2', madeBy: 'ana' }))
    enqueued.length = 0
    await run('close-expired')
    expect(enqueued).toEqual(['r2'])
    time += 7 * 86_400_000
    await run('close-expired')
    expect(enqueued).toHaveLength(1)
  })

  it('does not fail if the database cannot say which reports are owed', async () => {
    const seen: string[] = []
    const observer = {
      runEnded: () => seen.push('ended'),
      runFailed: () => seen.push('failed'),
      reportEnded: () => {},
    }
    const { run, store, log } = await createTestHandlers({ observer: observer as unknown as JobObserver })
    Object.assign(store, { unreportedCloses: () => Promise.reject(new Error('the database is locked')) })
    await run('close-expired')
    expect([seen, log.at('info')]).toEqual([['ended'], ['close of acme/forest: complete']])
    expect(log.at('warn')).toEqual([expect.stringContaining('cannot enqueue the report')])
  })
})

it('report jobs write the report, log its file and record an event', async () => {
  const { run, log, store } = await createTestHandlers()
  // A report that is not in the folder of reports has no name in it.
  expect(await run('rfq-report', { ...TICK, rfqId: 'r1' })).toBeNull()
  expect(await run('channel-report', { ...TICK, cause: 'api ana' })).toBe('acme/forest.xlsx')
  await run('rfq-report', { ...TICK, rfqId: 'r1', cause: 'closing round' })
  expect(log.lines.map(({ facts }) => facts.file)).toEqual([
    '/dev/null/reports/acme/forest/r1.xlsx',
    '/dev/null/reports/acme/forest.xlsx',
    '/dev/null/reports/acme/forest/r1.xlsx',
  ])
  const { items } = await store.events({ after: 0, limit: 10 })
  expect(items.map(({ kind, rfqId, data }) => [kind, rfqId, data.report?.name, data.report?.by])).toEqual([
    ['report.made', 'r1', 'r1.xlsx', 'schedule'],
    ['report.made', null, 'acme/forest.xlsx', 'ana'],
    ['report.made', 'r1', 'r1.xlsx', 'closing round'],
  ])
})

describe('observer', () => {
  it('receives each run and report, those that ended with an error too', async () => {
    const seen: unknown[] = []
    const observer: JobObserver = {
      runEnded: ({ run }) => seen.push([run.kind, run.outcome]),
      runFailed: (run) => seen.push(run),
      reportEnded: ({ seconds, ...report }) => seen.push([report, seconds >= 0]),
    }
    const { run } = await createTestHandlers({
      observer,
      end: { outcome: 'failed', error: 'down' },
      pollRfqs: () => Promise.reject(new Error('database locked')),
    })
    await expect(run('poll-listings')).rejects.toThrow('down')
    await expect(run('poll-rfqs')).rejects.toThrow('database locked')
    await run('channel-report')
    await expect(run('rfq-report', { ...TICK, rfqId: 'too large' })).rejects.toThrow('disk full')
    expect(seen).toEqual([
      ['listings', 'failed'],
      { channel: 'acme/forest', kind: 'rfqs' },
      [{ report: 'channel', succeeded: true }, true],
      [{ report: 'rfq', succeeded: false }, true],
    ])
  })
})
