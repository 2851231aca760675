import { describe, expect, it } from 'vitest'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { type SettingsInput, settingsSchema } from '../../../src/core/decision/settings.js'
import {
  comparisonInput,
  delivery,
  offerId,
  response,
  sized,
  storedDocument,
  summaryOf,
  vintage,
} from '../../helpers/data/comparison-inputs.js'

type Body = Record<string, unknown>
/** Asks for 5,000 t to 9,000 t at 40 USD at most. */
const RFQ = { minVolume: 5_000, maxVolume: 9_000, pricing: { minUnitPrice: null, maxUnitPrice: 40, currency: 'USD' } }
const compared = (responses: Body[], { rfq = {}, settings = {} }: { rfq?: Body; settings?: SettingsInput } = {}) =>
  compareOffers(comparisonInput({ responses, rfq: { ...RFQ, ...rfq }, settings }))
const decided = (...of: Parameters<typeof compared>) => compared(...of).decision
const awarded = (...of: Parameters<typeof compared>) =>
  decided(...of).recommendation.award?.offers.map(({ number }) => number) ?? null

describe('the recommended award', () => {
  it('is the lowest total of those that are equal in price per tonne, and says what the tonnes beyond the need cost', () => {
    const offers = [sized(1, 8_670, 28.8), sized(2, 5_200, 29), sized(3, 6_000, 36)]
    const { recommendation, savings } = decided(offers)
    expect(recommendation).toMatchObject({
      status: 'award',
      award: { offers: [{ id: offerId(2) }], tonnes: 5_200, pricePerTonne: 29, total: 150_800, currency: 'USD' },
      headline:
        'Award Developer 2 · Project 2: 5,200 t at 29.00 USD/t, 150,800 USD in total. Need 5,000 t (minimum 5,000 t, maximum 9,000 t); the 200 t beyond it cost 5,800 USD. All 3 offers compared.',
      reasons: [
        'It is within 2 % of the lowest price per tonne; that of Developer 1 · Project 1 costs 0.20 USD/t less (0.7 %) but 98,896 USD more in total.',
      ],
    })
    expect(savings?.maxPrice?.amount).toBeCloseTo(5_200 * (40 - 29), 6)
    expect(awarded(offers, { settings: { awardTolerance: 0 } })).toEqual([1])
  })

  it('is another one by the lowest total, or for more tonnes, and says so', () => {
    const offers = [sized(1, 5_000, 30), sized(2, 8_500, 28), sized(3, 4_000, 35)]
    expect(awarded(offers)).toEqual([2])
    expect(awarded(offers, { settings: { awardTolerance: 'unlimited' } })).toEqual([1])
    expect(awarded(offers, { settings: { volume: 8_600 } })).toEqual([1, 3])
    expect(decided(offers).recommendation.reasons).toEqual([
      'The lowest total, that of Developer 1 · Project 1, is not within 2 % of the lowest price per tonne: it costs 2.00 USD/t more (7.1 %) but 88,000 USD less in total.',
    ])
  })

  it('costs the least per tonne and in total, says so where both are true', () => {
    expect(decided([sized(1, 5_000, 20), sized(2, 6_000, 30)]).recommendation.reasons).toEqual([
      'It has the lowest price per tonne, and the lowest total.',
      'Without it, the best award is Developer 2 · Project 2, which costs 10.00 USD/t more (50 %) and 80,000 USD more in total.',
    ])
  })

  it('is compared by present value, and shows what is payable', () => {
    const soon = sized(1, 6_000, 30)
    const later = response(2, {
      offer: {
        scheduledDeliveries: [
          delivery({ fulfilmentDueDate: '2026-12-31', vintages: [vintage({ volume: 6_000, unitPrice: 30.2 })] }),
        ],
      },
    })
    expect(awarded([soon, later])).toEqual([1])
    const { recommendation } = decided([soon, later], { settings: { priceBasis: 'present-value', discountRate: 0.5 } })
    expect(recommendation.award).toMatchObject({ pricePerTonne: 30.2, total: 181_200 })
    expect(recommendation.award?.costPerTonne).toBeLessThan(30)
    expect(recommendation.reasons.join(' ')).toContain('by present value')
  })

  it('is partial if nothing reaches the volume, and says how much is missing', () => {
    const { recommendation } = decided([sized(1, 3_000, 30)])
    expect(recommendation).toMatchObject({ status: 'partial', award: { coverage: 0.6 } })
    expect(recommendation.headline).toContain(
      ', 2,000 t short of the need. Need 5,000 t (minimum 5,000 t, maximum 9,000 t).',
    )
    expect(recommendation.reasons).toEqual([])
    expect(decided([sized(1, 3_000, 30), sized(2, 1_000, 30)]).recommendation.reasons).toEqual([
      'It has every offer that competes.',
    ])
  })

  it('may be a single larger offer without a maximum, by the same rule', () => {
    const large = sized(1, 60_000, 10)
    const without = { rfq: { maxVolume: null } }
    expect(awarded([large, sized(2, 6_000, 30)], without)).toEqual([1])
    expect(awarded([large, sized(2, 6_000, 10.1)], without)).toEqual([2])
    expect(awarded([large, sized(2, 6_000, 30)], { ...without, settings: { awardTolerance: 'unlimited' } })).toEqual([
      2,
    ])
    const alone = decided([large], without).recommendation
    expect(alone.award?.tonnes).toBe(60_000)
    expect(decided([large]).recommendation).toMatchObject({ status: 'none', award: null })
    expect(decided([large]).recommendation.headline).toContain('9,000 t')
  })

  it('may exceed a maximum that is waived, and says so', () => {
    const { award, conditions } = decided([sized(1, 9_500, 10)], {
      settings: { requirements: { volumeMax: 'advisory' } },
    }).recommendation
    expect(award?.tonnes).toBe(9_500)
    expect(conditions).toContainEqual({ loud: false, message: "The award is 500 t above the RFQ's maximum." })
  })

  it('names the one ranked first if it is not part of it, and why', () => {
    const tooLarge = decided([sized(1, 60_000, 10), sized(2, 6_000, 30)]).recommendation
    expect(tooLarge.reasons.join(' ')).toContain(
      'Developer 1 · Project 1, first by price, is not part of it: at most 9,000 t can be awarded.',
    )
    const dearer = decided([sized(1, 1_000, 10), sized(2, 5_000, 21), sized(3, 8_900, 18)]).recommendation
    expect(dearer.award?.offers.map(({ number }) => number)).toEqual([3])
    expect(dearer.reasons.join(' ')).toMatch(/first by price, is not part of it: the best award with it, .* more/)
  })

  it('states up to which price each offer stays, capped by a hard maximum price', () => {
    const { breakEven } = decided([sized(1, 5_000, 30), sized(2, 5_000, 35)]).recommendation
    expect(breakEven).toMatchObject([{ offerId: offerId(1), breakEvenPricePerTonne: 35 }])
    const only = decided([sized(1, 5_000, 30)]).recommendation.breakEven[0]
    expect(only).toMatchObject({ breakEvenPricePerTonne: 40 })
    const free = decided([sized(1, 5_000, 30)], { settings: { requirements: { priceMax: 'off' } } }).recommendation
    expect(free.breakEven).toEqual([])
  })
})

