import { describe, expect, it } from 'vitest'
import { acceptedInBrief } from '../../../src/compare/decision/accepted-award.js'
import { recommendationLines } from '../../../src/compare/decision/recommendation-lines.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { comparisonInput, delivery, response, vintage } from '../../helpers/comparison-inputs.js'

type Body = Record<string, unknown>
const deliveries = (volume: number, unitPrice = 9) => ({
  scheduledDeliveries: [delivery({ vintages: [vintage({ volume, unitPrice })] })],
})
const accepted = (at: number, offer: Body) => response(at, { status: 'accepted', offer })
/** Its review is rejected, its vintage too new and its delivery too late. */
const failing = (currency: string) => ({
  currency,
  scheduledDeliveries: [
    delivery({
      fulfilmentDueDate: '2029-06-30',
      vintages: [
        vintage({
          volume: 12_000,
          unitPrice: 9,
          reportingPeriodStart: '2029-01-01',
          reportingPeriodEnd: '2029-12-31',
        }),
      ],
    }),
  ],
  review: { status: 'rejected', comment: 'Not additional.' },
})
const FAILURES = [
  'The review rejected the offer: "Not additional."',
  'The newest vintage, 2029, is after 2026, the latest year asked for.',
  'The last delivery, on 2029-06-30, is 912 days after the fulfilment due date, 2026-12-31.',
]
const UNMET = ['reviewNotRejected', 'vintages', 'fulfilmentDate', 'priceMax', 'priceMin']
const NO_RATE = 'The offer cannot be ranked because it is priced in EUR. No exchange rate into USD is configured.'
const PRICE_UNKNOWN = "Not determinable: the price cannot be converted into the RFQ's currency."

const compared = (responses: Body[], rfq: Body = {}) => compareOffers(comparisonInput({ responses, rfq }))
const decided = (responses: Body[], rfq: Body = {}) => compared(responses, rfq).decision

