import { expect, it } from 'vitest'
import { describeReads, pricesReadOf, termsReadOf } from '../../../src/core/time/read-times.js'

const NOW = new Date('2026-11-21T12:00:00.000Z')
const at = (time: string | null) => time && `2026-11-21T${time}.000Z`
const read = (time: string | null, missingSince: string | null = null) => ({ readAt: at(time), missingSince })

it.each([
  [read(null), '11:55:00', []],
  [read('11:55:00'), '11:55:00', []],
  [read('11:54:59'), '11:55:00', ['prices and status read 5 min ago']],
  [read('11:20:00'), null, []],
  [read('11:20:00', '2026-11-21T11:30:00.000Z'), '11:55:00', []],
])('the age of status and prices that %j shows, polled at %s, is: %j', (rfq, polledAt, expected) => {
  expect(describeReads({ pricesRead: pricesReadOf(rfq, at(polledAt)), termsRead: null }, NOW)).toEqual(expected)
})

it.each([
  [[], []],
  [[read(null)], []],
  [[read('11:46:00')], ['terms read 14 min ago']],
  [[read('11:46:00'), read('11:57:00')], ['terms read 3 to 14 min ago']],
  [[read('11:00:00'), read('11:59:30')], ['terms read 30 s to 60 min ago']],
  [[read('11:46:00'), read(null)], ['terms read 14 min ago, of 1 offer only the summary']],
  [[read('11:46:00'), read('09:00:00', '2026-11-21T10:00:00.000Z')], ['terms read 14 min ago']],
  [[read('12:00:05')], ['terms read 0 s ago']],
])('the age of the terms of %j is: %j', (offers, expected) => {
  expect(describeReads({ pricesRead: null, termsRead: termsReadOf(offers) }, NOW)).toEqual(expected)
})