describe('an offer that is not open', () => {
  const good = sized(2, 6_000, 30)
  const cheap = (status: unknown) => sized(1, 6_000, 10, { status })

  it.each([
    ['withdrawn', '1 has the status “withdrawn”'],
    ['somethingNew', '1 has the status “somethingNew”'],
    ['rejected', '1 was rejected'],
    [null, '1 has no status'],
  ])('is never awarded, whatever the requirements: %s', (status, message) => {
    const off = Object.fromEntries(
      ['reviewNotRejected', 'notExpired', 'contractType', 'vintages', 'fulfilmentDate', 'priceMax', 'volumeMax'].map(
        (name) => [name, 'off' as const],
      ),
    )
    for (const settings of [{}, { requirements: off }]) {
      const { recommendation, excluded, choices } = decided([cheap(status), good], { settings })
      expect(recommendation.award?.offers.map(({ number }) => number)).toEqual([2])
      expect(recommendation.headline).toContain(message)
      expect(excluded).toMatchObject([{ number: 1 }])
      expect(choices.flatMap(({ award }) => award.offers.map(({ number }) => number))).not.toContain(1)
    }
    expect(decided([cheap(status)]).recommendation).toMatchObject({ status: 'none', award: null })
  })

  it('is never awarded if it disappeared', () => {
    const gone = storedDocument(cheap('submitted'), { missingSince: '2026-03-12T10:00:00.000Z' })
    const missing = compareOffers(comparisonInput({ responses: [gone, good], rfq: RFQ })).decision.recommendation
    expect(missing.award?.offers.map(({ number }) => number)).toEqual([2])
    expect(missing.headline).toContain('1 of 2 offers compared; 1 is no longer visible.')
  })

  it.each(['rejected', 'withdrawn', 'accepted'])(
    'is not recommended if its summary in the RFQ says that it is %s',
    (status) => {
      const responses = [cheap('submitted'), good]
      const summaries = responses.map((one) => ({ ...summaryOf(one), ...(one === good ? {} : { status }) }))
      const input = comparisonInput({ responses, rfq: { ...RFQ, responses: summaries } })
      const { award, accepted } = compareOffers(input).decision.recommendation
      expect(award?.offers.map(({ number }) => number) ?? []).not.toContain(1)
      expect(accepted?.offers.map(({ number }) => number) ?? []).toEqual(status === 'accepted' ? [1] : [])
    },
  )

  it('is none of those of an RFQ that is missing', () => {
    const rfqStored = { missingSince: '2026-03-12T10:00:00.000Z' }
    const input = comparisonInput({ responses: [good], rfq: RFQ, rfqStored })
    const { recommendation, banners, choices } = compareOffers(input).decision
    expect(recommendation).toMatchObject({ status: 'none', award: null })
    expect(recommendation.headline).toContain('missing from the channel since 2026-03-12')
    expect(banners.map(({ code }) => code)).toEqual(['rfq-missing'])
    expect(choices).toEqual([])
  })
})

