import { expect, it } from 'vitest'
import { CHANNEL, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { addUnreadRfq } from '../../helpers/store/unread-rfq.js'
import { openPages } from '../support/pages-fixture.js'

it('pages and their files count the offers of an RFQ that was not read yet apart, and sort by all', async () => {
  const fixture = await openChannelFixture({ rfqs: 0, retries: 0 })
  const { unread, read } = addUnreadRfq(fixture.sandbox, CHANNEL, '2026-12-24')
  await fixture.pollRfqs()
  const { app } = await openPages(fixture)
  const page = async (path: string) => (await app.inject(path)).body
  expect(await page('/rfqs')).toContain('2 unread')
  expect(await page(`/rfqs/${KEY}/${unread}`)).toContain('2 offers, not read yet')
  const rows = JSON.parse(await page('/rfqs?format=json&sort=-offers'))
  const counts = rows.map((row: Record<string, unknown>) => [row.number, row.offers, row.unreadOffers])
  expect(counts).toEqual([
    [unread, 0, 2],
    [read, 1, 0],
  ])
  const [head = '', first = '', second = ''] = (await page('/rfqs?format=csv&sort=-offers')).split(/\r?\n/)
  expect(head).toContain(',offers,unreadOffers,')
  expect([first, second]).toEqual([expect.stringContaining(',0,2,'), expect.stringContaining(',1,0,')])
})
