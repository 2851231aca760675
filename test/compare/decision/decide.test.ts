import { describe, expect, it } from 'vitest'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { settingsSchema } from '../../../src/core/decision/settings.js'
import {
  type ComparisonOverrides,
  comparisonInput,
  delivery,
  offerId,
  reportOn,
  response,
  review,
  sized,
  storedDocument,
  summaryOf,
  vintage,
} from '../../helpers/data/comparison-inputs.js'

type Body = Record<string, unknown>
type Responses = NonNullable<ComparisonOverrides['responses']>
type Scene = Pick<ComparisonOverrides, 'rfq' | 'settings'>
/** Asks for 5,000 t to 9,000 t at 40 USD at most. */
const RFQ = { minVolume: 5_000, maxVolume: 9_000, pricing: { minUnitPrice: null, maxUnitPrice: 40, currency: 'USD' } }
const decided = (responses: Responses, { rfq = {}, settings = {} }: Scene = {}) =>
  reportOn({ responses, rfq: { ...RFQ, ...rfq }, settings }).decision
const awarded = (...of: Parameters<typeof decided>) =>
  decided(...of).recommendation.award?.offers.map(({ number }) => number) ?? null
const accepted = (at: number, volume: number, offer: Body = {}) => sized(at, volume, 30, { status: 'accepted', offer })
const euros = { offer: { currency: 'EUR' } }