describe('an accepted offer that cannot be compared', () => {
  it('has the failures that it has in a currency that can be converted, and its high flags', () => {
    const dollars = decided([accepted(1, failing('USD'))])
    expect([dollars.accepted?.notMet, dollars.accepted?.flags]).toEqual([FAILURES, []])
    const euros = decided([accepted(1, failing('EUR'))])
    expect(euros.accepted?.award).toBeNull()
    expect(euros.accepted?.notMet).toEqual([...FAILURES, PRICE_UNKNOWN])
    expect(euros.accepted?.flags).toEqual([NO_RATE])
    expect(recommendationLines(euros).slice(2)).toEqual([
      `Not met: ${FAILURES.join(' ')} ${PRICE_UNKNOWN}`,
      `Check: ${NO_RATE}`,
    ])
    expect(euros.recommendation.conditions).toEqual(euros.accepted?.notMet)
    expect(euros.offers[0]?.unmet.map(({ name }) => name)).toEqual(UNMET)
  })

  it('keeps its failures and those of another accepted offer that can be compared', () => {
    const dollars = { ...failing('USD'), totalPrice: 1 }
    const { accepted: both } = decided([accepted(1, { ...deliveries(10_000), currency: 'EUR' }), accepted(2, dollars)])
    expect(both?.award).toBeNull()
    expect(both?.notMet).toEqual(expect.arrayContaining(FAILURES.map((words) => `Offer 2: ${words}`)))
    expect(both?.notMet).toContain(`Offer 1: ${PRICE_UNKNOWN}`)
    expect(both?.flags).toEqual([
      `Offer 1: ${NO_RATE}`,
      'Offer 2: The stated total is 1 USD, but the delivery lines add up to 108,000 USD.',
    ])
  })

  it('names the one whose failure is known before those of which it cannot be determined', () => {
    const unknown = accepted(1, { ...deliveries(3000), currency: 'GBP' })
    const dear = accepted(2, deliveries(4000, 20))
    const { accepted: both } = decided([unknown, dear], { pricing: { currency: 'USD', maxUnitPrice: 12 } })
    const ofPrice = both?.notMet.filter((words) => words.includes('12'))
    expect(ofPrice).toEqual([expect.stringMatching(/^Offer 2: .* It cannot be determined for 1 other offer\.$/)])
  })

  it('has every high flag: pre-payment in full, a volume below the minimum, no exchange rate', () => {
    const prePayments = [{ amount: 36_000, paymentDueDate: '2026-04-15' }]
    const flags = [
      'The volume, 4,000 t, is below the minimum of the RFQ, 10,000 t.',
      NO_RATE,
      'Pre-payments are the whole total, 36,000 EUR.',
    ]
    const { accepted: small } = decided([accepted(1, { ...deliveries(4_000), currency: 'EUR', prePayments })])
    expect(small?.flags).toEqual(flags)
  })

  it('exceeds the maximum of the RFQ together with others, whatever their currency', () => {
    const tooMuch = [accepted(1, { ...deliveries(30_000), currency: 'EUR' }), accepted(2, deliveries(30_000))]
    const words = "The award of 60,000 t is 10,000 t above the RFQ's maximum of 50,000 t."
    expect(decided(tooMuch).accepted?.notMet).toContain(words)
  })

  it.each([
    [
      { totalVolume: null, totalPrice: 100 },
      'Neither the delivery lines nor the stated volume gives a volume above 0.',
    ],
    [{ totalVolume: 12_000, totalPrice: 100, currency: null }, 'The offer states no currency.'],
  ])('has the flag of what it lacks, and does not repeat that its price is unknown: %o', (terms, flag) => {
    const { accepted: one } = decided([accepted(1, { scheduledDeliveries: [], ...terms, contractType: 'option' })])
    expect(one?.flags).toContain(flag)
    expect(one?.notMet).toContain('The contract type, option, is not among those asked for: spot, forward.')
    expect(one?.notMet.join()).not.toContain('the price')
  })

  it('covers the wanted volume by the volume it states, although it states no price', () => {
    const offer = { scheduledDeliveries: [], totalVolume: 12_000, totalPrice: null }
    const report = compared([accepted(1, offer)])
    expect(report.decision.accepted?.headline).toBe(
      'Accepted: Developer 1 · Project 1 (offer 1): 12,000 t, which cannot be compared: it states no price above 0. It covers 100 % of the wanted 10,000 t.',
    )
    expect(report.decision.accepted?.missingTonnes).toBe(0)
    expect(acceptedInBrief(report.offers)).toMatchObject({ tonnes: 12_000, pricePerTonne: null })
  })
})

describe('the flag volume-below-min of accepted offers', () => {
  it('is said while they are below the minimum together, and not once they reach it', () => {
    const words = 'Offers 1 and 2: The volume, 4,000 t, is below the minimum of the RFQ, 10,000 t.'
    const two = [1, 2].map((at) => accepted(at, deliveries(4_000)))
    expect(decided(two).accepted?.flags).toEqual([words])
    const three = [1, 2, 3].map((at) => accepted(at, deliveries(4_000)))
    expect(decided(three).accepted?.flags).toEqual([])
  })

  it('needs no price', () => {
    const unpriced = { scheduledDeliveries: [], totalVolume: 4_000, totalPrice: null }
    const words = 'The volume, 4,000 t, is below the minimum of the RFQ, 10,000 t.'
    expect(decided([accepted(1, unpriced)]).accepted?.flags).toContain(words)
    expect(decided([1, 2, 3].map((at) => accepted(at, unpriced))).accepted?.flags.join()).not.toContain('4,000 t')
  })
})

