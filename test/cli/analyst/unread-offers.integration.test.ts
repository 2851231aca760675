import { expect, it } from 'vitest'
import { addUnreadRfq } from '../../helpers/store/unread-rfq.js'
import { createCliFixture } from '../cli-fixture.js'

it('rfqs counts the offers of an RFQ that was not read yet apart in JSON and CSV, and sorts by all', async () => {
  const channel = { org: 'acme', channel: 'forest', listings: 2, rfqs: 0 } as const
  const cli = await createCliFixture({ channels: [channel], autoClose: 'off' })
  const { unread, read } = addUnreadRfq(cli.sandbox, channel, '2026-06-30')
  await cli.quotekeeper('sync')
  const expected = [
    [unread, 0, 2],
    [read, 1, 0],
  ]
  const rows = JSON.parse((await cli.quotekeeper('rfqs', '--sort', '-offers', '--json')).out)
  const ofJson = rows.map((row: Record<string, unknown>) => [row.number, row.offers, row.unreadOffers])
  expect(ofJson).toEqual(expected)
  const [head = [], ...lines] = (
    await cli.quotekeeper('rfqs', '--sort', '-offers', '--columns', 'number,offers,unread-offers', '--csv')
  ).out
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  expect(head).toEqual(['number', 'offers', 'unread-offers'])
  expect(lines.map((cells) => cells.map(Number))).toEqual(expected)
  const table = (await cli.quotekeeper('rfqs')).out
  expect(table).toContain('2 unread')
  expect(table).not.toContain('Unread offers')
})
