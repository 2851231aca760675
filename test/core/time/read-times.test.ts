import { expect, it } from 'vitest'
import { describePricesRead, describeTermsRead, pricesReadOf, termsReadOf } from '../../../src/core/time/read-times.js'

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

const offer = (time: string | null, missingSince: string | null = null) => ({ readAt: at(time), missingSince })
const described = (...offers: ReturnType<typeof offer>[]) => {
  const termsRead = termsReadOf(offers)
  return termsRead && describeTermsRead(termsRead, NOW)
}

it.each([
  [[], null],
  [[offer(null)], null],
  [[offer('11:46:00')], 'terms read 14 min ago'],
  [[offer('11:46:00'), offer('11:57:00')], 'terms read 3 to 14 min ago'],
  [[offer('11:00:00'), offer('11:59:30')], 'terms read 30 s to 60 min ago'],
  [[offer('11:46:00'), offer(null)], 'terms read 14 min ago, of 1 offer only the summary'],
  [[offer('11:46:00'), offer('09:00:00', '2026-11-21T10:00:00.000Z')], 'terms read 14 min ago'],
  [[offer('12:00:05')], 'terms read 0 s ago'],
])('the age of the terms of %j is: %s', (offers, expected) => {
  expect(described(...offers)).toBe(expected)
})