describe('accepted offers', () => {
  const accepted = (at: number, volume: number, offer: Body = {}) =>
    sized(at, volume, 30, { status: 'accepted', offer })

  it('are fixed: nothing more is recommended once they reach the volume', () => {
    const { recommendation, choices, questions, awardedTonnes } = decided([accepted(1, 6_000), sized(2, 6_000, 10)])
    expect(recommendation).toMatchObject({ status: 'accepted', award: null, accepted: { tonnes: 6_000 } })
    expect(recommendation.headline).toMatch(
      /^Accepted: Developer 1 · Project 1: 6,000 t .* Nothing more is recommended\./,
    )
    expect([choices, questions, awardedTonnes]).toEqual([[], [], { [offerId(1)]: 6_000 }])
  })

  it('leave a smaller range for the rest', () => {
    const offers = [accepted(1, 3_000), sized(2, 7_000, 10), sized(3, 4_000, 20), sized(4, 2_000, 25)]
    const { recommendation, awardedTonnes } = decided(offers)
    expect(recommendation.award?.offers.map(({ number }) => number)).toEqual([3])
    expect(recommendation.headline).toContain('Need 2,000 t (minimum 5,000 t, maximum 9,000 t)')
    expect(awardedTonnes).toEqual({ [offerId(1)]: 3_000, [offerId(3)]: 4_000 })
  })

  it('that cannot be compared are told with what is known of them', () => {
    const euros = decided([accepted(1, 2_000, { currency: 'EUR' }), sized(2, 4_000, 10)]).recommendation
    expect(euros.accepted).toMatchObject({ tonnes: 2_000, award: null })
    expect(euros.headline).toContain('2,000 t at 30.00 EUR/t')
    expect(euros.award?.tonnes).toBe(4_000)
    const unknown = { scheduledDeliveries: [], totalVolume: null, totalPrice: 100_000 }
    const nothing = decided([accepted(1, 2_000, unknown), sized(2, 4_000, 10)]).recommendation
    expect(nothing).toMatchObject({ status: 'accepted', award: null })
    expect(nothing.headline).toContain('unknown tonnes')
  })
})

