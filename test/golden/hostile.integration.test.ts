import { it } from 'vitest'
import { driveHostile, fillHostile, HOSTILE_CHANNEL, HOSTILE_START } from './hostile-marketplace.js'
import { openScenario } from './scenario.js'
import { expectGolden } from './surfaces.js'

it('prints a hostile marketplace as the files in test/golden/hostile', async () => {
  const scenario = await openScenario({
    now: new Date(HOSTILE_START),
    channels: [{ ...HOSTILE_CHANNEL, listings: 0, rfqs: 0 }],
    still: true,
  })
  fillHostile(scenario)
  await expectGolden('hostile', scenario, await driveHostile(scenario), {
    channel: 'acme/forest',
    rfqs: ['1001', '1003', '1006', '1007', '1004'],
    offer: 'cheap',
    before: '2026-11-23T12:00:00Z',
    since: HOSTILE_START,
  })
})
