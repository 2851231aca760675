import { expect, it } from 'vitest'
import { boundedListed } from '../../src/mcp/listed-answer.js'

it('an answer names a few of the offers that are gone or new, however many there are', () => {
  const ids = Array.from({ length: 5_000 }, (_, at) => `offer-${at}`)
  const offersGone = ids.map((id) => ({ id, name: id }))
  const bounded = boundedListed({ offersGone, offersNew: ids, message: 'The list no longer has 5,000 offers.' })
  expect(bounded).toEqual({
    message: expect.any(String),
    offersGone: offersGone.slice(0, 20),
    offersNew: ids.slice(0, 20),
  })
  expect(boundedListed(null)).toBeNull()
})