// Which award is right is in decide.integration.test.ts: every set of random offers is tried.
describe('the recommendation', () => {
  it.each<[headline: string, Responses, Body, Scene?]>([
    [
      'Award Developer 2 · Project 2: 5,200 t at 29.00 USD/t, 150,800 USD in total. Need 5,000 t (minimum 5,000 t, maximum 9,000 t); the 200 t beyond it cost 5,800 USD. All 3 offers compared.',
      [sized(1, 8_670, 28.8), sized(2, 5_200, 29), sized(3, 6_000, 36)],
      { award: { offers: [{ number: 2 }], tonnes: 5_200, pricePerTonne: 29, total: 150_800, currency: 'USD' } },
    ],
    [
      ', 2,000 t short of the need. Need 5,000 t (minimum 5,000 t, maximum 9,000 t).',
      [sized(1, 3_000, 30)],
      { status: 'partial', award: { coverage: 0.6 } },
    ],
    [
      '6,000 t at 12.50 USD/t, 75,000 USD in total (60,000 EUR). Need',
      [sized(1, 6_000, 10, euros)],
      { status: 'award' },
      { settings: { currency: 'USD', exchangeRates: { EUR: { rate: 1.25 } } } },
    ],
    [
      'Award Katari · Peat (no. 2):',
      [1, 2].map((at) => sized(at, 6_000, 40 - at, { projectDeveloperName: 'Katari', projectName: 'Peat' })),
      { status: 'award' },
    ],
    [
      'Accepted: Developer 1 · Project 1: 6,000 t ',
      [accepted(1, 6_000), sized(2, 6_000, 10)],
      { status: 'accepted', award: null, accepted: { tonnes: 6_000 } },
    ],
    [
      'Need 2,000 t (minimum 5,000 t, maximum 9,000 t)',
      [accepted(1, 3_000), sized(2, 7_000, 10), sized(3, 4_000, 20), sized(4, 2_000, 25)],
      { award: { offers: [{ number: 3 }] } },
    ],
    [
      '2,000 t at 30.00 EUR/t',
      [accepted(1, 2_000, { currency: 'EUR' }), sized(2, 4_000, 10)],
      { accepted: { tonnes: 2_000, award: null }, award: { tonnes: 4_000 } },
    ],
    [
      '3,000 t at 30.00 USD/t; 2,500 t at 30.00 EUR/t, which cannot be compared.',
      [accepted(1, 3_000), accepted(2, 2_500, { currency: 'EUR' })],
      { status: 'accepted' },
    ],
    [
      'unknown tonnes',
      [accepted(1, 0, { scheduledDeliveries: [], totalVolume: null, totalPrice: 100_000 }), sized(2, 4_000, 10)],
      { status: 'accepted', award: null },
    ],
    [
      'states no minimum volume',
      [sized(1, 3_000, 30)],
      { status: 'no-volume', award: null },
      { rfq: { minVolume: null } },
    ],
    ...[{ rfq: { minVolume: 10_000 } }, { settings: { volume: 10_000 } }].map(
      (scene): [string, Responses, Body, Scene] => [
        "10,000 t, is above the RFQ's maximum of 9,000 t",
        [sized(1, 6_000, 30)],
        { status: 'no-volume', award: null },
        scene,
      ],
    ),
    [
      'the maxVolume that the RFQ states cannot be read',
      [sized(1, 6_000, 30)],
      { status: 'no-volume', award: null },
      { rfq: { maxVolume: '9000' }, settings: { volume: 100 } },
    ],
    ['9,000 t', [sized(1, 60_000, 10)], { status: 'none', award: null }],
    [
      'No award possible: the only offer is in EUR without an exchange rate (8.33 EUR/t).',
      [sized(1, 6_000, 8.33, euros)],
      { award: null },
    ],
  ])('states “%s”', (headline, offers, expected, scene) => {
    const { recommendation } = decided(offers, scene)
    expect(recommendation).toMatchObject(expected)
    expect(recommendation.headline).toContain(headline)
  })

  it('counts every offer, each once', () => {
    const { headline } = decided([
      ...[sized(1, 6_000, 30), sized(2, 6_000, 35), sized(3, 6_000, 8.33, euros)],
      ...[sized(4, 0, 8, { offer: { totalVolume: null, totalPrice: 5 } }), sized(5, 6_000, 50)],
      ...['rejected', null].map((status, at) => sized(6 + at, 6_000, 10, { status })),
      ...[sized(8, 6_000, 0), sized(9, 6_000, -5), sized(10, 6_000, 5, { offer: { currency: null } })],
      response(11, { offer: null }),
      storedDocument(sized(12, 6_000, 10), { missingSince: '2026-03-12T10:00:00.000Z' }),
    ]).recommendation
    expect(headline).toContain(' 2 of 12 offers compared; ')
    for (const counted of [
      ...['1 is in EUR without an exchange rate (8.33 EUR/t)', '1 has no volume', '1 is above the maximum price'],
      ...['1 was rejected', '1 has no status', '1 is no longer visible'],
      ...['2 have no price', '1 has no currency', '1 is unreadable'],
    ])
      expect(headline).toContain(counted)
  })

  it('counts an offer for each of its reasons, and says so', () => {
    const rejected = { offer: { ...euros.offer, review: { status: 'rejected' } } }
    const { headline } = decided([sized(1, 6_000, 30), sized(2, 6_000, 8.33, rejected)]).recommendation
    expect(headline).toContain(
      '1 of 2 offers compared; 1 is in EUR without an exchange rate (8.33 EUR/t), 1 was rejected in review (some for several reasons).',
    )
  })

  it.each<[reasons: string[], Body[], Scene?]>([
    [
      [
        'It is within 2 % of the lowest price per tonne; that of Developer 1 · Project 1 costs 0.20 USD/t less (0.7 %) but 98,896 USD more in total.',
      ],
      [sized(1, 8_670, 28.8), sized(2, 5_200, 29), sized(3, 6_000, 36)],
    ],
    [
      [
        'The lowest total, that of Developer 1 · Project 1, is not within 2 % of the lowest price per tonne: it costs 2.00 USD/t more (7.1 %) but 88,000 USD less in total.',
      ],
      [sized(1, 5_000, 30), sized(2, 8_500, 28), sized(3, 4_000, 35)],
    ],
    [
      [
        'It has the lowest present value per tonne, and the lowest total present value.',
        'costs in present value 0.16 USD/t more (0.7 %) and 963.07 USD more in total.',
      ],
      [sized(1, 6_000, 30), sized(2, 6_000, 30.2)],
      { settings: { priceBasis: 'present-value', discountRate: 0.5 } },
    ],
    [['It has every offer that competes.'], [sized(1, 3_000, 30), sized(2, 1_000, 30)]],
    [[], [sized(1, 3_000, 30)]],
    [
      ['Developer 1 · Project 1, first by price, is not part of it: at most 9,000 t can be awarded.'],
      [sized(1, 60_000, 10), sized(2, 6_000, 30)],
    ],
    [
      ['Developer 1 · Project 1, first by price, is not part of it: the best award with it,'],
      [sized(1, 1_000, 10), sized(2, 5_000, 21), sized(3, 8_900, 18)],
    ],
  ])('has as its reasons %j', (reasons, offers, scene) => {
    const found = decided(offers, scene).recommendation.reasons
    for (const reason of reasons) expect(found.join('\n')).toContain(reason)
    if (reasons.length === 0) expect(found).toEqual([])
  })

  it('is in payable money, also if it is compared by present value', () => {
    const settings = { priceBasis: 'present-value', discountRate: 0.5 } as const
    const { award } = decided([sized(1, 6_000, 30.2)], { settings }).recommendation
    expect(award).toMatchObject({ pricePerTonne: 30.2, total: 181_200 })
    expect(award?.costPerTonne).toBeLessThan(30)
  })

  it('may exceed a maximum that is waived, and says so', () => {
    const settings = { requirements: { volumeMax: 'advisory' } } as const
    const { award, conditions } = decided([sized(1, 9_500, 10)], { settings }).recommendation
    expect(award?.tonnes).toBe(9_500)
    expect(conditions).toContainEqual({ loud: false, message: "The award is 500 t above the RFQ's maximum." })
    const window = (maxVolume: number) => reportOn({ rfq: { ...RFQ, maxVolume }, settings }).rfq.window.message
    expect(window(15_000)).toBe("5,000 t, the RFQ's minimum, to 15,000 t, the RFQ's maximum, which is waived.")
    expect(window(9_000)).toBe(
      "5,000 t, the RFQ's minimum, to 10,000 t, twice that, because the RFQ's maximum of 9,000 t is waived.",
    )
  })

  it.each(['rejected', 'withdrawn', 'accepted'])('follows a summary in the RFQ that says %s', (status) => {
    const responses = [sized(1, 6_000, 10), sized(2, 6_000, 30)]
    const [first, second] = responses.map(summaryOf)
    const { recommendation } = decided(responses, { rfq: { responses: [{ ...first, status }, second] } })
    expect(recommendation.award?.offers.map(({ number }) => number) ?? []).not.toContain(1)
    expect(recommendation.accepted?.offers.map(({ number }) => number) ?? []).toEqual(status === 'accepted' ? [1] : [])
  })

  it('saves something against the maximum price and the median offer, as far as they differ', () => {
    const saved = (...of: Parameters<typeof decided>) => decided(...of).savings?.message
    const three = [sized(1, 6_000, 30), sized(2, 6_000, 35), sized(3, 6_000, 40)]
    expect(saved(three)).toBe(
      "The 6,000 t cost 60,000 USD less than at the RFQ's maximum price (40.00 USD/t), and 30,000 USD less than at the price of the median offer (35.00 USD/t).",
    )
    // Of four offers, the median is between two.
    expect(saved([...three, sized(4, 6_000, 31)])).toContain('the price of the median offer (33.00 USD/t)')
    expect(saved([sized(1, 6_000, 40)])).toBe("The 6,000 t cost the same as at the RFQ's maximum price.")
    const same = [1, 2, 3].map((number) => sized(number, 6_000, 20))
    expect(saved(same)).toBe("The 6,000 t cost 120,000 USD less than at the RFQ's maximum price (40.00 USD/t).")
    const without = { rfq: { pricing: { currency: 'USD' } } }
    expect(saved(same, without)).toBe('The 6,000 t cost the same as at the price of the median offer.')
    expect(saved([sized(1, 6_000, 20)], without)).toBeUndefined()
  })
})

