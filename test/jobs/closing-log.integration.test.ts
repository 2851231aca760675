import { expect, it } from 'vitest'
import { createHandlers } from '../../jobs/handlers.js'
import { closeExpired } from '../../src/closing/closing-round.js'
import type { KillSwitch } from '../../src/closing/kill-switch.js'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../helpers/channel-fixture.js'
import { type RecordingLog, recordingLog } from '../helpers/recording-log.js'
import { testConfig } from '../helpers/test-config.js'

/** The log of one closing job, run by a new process each time. */
async function logOfClosingJob(
  fixture: ChannelFixture,
  { log = recordingLog(), killSwitch = async () => null }: { log?: RecordingLog; killSwitch?: KillSwitch } = {},
) {
  await fixture.reopenStore()
  const handlers = createHandlers({
    config: testConfig(),
    store: fixture.store,
    marketplace: { session: () => fixture.session(), close: async () => undefined },
    now: fixture.now,
    log,
    enqueue: async () => 'job',
    pollListings: () => fixture.pollListings(),
    pollRfqs: () => fixture.pollRfqs(),
    closeExpired,
    killSwitch,
    makeReport: () => expect.unreachable('a report is made'),
  })
  const payload = { channel: 'acme/forest', cause: 'schedule' as const }
  await handlers['close-expired'](payload, { id: 'job', signal: new AbortController().signal })
  return log
}
const runClosingJob = async (fixture: ChannelFixture, stopped: string | null = null) =>
  (await logOfClosingJob(fixture, { killSwitch: async () => stopped })).at('warn')

it('each decision is a line with its RFQ and the head hash of the decisions, also of a round that fails', async () => {
  const fixture = await openChannelFixture()
  const { world } = fixture.sandbox
  const addDue = () => world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' })
  for (let count = 0; count < 3; count++) addDue()
  world.changeRfq(world.addRfq(CHANNEL).id, { responseDueDate: 'soon' } as never)
  await fixture.pollRfqs()
  const newest = async (count: number) =>
    (await fixture.store.decisions({ limit: count }))
      .reverse()
      .map(({ id, runId, channel, rfqId, rfqNumber, decision, outcome, reason, hash }) => ({
        level: 'info',
        message: `close of RFQ ${rfqNumber}: ${outcome ?? decision}`,
        facts: { run: runId, channel, rfq: rfqId, number: rfqNumber, decision: id, head: hash, reason },
      }))
  const decisionsIn = (log: RecordingLog) => log.lines.filter(({ facts }) => 'head' in facts)
  const first = decisionsIn(await logOfClosingJob(fixture))
  expect(first).toEqual(await newest(4))
  expect(first.map(({ message }) => message)).toContain('close of RFQ 1004: keep')
  fixture.advanceSeconds(600)
  expect(decisionsIn(await logOfClosingJob(fixture))).toEqual([])
  for (let count = 0; count < 2; count++) addDue()
  await fixture.pollRfqs()
  const sent = fixture.posts().length
  const log = recordingLog()
  const failed = logOfClosingJob(fixture, {
    log,
    killSwitch: async () => {
      if (fixture.posts().length > sent) throw new Error('the folder cannot be read')
      return null
    },
  })
  await expect(failed).rejects.toThrow('the folder cannot be read')
  expect(decisionsIn(log)).toHaveLength(1)
  expect(decisionsIn(log)).toEqual(await newest(1))
})

it('a refused close is logged as a warning once, and again when its situation changes, not in every round', async () => {
  const fixture = await openChannelFixture()
  const { id } = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' })
  const fault = { operation: 'closeRfq', times: 99, effect: { kind: 'status', status: 400 } } as const
  fixture.sandbox.faults.add(fault)
  await fixture.pollRfqs()
  expect(await runClosingJob(fixture)).toEqual(['close of RFQ 1001: refused', 'close of acme/forest: partial'])
  for (let round = 0; round < 8; round++) {
    fixture.advanceSeconds(600)
    expect(await runClosingJob(fixture)).toEqual([])
  }
  fixture.advanceSeconds(24 * 3600)
  expect(await runClosingJob(fixture, 'stop file exists')).toEqual([
    'close of RFQ 1001: blocked',
    'close of acme/forest: partial',
  ])
  expect(await runClosingJob(fixture, 'stop file exists')).toEqual([])
  expect(await runClosingJob(fixture)).toEqual(['close of RFQ 1001: refused', 'close of acme/forest: partial'])
  fixture.sandbox.world.closeRfq(id)
  await fixture.pollRfqs()
  expect(await runClosingJob(fixture)).toEqual([])
})
