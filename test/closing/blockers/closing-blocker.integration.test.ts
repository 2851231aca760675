import { rmSync, writeFileSync } from 'node:fs'

import { expect, it } from 'vitest'
import { createFindClockSkewBlock, createFindClosingBlocker } from '../../../src/closing/closing-blockers.js'
import { stopFileOf } from '../../../src/closing/kill-switch.js'
import { createReadiness } from '../../../src/readiness/readiness.js'
import { closingOutlook } from '../../../src/tables/closings/closing-outlook.js'
import { CHANNEL, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { locationsOf } from '../../helpers/store/store-engine.js'
import { testConfig } from '../../helpers/test-config.js'

it('while closing is blocked, the outlook of the channel and readiness say why, round after round', async () => {
  const fixture = await openChannelFixture()
  const { world } = fixture.sandbox
  const rfq = world.addRfq(CHANNEL, { number: 1, responseDueDate: '2026-11-20' })
  const others = Array.from({ length: 11 }, () => world.addRfq(CHANNEL, { responseDueDate: '2027-01-31' }).id)
  await fixture.pollRfqs()
  const schedule = { listings: null, rfqs: '*/5 * * * *', closeExpired: '*/10 * * * *', channelReport: null }
  const config = testConfig({ schedule, ...locationsOf(fixture.store) })
  const rulesOf = (key: string) => ({ key, timeZone: 'UTC', graceHours: 0, autoClose: 'on' as const })
  /** What keeps the channel from closing, and readiness. */
  const shown = async () => {
    const { store, now } = fixture
    const source = {
      ...{ store, config, rulesOf },
      findClosingBlocker: createFindClosingBlocker(config, store),
      findClockSkewBlock: createFindClockSkewBlock(store),
    }
    const { stop, rfqs } = await closingOutlook(source, { channel: KEY }, now())
    // What keeps the channel is not said of its RFQs.
    expect(rfqs.get(rfq.id)?.why).toBeNull()
    const runner = { ping: async () => ({ ok: true, message: 'answers' }) }
    const checks = await createReadiness({ config, store, runner, now })()
    const closing = checks.find(({ name }) => name === `closing of ${KEY}`)
    return [stop?.message, closing?.message]
  }
  const blockedBy = (reason: string) => [
    expect.stringMatching(new RegExp(`^Closing is stopped, so nothing is closed: ${reason}\\.`)),
    expect.stringMatching(new RegExp(`^stopped: ${reason}`)),
  ]
  const stopFile = stopFileOf(locationsOf(fixture.store))
  for (let round = 0; round < 6; round++) {
    expect((await shown())[0]).toBeUndefined()
    writeFileSync(stopFile, '')
    const reason = 'stop file closing.stop exists'
    await fixture.closeExpired({}, { stopped: () => reason })
    if (round === 3) await fixture.reopenStore()
    expect(await shown()).toEqual(blockedBy(reason))
    rmSync(stopFile)
    fixture.advanceSeconds(3600)
  }
  for (const id of others) world.removeRfq(id)
  const { run } = await fixture.pollRfqs()
  expect(run.suspicious).toBe(true)
  expect(await shown()).toEqual(blockedBy(`the newest list \\(run ${run.id}\\) may not be whole`))
})