describe('several accepted offers of which not all can be compared', () => {
  const euros = { ...deliveries(6_000), currency: 'EUR' }
  const noVolume = { scheduledDeliveries: [], totalVolume: null, totalPrice: 100 }
  const COVERED = 'It covers 100 % of the wanted 10,000 t.'
  const AT_LEAST = 'It covers at least 40 % of the wanted 10,000 t: at most 6,000 t are missing.'
  const LACKS_VOLUME = 'offer 1 cannot be compared: it states no volume above 0.'
  const cases: [name: string, offers: Body[], words: string, missing: number | null, rfq?: Body][] = [
    [
      'two currencies',
      [euros, deliveries(6_000, 8)],
      `: 12,000 t, 54,000 EUR and 48,000 USD in total; EUR cannot be converted into USD. ${COVERED}`,
      0,
    ],
    [
      'one currency that cannot be converted',
      [euros, { ...deliveries(3_000), currency: 'EUR' }],
      ': 9,000 t at 9.00 EUR/t, 81,000 EUR in total, which cannot be converted into USD. It covers 90 % of the wanted 10,000 t: 1,000 t are missing.',
      1_000,
    ],
    [
      'two currencies that cannot be converted, and a price that is missing',
      [
        euros,
        { ...deliveries(3_000), currency: 'CHF' },
        { scheduledDeliveries: [], totalVolume: 1_000, totalPrice: null },
      ],
      `: 10,000 t, at least 54,000 EUR and 27,000 CHF in total; CHF and EUR cannot be converted into USD; offer 3 cannot be compared: it states no price above 0. ${COVERED}`,
      0,
    ],
    [
      'one without a volume',
      [noVolume, deliveries(4_000)],
      `: at least 4,000 t, 36,100 USD in total; ${LACKS_VOLUME} ${AT_LEAST}`,
      null,
    ],
    [
      'one without a volume, beside one that suffices',
      [noVolume, deliveries(10_000)],
      `: at least 10,000 t, 90,100 USD in total; ${LACKS_VOLUME} ${COVERED}`,
      0,
    ],
    [
      'none with a volume',
      [noVolume, noVolume],
      ': 200 USD in total; offers 1 and 2 cannot be compared: each states no volume above 0.',
      null,
    ],
    [
      'one without a currency',
      [{ ...deliveries(6_000), currency: null }, deliveries(6_000)],
      `: 12,000 t, at least 54,000 USD in total; offer 1 cannot be compared: it states no currency. ${COVERED}`,
      0,
    ],
    [
      'no currency to compare in',
      [euros, deliveries(6_000)],
      `: 12,000 t, 54,000 EUR and 54,000 USD in total; EUR and USD cannot be converted into one currency. ${COVERED}`,
      0,
      { pricing: { minUnitPrice: 5, maxUnitPrice: 15, currency: null } },
    ],
    [
      'an RFQ without a volume',
      [euros, deliveries(6_000)],
      ': 12,000 t, 54,000 EUR and 54,000 USD in total; EUR cannot be converted into USD.',
      null,
      { minVolume: null, maxVolume: null },
    ],
  ]

  it.each(cases)(
    'say what is known, why they are not compared, and what is covered: %s',
    (_, offers, words, missing, rfq) => {
      const { accepted: award } = decided(
        offers.map((offer, at) => accepted(at + 1, offer)),
        rfq,
      )
      expect(award?.headline.replace(/^Accepted: .*?\(offer \d\)(?=[:;])/, '')).toBe(words)
      expect(award?.missingTonnes).toBe(missing)
    },
  )

  it('names an unreadable offer, and no more than three reasons', () => {
    const unreadable = [response(1, { status: 'accepted', offer: null }), accepted(2, deliveries(4_000))]
    expect(decided(unreadable).accepted?.headline).toContain(
      '; offer 1 cannot be compared: the response contains no readable offer. It covers at least 40 %',
    )
    const texts = ['US dollars', 'euros', 'Swiss francs', 'pounds'].map((currency, at) =>
      accepted(at + 1, { ...deliveries(6_000), currency }),
    )
    expect(decided(texts).accepted?.headline).toMatch(
      /offer 3 cannot be compared: "Swiss francs" is not a currency code; others cannot be compared either\. It covers 100 %/,
    )
  })
})
