import { describe, expect, it } from 'vitest'
import { createReadiness } from '../../src/readiness/readiness.js'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../helpers/channel-fixture.js'
import { ROUNDS } from '../helpers/long-tests.js'
import { testConfig } from '../helpers/test-config.js'

const DUE = '2026-11-19'

/** The readiness of a channel that is polled over HTTP every five minutes. */
function readinessOf(fixture: ChannelFixture) {
  const schedule = { listings: null, rfqs: '*/5 * * * *', closeExpired: '*/10 * * * *', channelReport: null }
  const config = testConfig({ schedule })
  const runner = { ping: async () => ({ ok: true, message: 'answers' }) }
  // The fixture closes and reopens its store.
  return async (name: string) => {
    const checks = await createReadiness({ config, store: fixture.store, runner, now: fixture.now })()
    return checks.find((check) => check.name === `${name} of acme/forest`)
  }
}

const failAlways = (fixture: ChannelFixture, operation: 'readRfq' | 'closeRfq', rfqId: string, status: number) =>
  fixture.sandbox.faults.add({ operation, rfqId, times: Number.POSITIVE_INFINITY, effect: { kind: 'status', status } })

describe('readiness names causes', () => {
  it('of an RFQ that always fails, and stays ready over a day of polls and a restart', async () => {
    const fixture = await openChannelFixture({ retries: 0 })
    const ids = Array.from({ length: 5 }, () => fixture.sandbox.world.addRfq(CHANNEL).id)
    const check = readinessOf(fixture)
    await fixture.pollRfqs()
    const failing = ids[2] as string
    failAlways(fixture, 'readRfq', failing, 500)
    for (let hour = 0; hour < 24; hour++) {
      fixture.advanceSeconds(3600)
      expect((await fixture.pollRfqs({ full: true })).run).toMatchObject({ outcome: 'partial', failedItems: 1 })
      if (hour === 12) await fixture.reopenStore()
      const { ok, message } = (await check('rfqs')) ?? {}
      expect({ hour, ok }).toEqual({ hour, ok: true })
      expect(message).toMatch(/^last complete poll 0 s ago, except RFQ \d+: GET .* 500/)
    }
    for (const id of ids) if (id !== failing) failAlways(fixture, 'readRfq', id, 500)
    fixture.advanceSeconds(3600)
    await fixture.pollRfqs({ full: true })
    expect(await check('rfqs')).toMatchObject({
      ok: false,
      message: expect.stringMatching(/60 min ago.*last error 0 s ago/),
    })
  })

  it('of a rejected API key', async () => {
    const fixture = await openChannelFixture({ rfqs: 1 })
    const check = readinessOf(fixture)
    await fixture.pollRfqs()
    delete fixture.sandbox.keys.acme
    for (let round = 0; round < 6; round++) {
      fixture.advanceSeconds(300)
      await fixture.pollRfqs()
    }
    const { ok, message } = (await check('rfqs')) ?? {}
    expect(ok).toBe(false)
    expect(message).toMatch(
      /^last complete poll 30 min ago \(older.*\); last error 0 s ago: GET .*API key is not accepted/,
    )
    expect(message).not.toContain('\n')
  })

  it('of closes that need attention, without becoming unready', async () => {
    const fixture = await openChannelFixture()
    const check = readinessOf(fixture)
    expect(await check('closing')).toBeUndefined()
    const [refused] = Array.from({ length: 2 }, () => fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE }))
    failAlways(fixture, 'closeRfq', refused?.id as string, 400)
    for (let round = 0; round < ROUNDS; round++) {
      await fixture.pollRfqs()
      await fixture.closeExpired()
      fixture.advanceSeconds(600)
      if (round === 3) await fixture.reopenStore()
      const { ok, message } = (await check('closing')) ?? {}
      expect(ok).toBe(true)
      expect(message).toContain('needs attention: 1 close; see `quotekeeper closings`')
    }
  })
})
