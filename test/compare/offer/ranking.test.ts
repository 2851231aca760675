import { describe, expect, it } from 'vitest'
import { lines, offerId, reportOn, response, storedDocument } from '../../helpers/data/comparison-inputs.js'

const at = (unitPrice: number, of: object = {}) => ({ ...lines({ unitPrice }), ...of })

describe('ranks', () => {
  it('break ties in favour of the lower number: the offer seen first, then the lower identifier', () => {
    const same = [3, 1, 2, 4].map((number) =>
      storedDocument(response(number, { listingId: response(1).listingId, offer: at(10) }), {
        firstObservedAt: `2026-03-0${number === 4 ? 1 : 2}T00:00:00.000Z`,
      }),
    )
    const { offers } = reportOn({ responses: same })
    expect(offers.map(({ id }) => id)).toEqual([4, 1, 2, 3].map(offerId))
    expect(offers.map(({ rank, sequence }) => [rank, sequence])).toEqual([1, 2, 3, 4].map((n) => [n, n]))
  })

  it('come after accepted offers, and before those that do not compete, which are by sequence', () => {
    const responses = [
      response(1, { status: 'rejected', offer: at(2) }),
      response(2, { offer: at(12) }),
      response(3, { offer: at(3, { contractType: 'option' }) }),
      response(4, { status: 'accepted', offer: at(15) }),
      response(5, { offer: at(11) }),
      response(6, { status: 'accepted', offer: at(2, { currency: 'EUR' }) }),
    ]
    const { offers } = reportOn({ responses })
    expect(offers.map(({ id, standing, rank }) => [id, standing, rank])).toEqual([
      [offerId(4), 'accepted', null],
      [offerId(6), 'accepted', null],
      [offerId(5), 'ranked', 1],
      [offerId(2), 'ranked', 2],
      [offerId(1), 'excluded', null],
      [offerId(3), 'not-compliant', null],
    ])
    expect(offers.map(({ why }) => why === null)).toEqual([false, false, true, true, false, false])
  })
})

it('counts and lowest price are those of the ranked offers', () => {
  const responses = [10, 14, 11, 20].map((price, index) =>
    response(index + 1, { status: price === 20 ? 'rejected' : 'submitted', offer: at(price) }),
  )
  const { summary } = reportOn({ responses })
  expect(summary).toEqual({ offers: 4, missing: 0, ranked: 3, lowestPrice: 10, coverage: 1 })
})
