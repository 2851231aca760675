import { it } from 'vitest'
import { openScenario, type Scenario } from './scenario.js'
import { expectGolden } from './surfaces.js'

const START = '2026-03-10T09:30:00.000Z'

/** The sample marketplace over four days: offers arrive and change by themselves, and what is overdue is closed. */
async function drive(scenario: Scenario): Promise<string> {
  const printed: string[] = []
  const { pollAfter, quotekeeper } = scenario
  printed.push(await pollAfter(0), await pollAfter(1), await quotekeeper('close-expired', '--dry-run'))
  printed.push(await quotekeeper('close-expired'), await pollAfter(2), await pollAfter(1, '--full'))
  return printed.join('\n')
}

it('prints the sample marketplace as the files in test/golden/sample', async () => {
  const scenario = await openScenario({
    now: new Date(START),
    channels: [
      { org: 'acme', channel: 'forest', theme: 'forest', listings: 4, rfqs: 4, responsesPerRfq: 2 },
      { org: 'meridian', channel: 'removals', theme: 'removal', listings: 2, rfqs: 2, responsesPerRfq: 1 },
    ],
    still: false,
  })
  await expectGolden('sample', scenario, await drive(scenario), {
    channel: 'acme/forest',
    rfqs: ['1001', '1002', '1006'],
    offer: scenario.sandbox.world.channels[0]?.rfqs[0]?.responses[0]?.id ?? '',
    before: '2026-03-12T12:00:00Z',
    since: START,
  })
})
