import { expect, it } from 'vitest'
import { truncateListDiff } from '../../src/mcp/list-diff.js'

it('an answer names a few of the offers that are gone or new, however many there are', () => {
  const ids = Array.from({ length: 5_000 }, (_, at) => `offer-${at}`)
  const removedOffers = ids.map((id) => ({ id, name: id }))
  const bounded = truncateListDiff({ removedOffers, addedOffers: ids, message: 'The list no longer has 5,000 offers.' })
  expect(bounded).toEqual({
    message: expect.any(String),
    removedOffers: removedOffers.slice(0, 20),
    addedOffers: ids.slice(0, 20),
  })
  expect(truncateListDiff(null)).toBeNull()
})