describe('choices', () => {
  it('are shown if no minimum volume is stated', () => {
    const { choices } = decided([sized(1, 3_000, 30), sized(2, 4_000, 20)], { rfq: { minVolume: null } })
    expect(choices.map(({ award }) => award.tonnes)).toEqual([4_000, 7_000])
  })

  it('are none once accepted offers reach the volume, nor questions', () => {
    const { choices, questions, awardedTonnes } = decided([accepted(1, 6_000), sized(2, 6_000, 10)])
    expect([choices, questions, awardedTonnes]).toEqual([[], [], { [offerId(1)]: 6_000 }])
  })

  it('show the four that cost least of what waived requirements would buy, compared per tonne', () => {
    const lineOf = (of: Body) => [delivery({ vintages: [vintage({ volume: 6_000, unitPrice: 15 })], ...of })]
    const old = { reportingPeriodStart: '2015-01-01', reportingPeriodEnd: '2015-12-31' }
    const { choices } = decided([
      sized(1, 6_000, 30),
      sized(2, 6_000, 11, { offer: { contractType: 'option' } }),
      sized(3, 6_000, 12, { offer: { expiryDate: '2026-03-01' } }),
      sized(4, 6_000, 13, { offer: { review: review('rejected') } }),
      response(5, {
        offer: { scheduledDeliveries: lineOf({ vintages: [vintage({ volume: 6_000, unitPrice: 14, ...old })] }) },
      }),
      response(6, { offer: { scheduledDeliveries: lineOf({ fulfilmentDueDate: '2027-02-01' }) } }),
    ])
    expect(choices.map(({ requirement, perTonneDifference }) => [requirement, perTonneDifference])).toEqual([
      [null, expect.anything()],
      ['contractType', expect.closeTo(-19, 9)],
      ['notExpired', expect.closeTo(-18, 9)],
      ['reviewNotRejected', expect.closeTo(-17, 9)],
      ['vintages', expect.closeTo(-16, 9)],
    ])
    expect(choices[1]?.title).toContain('If “Contract type as asked for” is waived')
  })
})

