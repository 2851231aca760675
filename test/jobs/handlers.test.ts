import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { JobName, JobPayload } from '../../jobs/contract.js'
import { createHandlers, type HandlerDeps } from '../../jobs/handlers.js'
import type { ClosingPolicy } from '../../src/closing/contract.js'
import { closingKillSwitch } from '../../src/closing/kill-switch.js'
import type { DecisionRecord, RunKind } from '../../src/domain/records.js'
import type { ChannelSession, Marketplace } from '../../src/marketplace/contract.js'
import type { NewDecision, RunEnd, Runs, Store } from '../../src/store/contract.js'
import { openStore } from '../../src/store/store.js'
import { recordingLog } from '../helpers/recording-log.js'
import { channelConfig, testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'

const NOW = new Date('2026-11-21T10:00:00.000Z')
const TICK: JobPayload = { channel: 'acme/forest', cause: 'tick' }
const END: RunEnd = {
  requests: 3,
  seen: 2,
  inserted: 1,
  changed: 0,
  unchanged: 1,
  missing: 0,
  invalid: 0,
  outcome: 'complete',
  error: null,
}
const marketplace: Marketplace = {
  session: (channel) => ({ channel, requests: 0 }) as unknown as ChannelSession,
  close: async () => undefined,
}

async function conduct(store: Runs, kind: RunKind, end: Partial<RunEnd> = {}) {
  const run = await store.beginRun({ channel: 'acme/forest', kind, now: NOW })
  return run.finish({ ...END, ...end }, new Date(NOW.getTime() + 1_500))
}

/** Handlers over a real database, with work that is handed in. */
async function desk(options: Partial<HandlerDeps> & { end?: Partial<RunEnd> } = {}) {
  const { end = {}, ...deps } = options
  const store = await openStore({ path: join(testFolder(), 'desk.db'), clock: () => NOW })
  onTestFinished(() => store.close())
  const log = recordingLog()
  const enqueued: { name: JobName; payload: JobPayload; id: string }[] = []
  const called: { what: string; options?: unknown }[] = []
  const handlers = createHandlers({
    config: testConfig(),
    store,
    marketplace,
    now: () => NOW,
    log,
    enqueue: async (name, payload, id) => enqueued.push({ name, payload, id }) > 0,
    pollListings: async () => {
      called.push({ what: 'listings' })
      return { run: await conduct(store, 'listings', end), failures: [], changes: [] }
    },
    pollRfqs: async (_context, pollOptions) => {
      called.push({ what: 'rfqs', options: pollOptions })
      return { run: await conduct(store, 'rfqs', end), failures: [{ id: 'r1', message: 'no' }], changes: [] }
    },
    closeExpired: async (_context, policy) => {
      called.push({ what: 'close', options: policy })
      return { run: await conduct(store, 'close', end), decisions: [], approvalPlan: null, failures: [] }
    },
    killSwitch: () => null,
    rfqReport: async (channel, rfqId) => `/reports/${channel.key}/${rfqId}.xlsx`,
    channelReport: async (channel) => `/reports/${channel.key}.xlsx`,
    ...deps,
  })
  const does = (name: JobName, payload = TICK) =>
    handlers[name](payload, { id: 'x', signal: new AbortController().signal })
  return { store, log, enqueued, called, does }
}

async function decide(store: Store, runId: number, changes: Partial<NewDecision>): Promise<DecisionRecord> {
  return store.appendDecision({
    runId,
    channel: 'acme/forest',
    rfqId: 'r1',
    rfqNumber: 1,
    dueDate: '2026-11-20',
    timeZone: 'UTC',
    decidedAt: NOW.toISOString(),
    decision: 'close',
    reason: 'past due',
    outcome: 'closed',
    httpStatus: 200,
    message: null,
    versionBefore: 1,
    versionAfter: 2,
    evidence: {},
    ...changes,
  })
}

describe('a poll', () => {
  it('is told in one line with its counts', async () => {
    const { does, log, called } = await desk()
    await does('poll-rfqs')
    expect(called).toEqual([{ what: 'rfqs', options: { recheckClosedHours: 24, concurrency: 8 } }])
    expect(log.lines).toEqual([
      {
        level: 'info',
        message: 'rfqs of acme/forest: complete',
        facts: expect.objectContaining({
          run: 1,
          channel: 'acme/forest',
          kind: 'rfqs',
          outcome: 'complete',
          requests: 3,
          inserted: 1,
          seconds: 1.5,
          failures: 1,
        }),
      },
    ])
    expect(JSON.stringify(log.lines)).not.toContain('key of acme')
  })

  it('that is partial is told as a warning, and is no failed job', async () => {
    const { does, log } = await desk({ end: { outcome: 'partial', error: 'r1: down' } })
    await does('poll-listings')
    expect(log.lines).toMatchObject([{ level: 'warn', facts: { outcome: 'partial', error: 'r1: down' } }])
  })

  it('that failed makes its job fail', async () => {
    const { does, log } = await desk({ end: { outcome: 'failed', error: 'down' } })
    await expect(does('poll-listings')).rejects.toThrow(
      expect.objectContaining({ name: 'RunFailedError', message: 'down' }),
    )
    expect(log.at('error')).toEqual(['listings of acme/forest: failed'])
  })

  it('is skipped while another one lives, and that is no failure', async () => {
    const { does, log, store } = await desk()
    await store.beginRun({ channel: 'acme/forest', kind: 'rfqs', now: NOW })
    await does('poll-rfqs')
    expect(log.lines).toMatchObject([{ level: 'info', message: expect.stringMatching(/^skipped: /) }])
  })

  it('is skipped while the marketplace wants to be left alone, and goes on after', async () => {
    const { does, store, called, log } = await desk()
    await conduct(store, 'rfqs', { outcome: 'partial', notBefore: new Date('2026-11-21T10:00:01Z') })
    await does('poll-rfqs')
    expect(called).toEqual([])
    expect(log.lines).toMatchObject([{ level: 'info', facts: { until: '2026-11-21T10:00:01.000Z' } }])
    await does('poll-listings')
    await conduct(store, 'rfqs', { outcome: 'partial', notBefore: NOW })
    await does('poll-rfqs')
    expect(called.map(({ what }) => what)).toEqual(['listings', 'rfqs'])
  })

  it('of a channel that is not configured here is refused', async () => {
    const { does } = await desk()
    await expect(does('poll-rfqs', { channel: 'acme/peat', cause: 'tick' })).rejects.toThrow('not in the configuration')
  })

  it('lets unexpected errors through', async () => {
    const { does } = await desk({ pollListings: () => Promise.reject(new TypeError('a fault')) })
    await expect(does('poll-listings')).rejects.toThrow('a fault')
  })
})

describe('a closing round', () => {
  it.each(['on', 'dry-run'] as const)('goes by the policy of the channel: %s', async (autoClose) => {
    const channels = [channelConfig('acme/forest', { autoClose, timeZone: 'Europe/Paris', graceHours: 2 })]
    const { does, called } = await desk({ config: testConfig({ channels }) })
    await does('close-expired')
    const policy: ClosingPolicy = {
      mode: autoClose,
      timeZone: 'Europe/Paris',
      graceHours: 2,
      maxPerRun: 25,
      maxClockSkewSeconds: 60,
    }
    expect(called).toEqual([{ what: 'close', options: policy }])
  })

  it('does nothing where autoClose is off, whoever asked', async () => {
    const { does, called } = await desk({
      config: testConfig({ channels: [channelConfig('acme/forest', { autoClose: 'off' })] }),
    })
    await does('close-expired')
    expect(called).toEqual([])
  })

  const closes = (report: boolean, enqueue?: HandlerDeps['enqueue']) => {
    const config = testConfig({ closing: { ...testConfig().closing, reportOnClose: report } })
    return desk({
      config,
      ...(enqueue && { enqueue }),
      closeExpired: async ({ store }) => {
        const run = await conduct(store, 'close')
        const of = (rfqId: string, changes: Partial<NewDecision>) =>
          decide(store as Store, run.id, { rfqId, ...changes })
        const decisions = [
          await of('r1', { outcome: 'closed' }),
          await of('r2', { outcome: 'already-closed' }),
          await of('r3', { outcome: 'refused' }),
          await of('r4', { decision: 'would-close', outcome: null }),
        ]
        return { run, decisions, approvalPlan: 'plan-1', failures: [] }
      },
    })
  }

  it('asks for a report of each RFQ that is closed now', async () => {
    const { does, enqueued, log } = await closes(true)
    await does('close-expired')
    expect(enqueued).toEqual(
      ['r1', 'r2'].map((rfqId) => ({
        name: 'rfq-report',
        payload: { channel: 'acme/forest', rfqId, cause: 'close' },
        id: `rfq-report_acme_forest_${rfqId}_20261121T1000Z`,
      })),
    )
    expect(log.lines).toMatchObject([
      { facts: { closed: 1, wouldClose: 1, refused: 1, approve: 'quotekeeper close-expired --approve plan-1' } },
    ])
  })

  it('asks for none where reportOnClose is false', async () => {
    const { does, enqueued } = await closes(false)
    await does('close-expired')
    expect(enqueued).toEqual([])
  })

  it('has not failed because no report could be asked for', async () => {
    const { does, log } = await closes(true, () => Promise.reject(new Error('the queue does not answer')))
    await does('close-expired')
    expect(log.at('warn')).toHaveLength(2)
    expect(log.at('info')).toEqual(['close of acme/forest: complete'])
  })
})

it('reports are written and told', async () => {
  const { does, log } = await desk()
  await does('rfq-report', { ...TICK, rfqId: 'r1' })
  await does('channel-report')
  expect(log.lines.map(({ facts }) => facts.file)).toEqual([
    '/reports/acme/forest/r1.xlsx',
    '/reports/acme/forest.xlsx',
  ])
})

it('the kill switch is a word in the configuration or a file beside the database', () => {
  const folder = testFolder()
  const config = testConfig({ database: join(folder, 'quotekeeper.db') })
  const stopped = closingKillSwitch(config)
  expect(stopped()).toBeNull()
  writeFileSync(join(folder, 'closing.stop'), '')
  expect(stopped()).toBe(`stop file ${join(folder, 'closing.stop')} exists`)
  const off = closingKillSwitch({ ...config, closing: { ...config.closing, enabled: false } })
  expect(off()).toContain('closing.enabled is false')
})
