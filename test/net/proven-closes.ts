import { expect } from 'vitest'
import { day } from './documents.js'
import type { Marketplace } from './marketplace.js'

/**
 * What holds of every close in every test: the last read of its RFQ before it was answered in full and shows an open RFQ that is past due,
 * and its effect was read afterwards.
 * @param unread closes whose effect nobody could read, since the process was killed
 */
export function expectProvenCloses(market: Marketplace, unread = 0): void {
  const { requests } = market
  const posts = requests.flatMap(({ name }, at) => (name.startsWith('POST close') ? [{ name, at }] : []))
  let unverified = 0
  for (const { name, at } of posts) {
    const read = name.replace('POST close', 'GET rfq')
    const before = requests.slice(0, at).findLast((request) => request.name === read)?.reply
    expect(before, `${name} follows a read`).toMatchObject({ status: 200, body: { state: 'open' } })
    const { responseDueDate } = (before as { body: { responseDueDate: string } }).body
    expect(responseDueDate < day(0, market.now()), `${name} is past due`).toBe(true)
    if (!requests.slice(at).some((request) => request.name === read)) unverified++
  }
  expect(unverified).toBeLessThanOrEqual(unread)
}