describe('without enough to go by', () => {
  it('no award is recommended, and the choices are shown, if no minimum volume is stated', () => {
    const { recommendation, choices } = decided([sized(1, 3_000, 30), sized(2, 4_000, 20)], {
      rfq: { minVolume: null },
    })
    expect(recommendation).toMatchObject({ status: 'no-volume', award: null })
    expect(recommendation.headline).toContain('states no minimum volume')
    expect(choices.map(({ award }) => award.tonnes)).toEqual([4_000, 7_000])
    expect(awarded([sized(1, 3_000, 30)], { rfq: { minVolume: null }, settings: { volume: 2_000 } })).toEqual([1])
  })

  it('no award is recommended if the minimum is above the maximum, or the volume entered is', () => {
    const offers = [sized(1, 6_000, 30)]
    for (const of of [{ rfq: { minVolume: 10_000 } }, { settings: { volume: 10_000 } }]) {
      const { recommendation } = decided(offers, of)
      expect(recommendation).toMatchObject({ status: 'no-volume', award: null })
      expect(recommendation.headline).toContain("10,000 t, is above the RFQ's maximum of 9,000 t")
    }
  })

  it.each<[string, Body[], RegExp]>([
    ['no offers', [], /^The RFQ has no offers\.$/],
    [
      'other currencies only',
      [sized(1, 6_000, 8.33, { offer: { currency: 'EUR' } })],
      /^No award possible: the only offer is in EUR without an exchange rate \(8.33 EUR\/t\)\.$/,
    ],
    [
      'no volume',
      [sized(1, 0, 8, { offer: { totalVolume: null, totalPrice: 5 } })],
      /No award possible: the only offer has no volume/,
    ],
    ['no price', [sized(1, 6_000, 0)], /only offer has no price/],
    ['a negative price', [sized(1, 6_000, -5)], /only offer has no price/],
    ['no currency', [sized(1, 6_000, 5, { offer: { currency: null } })], /only offer has no currency/],
    ['no offer in the response', [response(1, { offer: null })], /only offer is unreadable/],
  ])('says what is known and what is not: %s', (_, offers, message) => {
    const { recommendation } = decided(offers)
    expect(recommendation.award).toBeNull()
    expect(recommendation.headline).toMatch(message)
  })

  it('counts every offer in the headline, each once', () => {
    const offers = [
      sized(1, 6_000, 30),
      sized(2, 6_000, 35),
      sized(3, 6_000, 8.33, { offer: { currency: 'EUR' } }),
      sized(4, 0, 8, { offer: { totalVolume: null, totalPrice: 5 } }),
      sized(5, 6_000, 50),
    ]
    expect(decided(offers).recommendation.headline).toMatch(
      / 2 of 5 offers compared; 1 is in EUR without an exchange rate \(8.33 EUR\/t\), 1 has no volume, 1 is above the maximum price\.$/,
    )
  })
})

describe('what is saved', () => {
  it('is against the maximum price and the median offer, as far as they differ', () => {
    const saved = (...of: Parameters<typeof decided>) => decided(...of).savings?.message
    const three = [sized(1, 6_000, 30), sized(2, 6_000, 35), sized(3, 6_000, 40)]
    expect(saved(three)).toBe(
      "The 6,000 t cost 60,000 USD less than at the RFQ's maximum price (40.00 USD/t), and 30,000 USD less than at the price of the median offer (35.00 USD/t).",
    )
    expect(saved(three.slice(1))).toBe(
      "The 6,000 t cost 30,000 USD less than at the RFQ's maximum price (40.00 USD/t).",
    )
    expect(saved([sized(1, 6_000, 40)])).toBe("The 6,000 t cost the same as at the RFQ's maximum price.")
    const same = [1, 2, 3].map((number) => sized(number, 6_000, 20))
    expect(saved(same)).toBe("The 6,000 t cost 120,000 USD less than at the RFQ's maximum price (40.00 USD/t).")
    const without = { rfq: { pricing: { currency: 'USD' } } }
    expect(saved(same, without)).toBe('The 6,000 t cost the same as at the price of the median offer.')
    expect(saved([sized(1, 6_000, 20)], without)).toBeUndefined()
  })
})

