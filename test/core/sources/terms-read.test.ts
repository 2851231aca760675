import { expect, it } from 'vitest'
import { termsReadOf } from '../../../src/core/sources/offer-sources.js'
import { describeTermsRead } from '../../../src/core/sources/source-text.js'

const NOW = new Date('2026-11-21T12:00:00.000Z')
const offer = (time: string | null, missingSince: string | null = null) => ({
  readAt: time && `2026-11-21T${time}.000Z`,
  missingSince,
})
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
