import { rmSync, writeFileSync } from 'node:fs'

import { expect, it } from 'vitest'
import { createFindClockSkewBlock, createFindClosingBlocker } from '../../../src/closing/closing-blockers.js'
import { stopFileOf } from '../../../src/closing/kill-switch.js'
import { DEFAULT_SETTINGS } from '../../../src/core/decision/settings.js'
import { createReadiness } from '../../../src/readiness/readiness.js'
import { createRfqList } from '../../../src/tables/rfqs/rfq-list.js'
import { today } from '../../../src/tables/today/today.js'
import { CHANNEL, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { locationsOf } from '../../helpers/store/store-engine.js'
import { testConfig } from '../../helpers/test-config.js'
import { itemsOf } from '../../helpers/today-source.js'

it('while closing is blocked, Today and readiness say why and offer no close, round after round', async () => {
  const fixture = await openChannelFixture()
  const { world } = fixture.sandbox
  const rfq = world.addRfq(CHANNEL, { number: 1, responseDueDate: '2026-11-20' })
  const others = Array.from({ length: 11 }, () => world.addRfq(CHANNEL, { responseDueDate: '2027-01-31' }).id)
  await fixture.pollRfqs()
  const schedule = { listings: null, rfqs: '*/5 * * * *', closeExpired: '*/10 * * * *', channelReport: null }
  const config = testConfig({ schedule, ...locationsOf(fixture.store) })
  const channels = [{ key: KEY, timeZone: 'UTC', graceHours: 0, autoClose: 'on' as const }]
  /** What the item about the RFQ says and offers, and readiness. */
  const shown = async () => {
    const { store, now } = fixture
    const rfqs = createRfqList({ store, channels, settings: DEFAULT_SETTINGS })
    const source = {
      ...{ store, channels, settings: DEFAULT_SETTINGS, rfqs, pollChecks: async () => [] },
      ...{
        findClosingBlocker: createFindClosingBlocker(config, store),
        findClockSkewBlock: createFindClockSkewBlock(store),
      },
    }
    const items = itemsOf(await today(source, { now: now(), since: now() }))
    const item = items.find(({ kind, rfqId }) => kind === 'overdue' && rfqId === rfq.id)
    const runner = { ping: async () => ({ ok: true, message: 'answers' }) }
    const checks = await createReadiness({ config, store, runner, now })()
    const closing = checks.find(({ name }) => name === `closing of ${KEY}`)
    return [item?.severity, item?.message, item?.action.message, closing?.message]
  }
  const free = ['high', expect.stringContaining('The next closing round evaluates it.'), 'Close now']
  const blockedBy = (reason: string) => [
    'high',
    expect.stringMatching(new RegExp(`Closing is stopped, so nothing is closed: ${reason}\\.`)),
    'See why',
    expect.stringMatching(new RegExp(`^stopped: ${reason}; `)),
  ]
  const stopFile = stopFileOf(locationsOf(fixture.store))
  for (let round = 0; round < 6; round++) {
    expect(await shown()).toEqual([...free, expect.not.stringContaining('stopped')])
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
  expect(await shown()).toEqual(blockedBy(`the list of the newest poll \\(run ${run.id}\\) may not be whole`))
})