describe('choices', () => {
  const offers = [sized(1, 5_000, 30), sized(2, 8_500, 28), sized(3, 3_900, 35), sized(4, 6_000, 55)]

  it('are the efficient awards by tonnes, with the price of the extra tonnes', () => {
    const efficient = decided(offers).choices.filter(({ kind }) => kind === 'efficient')
    expect(efficient.map(({ award, isRecommended }) => [award.tonnes, isRecommended])).toEqual([
      [5_000, false],
      [8_500, true],
      [8_900, false],
    ])
    expect(efficient[1]?.extra?.pricePerTonne).toBeCloseTo((8_500 * 28 - 5_000 * 30) / 3_500, 9)
  })

  it('show what a waived requirement would buy, compared per tonne', () => {
    const cheap = [sized(1, 6_000, 30), sized(2, 6_000, 10, { offer: { contractType: 'option' } })]
    const { choices } = decided(cheap)
    const waived = choices.find(({ requirement }) => requirement === 'contractType')
    expect(waived?.award.offers.map(({ number }) => number)).toEqual([2])
    expect(waived?.perTonneDifference).toBeCloseTo(-20, 9)
    expect(waived?.title).toContain('If “Contract type as asked for” is waived')
  })

  it('are at most eight efficient awards, the recommended one, the smallest and the largest among them, and four others', () => {
    const many = Array.from({ length: 40 }, (_, at) => sized(at + 1, 1_000 + 37 * at, 20 + (at % 11)))
    const { choices, recommendation } = decided(many)
    const efficient = choices.filter(({ kind }) => kind === 'efficient')
    expect(efficient.length).toBeLessThanOrEqual(9)
    expect(choices.length - efficient.length).toBeLessThanOrEqual(4)
    expect(efficient.filter(({ isRecommended }) => isRecommended)).toHaveLength(1)
    expect(recommendation.award).not.toBeNull()
  })

  it('show the four that cost least of what waived requirements would buy', () => {
    const review = { status: 'rejected', createdAt: '2026-03-05T10:00:00.000Z', updatedAt: '2026-03-05T10:00:00.000Z' }
    const lineOf = (of: Body) => [delivery({ vintages: [vintage({ volume: 6_000, unitPrice: 15 })], ...of })]
    const old = {
      vintages: [
        vintage({ volume: 6_000, unitPrice: 14, reportingPeriodStart: '2015-01-01', reportingPeriodEnd: '2015-12-31' }),
      ],
    }
    const { choices } = decided([
      sized(1, 6_000, 30),
      sized(2, 6_000, 11, { offer: { contractType: 'option' } }),
      sized(3, 6_000, 12, { offer: { expiryDate: '2026-03-01' } }),
      sized(4, 6_000, 13, { offer: { review } }),
      response(5, { offer: { scheduledDeliveries: lineOf(old) } }),
      response(6, { offer: { scheduledDeliveries: lineOf({ fulfilmentDueDate: '2027-02-01' }) } }),
    ])
    expect(choices.map(({ kind, requirement }) => [kind, requirement])).toEqual([
      ['efficient', null],
      ['waived', 'contractType'],
      ['waived', 'notExpired'],
      ['waived', 'reviewNotRejected'],
      ['waived', 'vintages'],
    ])
  })

  it('are one row where two offers are equal, and prefer the one submitted first', () => {
    const { choices } = decided([sized(1, 5_000, 30), sized(2, 5_000, 30)])
    expect(choices.map(({ award }) => award.offers.map(({ number }) => number))).toEqual([[1]])
  })
})

