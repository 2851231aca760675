import { expect, it } from 'vitest'
import { readList } from '../../src/tables/list.js'
import { rfqs } from '../../src/tables/lists/rfqs.js'
import { CHANNEL, openChannelFixture } from '../helpers/channel-fixture.js'
import { refreshFigures } from '../helpers/store/figures.js'
import { viewSourceOf } from '../helpers/view-source.js'

it('the list of RFQs finds words of number, reference, title, developers and projects, all of them, as they are written', async () => {
  const fixture = await openChannelFixture({ listings: 0 })
  const { world } = fixture.sandbox
  const { id } = world.addRfq(CHANNEL, { number: 1042, title: 'Alpine forest', reference: 'FY26-A' })
  world.addRfq(CHANNEL, { number: 1043, title: '100% 50_50', reference: 'FY26-B' })
  world.addResponse(id, { projectDeveloperName: 'Katari', projectName: 'Mangroves of O\u0308vik' })
  await fixture.pollRfqs()
  await refreshFigures(fixture)
  const source = viewSourceOf(fixture.store)
  const numbers = async (q: string) =>
    (await readList(rfqs, source, { now: fixture.now(), parameters: { q } })).rows.map(({ number }) => number).sort()
  for (const search of ['ALPINE', 'fy26-a', '1042', id, 'kat', 'katari \u00d6VIK fy26'])
    expect(await numbers(search), search).toEqual([1042])
  for (const search of ['100%', '50_50', '%']) expect(await numbers(search), search).toEqual([1043])
  expect(await numbers('fy26')).toEqual([1042, 1043])
  for (const search of ['katari peat', '1_0%', '.*', '\\', '!']) expect(await numbers(search), search).toEqual([])
})
