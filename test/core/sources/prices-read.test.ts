import { expect, it } from 'vitest'
import { pricesReadOf } from '../../../src/core/sources/offer-sources.js'
import { describePricesRead } from '../../../src/core/sources/source-text.js'

const NOW = new Date('2026-11-21T12:00:00.000Z')
const at = (time: string | null) => time && `2026-11-21T${time}.000Z`
const rfq = (time: string | null, channel = 'acme/forest', missingSince: string | null = null) => ({
  ...{ channel, missingSince },
  readAt: at(time),
})
/** Polls of this channel began at 11:55, those of others never. */
const polledAt = (channel: string) => (channel === 'acme/forest' ? at('11:55:00') : null)

it.each([
  [[], null],
  [[rfq(null)], null],
  [[rfq('11:55:00')], null],
  [[rfq('11:54:59')], 'prices and status read 5 min ago'],
  [[rfq('11:57:00'), rfq('11:20:00')], 'prices and status read 3 to 40 min ago'],
  [[rfq('11:57:00'), rfq('11:20:00', 'acme/peat')], null],
  [[rfq('11:57:00'), rfq('11:20:00', 'acme/forest', at('11:30:00'))], null],
])('the age of status and prices that %j show is: %s', (rfqs, expected) => {
  expect(describePricesRead(pricesReadOf(rfqs, polledAt), NOW)).toBe(expected)
})