describe('a decision', () => {
  it('is the same for the same offers in any order, and plain JSON', () => {
    const offers = [sized(1, 3_000, 30), sized(2, 4_000, 25), sized(3, 2_500, 28), sized(4, 6_000, 55)]
    const decision = decided(offers)
    expect(decided([...offers].reverse())).toEqual(decision)
    expect(JSON.parse(JSON.stringify(decision))).toEqual(decision)
  })

  it('names offers with the same developer and project by their number', () => {
    const same = { projectDeveloperName: 'Katari', projectName: 'Peat' }
    const { headline } = decided([sized(1, 6_000, 30, same), sized(2, 6_000, 25, same)]).recommendation
    expect(headline).toContain('Award Katari · Peat (no. 2):')
  })

  it('ranks what competes by cost per tonne, and gives each other offer a reason', () => {
    const offers = [sized(1, 6_000, 30), sized(2, 6_000, 25), sized(3, 6_000, 50), sized(4, 6_000, 20, { status: 'x' })]
    const { offers: ordered } = compared(offers)
    expect(ordered.map(({ sequence, rank, standing }) => [sequence, rank, standing])).toEqual([
      [2, 1, 'ranked'],
      [1, 2, 'ranked'],
      [3, null, 'not-compliant'],
      [4, null, 'excluded'],
    ])
    expect(ordered.map(({ why }) => why === null)).toEqual([true, true, false, false])
  })
})

describe('what a reader must know first', () => {
  const banners = (rfq: Record<string, unknown>) =>
    decided([sized(1, 6_000, 30)], { rfq }).banners.map(({ code }) => code)

  it.each([
    ['a state that is neither open nor closed', { state: 'cancelled' }, 'rfq-not-open'],
    ['a closed RFQ', { state: 'closed' }, 'rfq-closed'],
  ])('has %s', (_, rfq, code) => {
    expect(banners(rfq)).toContain(code)
    expect(banners({})).not.toContain(code)
  })

  it.each<[string, Record<string, unknown>]>([
    ['pricing.maxUnitPrice', { pricing: { ...RFQ.pricing, maxUnitPrice: '20' } }],
    ['maxVintageYear', { maxVintageYear: '2026' }],
    ['fulfilmentDueDate', { fulfilmentDueDate: '31/12/2026' }],
    ['contractTypes', { contractTypes: 'forward' }],
  ])('has an unreadable %s, which no offer is known to meet', (place, rfq) => {
    const { banners: found, recommendation, excluded } = decided([sized(1, 6_000, 30)], { rfq })
    expect(found).toMatchObject([{ code: 'rfq-invalid', message: expect.stringContaining(`(${place})`) }])
    expect(recommendation.status).toBe('none')
    expect(recommendation.headline).toMatch(/^No award possible: not determinable: the .* of the RFQ cannot be read\.$/)
    expect(excluded[0]?.message).toMatch(/Not determinable: the .* of the RFQ cannot be read\./)
  })

  it('is that no award is recommended for a volume that cannot be read', () => {
    const { recommendation } = decided([sized(1, 6_000, 30)], { rfq: { maxVolume: '9000' }, settings: { volume: 100 } })
    expect(recommendation).toMatchObject({ status: 'no-volume', award: null })
    expect(recommendation.headline).toContain('the maxVolume that the RFQ states cannot be read')
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
    expect(decision.recommendation.award?.offers.map(({ number }) => number)).toEqual(award)
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

describe('an award in another currency', () => {
  it('is said with what is payable, too', () => {
    const euros = sized(1, 6_000, 10, { offer: { currency: 'EUR' } })
    const settings = { currency: 'USD', exchangeRates: { EUR: { rate: 1.25 } } } as const
    expect(decided([euros], { settings }).recommendation.headline).toContain(
      '6,000 t at 12.50 USD/t, 75,000 USD in total (60,000 EUR). Need',
    )
  })
})

describe('accepted offers in two currencies', () => {
  it('are each shown with their amounts, and with their tonnes', () => {
    const accepted = [sized(1, 3_000, 30, { status: 'accepted' }), sized(2, 2_500, 30, { status: 'accepted' })]
    const euros = { ...accepted[1], offer: { ...(accepted[1]?.offer as object), currency: 'EUR' } }
    const { recommendation, awardedTonnes } = decided([accepted[0] ?? {}, euros])
    expect(recommendation.headline).toContain(
      '3,000 t at 30.00 USD/t; 2,500 t at 30.00 EUR/t, which cannot be compared.',
    )
    expect(awardedTonnes).toEqual({ [offerId(1)]: 3_000, [offerId(2)]: 2_500 })
  })
})
