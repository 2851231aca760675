import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/store/sqlite/store.js'
import type { RfqView } from '../../../src/views/rfq/rfq-view.js'
import { createCliFixture } from '../cli-fixture.js'

it('compare and report take the settings of a scenario, which replace --set', async () => {
  const cli = await createCliFixture({ channels: [{ org: 'acme', channel: 'forest', listings: 2, rfqs: 1 }] })
  expect((await cli.quotekeeper('sync')).status).toBe(0)
  const store = await openStore({ path: join(cli.folder, 'data/quotekeeper.db') })
  const [found] = await store.rfqs({})
  const { channel, id: rfqId } = found?.rfq ?? { channel: '', id: '' }
  const at = '2026-03-16T12:00:00.000Z'
  const settings = { awardRule: 'best-score', 'weights.price': '60' }
  await store.saveScenario({ channel, rfqId, name: 'By score', settings, by: 'ana', at })
  await store.saveScenario({ channel, rfqId, name: 'old', settings: { colour: 'red' }, by: 'ana', at })
  await store.close()
  for (const command of ['compare', 'report']) {
    const { status, out } = await cli.quotekeeper(command, rfqId, '--scenario', 'by SCORE', '--json')
    const view = JSON.parse(out) as Pick<RfqView, 'settings'>
    expect([status, view.settings.awardRule, view.settings.weights.price]).toEqual([0, 'best-score', 60])
  }
  const fail = async (...args: string[]) => {
    const { status, err } = await cli.quotekeeper(...args)
    expect(status).toBe(2)
    return err
  }
  expect(await fail('compare', rfqId, '--scenario', 'new')).toContain(
    'no scenario "new"; its scenarios: "By score", "old"',
  )
  expect(await fail('report', rfqId, '--scenario', 'old')).toContain('cannot be used: colour is not a setting.')
  expect(await fail('report', '--scenario', 'old')).toContain('--scenario needs an RFQ')
  expect(await fail('compare', rfqId, '--scenario', 'old', '--set', 'volume=1')).toContain('cannot be used with')
})
