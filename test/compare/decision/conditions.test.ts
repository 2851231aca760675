import { describe, expect, it } from 'vitest'
import { lines, reportOn, response, review, sized } from '../../helpers/data/comparison-inputs.js'

type Body = Record<string, unknown>
const decided = (responses: Body[], rfq: Body = {}) => reportOn({ responses, rfq }).decision
const texts = ({ conditions }: { conditions: readonly { message: string }[] }) =>
  conditions.map(({ message }) => message)
const conditions = (offer: Body) => texts(decided([response(1, { offer })]).recommendation)

const ALONE = 'It is the only open offer, so there is nothing to compare it with.'

describe('what to check of an award', () => {
  it.each([
    [{ totalPrice: 0 }, 'The stated total is 0 USD, but the delivery lines, which count, add up to 120,000 USD.'],
    [lines({ unitPrice: 2 }), "The price, 2.00 USD/t, is 60 % below the RFQ's minimum of 5.00 USD/t."],
  ])('begins with what is wrong, said once: %j', (offer, message) => {
    expect(conditions(offer)).toEqual([message, ALONE, 'The offer has not been reviewed yet.'])
  })

  it('says when the offer expires, if that is soon', () => {
    const last = (offer: Body) => conditions(offer).filter((message) => message.includes('expires'))
    expect(last({ expiryDate: '2026-03-16' })).toEqual(['The offer expires today, on 2026-03-16.'])
    expect(last({ expiryDate: '2026-03-17' })).toEqual(['The offer expires in 1 day, on 2026-03-17.'])
    expect(last({ expiryDate: '2026-06-30' })).toEqual([])
  })

  const small = (number: number, offer: Body = {}) =>
    sized(number, 2_000 + number, 12, { offer: { totalPrice: 10 * number, ...offer } })

  it('says of several offers by name what goes for some, and not what goes for every offer', () => {
    const { award, conditions: found } = decided([small(1), small(2), response(3)], {
      minVolume: 14_000,
    }).recommendation
    expect(award?.offers).toHaveLength(3)
    const [first, second] = [
      '10 USD, but the delivery lines, which count, add up to 24,012',
      '20 USD, but the delivery lines, which count, add up to 24,024',
    ]
    expect(found).toEqual([
      { loud: true, message: `Developer 1 · Project 1: The stated total is ${first} USD.` },
      { loud: true, message: `Developer 2 · Project 2: The stated total is ${second} USD.` },
      { loud: false, message: 'The RFQ also asks, which is not checked here: “No double claiming.”' },
    ])
    const two = [small(1, { review: review('accepted'), totalPrice: 24_012 }), small(2), response(3)]
    const some = texts(decided(two, { minVolume: 14_000 }).recommendation)
    expect(some).toContain('Developer 2 · Project 2 and Developer 3 · Project 3: The offer has not been reviewed yet.')
  })

  it('are at most three, loud ones first', () => {
    const five = decided([1, 2, 3, 4, 5].map((number) => small(number))).recommendation
    expect(five.award?.offers).toHaveLength(5)
    expect(five.conditions).toHaveLength(3)
    expect(five.conditions.every(({ loud }) => loud)).toBe(true)
  })

  it('are those of what is accepted, once nothing more is recommended, and of both before', () => {
    const accepted = (volume: number) => sized(1, volume, 12, { status: 'accepted', offer: { totalPrice: 10 } })
    const settled = decided([accepted(12_000), response(2, { offer: { totalPrice: 20 } })]).recommendation
    expect(settled.status).toBe('accepted')
    expect(texts(settled).join(' ')).toContain('The stated total is 10 USD')
    expect(texts(settled).join(' ')).not.toMatch(/20 USD|expire/)
    const more = decided([accepted(4_000), small(2), response(3)], { minVolume: 15_000 }).recommendation
    expect(more.award?.offers.map(({ number }) => number)).toEqual([2, 3])
    expect(texts(more).join(' ')).toMatch(/Developer 1 · Project 1: The stated total is 10 USD/)
    expect(texts(more).join(' ')).toMatch(/Developer 2 · Project 2: The stated total is 20 USD/)
  })

  it('say loudly that the award is the only open offer', () => {
    const found = (...others: Body[]) => texts(decided([response(1), ...others]).recommendation)
    expect(found(response(2, { status: 'rejected' }))).toContain(ALONE)
    expect(found(response(2, { offer: { contractType: 'option' } }))).not.toContain(ALONE)
  })

  it('say loudly that it has more than twice the need, if a smaller one costs less', () => {
    const large = sized(1, 12_000, 10)
    const smaller = (volume: number, price: number) => sized(2, volume, price)
    const found = (...others: Body[]) => decided([large, ...others], { minVolume: 5_000 }).recommendation
    const doubt = { loud: true, message: 'The award has more than twice the tonnes that are needed.' }
    expect(found(smaller(6_000, 12))).toMatchObject({
      award: { tonnes: 12_000 },
      conditions: expect.arrayContaining([doubt]),
    })
    for (const others of [[], [smaller(4_000, 12)], [smaller(11_000, 12)], [smaller(6_000, 25)]])
      expect(found(...others).conditions).not.toContainEqual(doubt)
  })
})