describe('what a reader must know first', () => {
  const offers = [sized(1, 6_000, 30)]
  const banners = (rfq: Body) => decided(offers, { rfq }).banners.map(({ code }) => code)

  it('is a closed RFQ, or one in a state that is neither open nor closed', () => {
    expect(banners({})).toEqual([])
    expect(banners({ state: 'closed' })).toEqual(['rfq-closed'])
    expect(banners({ state: 'cancelled' })).toEqual(['rfq-not-open'])
  })

  it('is an RFQ that is missing, of which nothing is awarded', () => {
    const rfqStored = { missingSince: '2026-03-12T10:00:00.000Z' }
    const input = comparisonInput({ responses: offers, rfq: RFQ, rfqStored })
    const { recommendation, banners: found, choices } = compareOffers(input).decision
    expect(recommendation).toMatchObject({ status: 'none', award: null })
    expect(recommendation.headline).toContain('missing from the channel since 2026-03-12')
    expect([found.map(({ code }) => code), choices]).toEqual([['rfq-missing'], []])
  })

  it.each<[string, Body]>([
    ['pricing.maxUnitPrice', { pricing: { ...RFQ.pricing, maxUnitPrice: '20' } }],
    ['maxVintageYear', { maxVintageYear: '2026' }],
    ['fulfilmentDueDate', { fulfilmentDueDate: '31/12/2026' }],
    ['contractTypes', { contractTypes: 'forward' }],
  ])('is an unreadable %s, which no offer is known to meet', (place, rfq) => {
    const { banners: found, recommendation, excluded } = decided(offers, { rfq })
    expect(found).toMatchObject([{ code: 'rfq-invalid', message: expect.stringContaining(`(${place})`) }])
    expect(recommendation.status).toBe('none')
    expect(recommendation.headline).toMatch(/^No award possible: not determinable: the .* of the RFQ cannot be read\.$/)
    expect(excluded[0]?.message).toMatch(/Not determinable: the .* of the RFQ cannot be read\./)
  })

  it('is not that an offer has no expiry date, if it states one that cannot be read', () => {
    const offer = sized(1, 6_000, 30, { offer: { expiryDate: '2020-1-1' } })
    expect(decided([offer]).excluded[0]?.message).toBe('Not determinable: the expiry date cannot be read.')
    const taken = decided([offer], { settings: { requirements: { notExpired: 'advisory' } } }).recommendation
    expect(JSON.stringify(taken.conditions)).not.toContain('states no expiry date')
  })
})

describe('offers that are left out', () => {
  const offers = [sized(1, 6_000, 10), sized(2, 6_000, 12), sized(3, 6_000, 14)]

  it.each([
    [null, [1], []],
    [1, [2], [1]],
    ['1, 2', [3], [1, 2]],
    ['7', [1], []],
  ])('without %s', (without, award, excluded) => {
    const decision = decided(offers, { settings: { without } })
    expect(awarded(offers, { settings: { without } })).toEqual(award)
    expect(decision.excluded.map(({ number, code }) => [number, code])).toEqual(
      excluded.map((number) => [number, 'left-out']),
    )
    const asked = decision.questions.flatMap((letter) => letter.offers.map(({ offerId: id }) => id))
    for (const number of excluded) expect(asked).not.toContain(offerId(number))
  })

  it('are named by their numbers', () => {
    for (const without of ['0,', 'Katari', '-1', '1;2', 1.5])
      expect(settingsSchema.safeParse({ without }).success, `${without}`).toBe(false)
  })
})
