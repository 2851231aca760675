import { expect, it } from 'vitest'
import { createHandlers } from '../../jobs/handlers.js'
import { closeExpired } from '../../src/closing/closing-round.js'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../helpers/channel-fixture.js'
import { recordingLog } from '../helpers/recording-log.js'
import { testConfig } from '../helpers/test-config.js'

/** The log of one closing job, run by a new process each time. */
async function runClosingJob(fixture: ChannelFixture, stopped: string | null = null) {
  const log = recordingLog()
  await fixture.reopenStore()
  const handlers = createHandlers({
    config: testConfig(),
    store: fixture.store,
    marketplace: { session: () => fixture.session(), close: async () => undefined },
    now: fixture.now,
    log,
    enqueue: async () => true,
    pollListings: () => fixture.pollListings(),
    pollRfqs: () => fixture.pollRfqs(),
    closeExpired,
    killSwitch: async () => stopped,
    rfqReport: async () => '',
    channelReport: async () => '',
  })
  const payload = { channel: 'acme/forest', cause: 'schedule' as const }
  await handlers['close-expired'](payload, { id: 'job', signal: new AbortController().signal })
  return log.at('warn')
}

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
