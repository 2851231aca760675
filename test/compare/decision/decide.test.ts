import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Decision } from '../../../src/compare/decision/decision-model.js'
import { recommendationLines } from '../../../src/compare/decision/recommendation-lines.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { AWARD_RULES, DEFAULT_SETTINGS, type RequirementLevels } from '../../../src/core/settings.js'
import {
  type ComparisonOverrides,
  comparisonInput,
  delivery,
  EURO_SETTINGS,
  listing,
  offerId,
  response,
  sampleResponses,
  storedDocument,
  summaryOf,
  vintage,
} from '../../helpers/comparison-inputs.js'
import { shareOf } from '../../helpers/long-tests.js'
import { bestSet, type Case, decisionOf, figuresOf, hardOf, type InventedOffer, randomCase } from './decision-cases.js'

const levels = (of: Partial<RequirementLevels> = {}): RequirementLevels => ({ ...DEFAULT_SETTINGS.requirements, ...of })
const offer = (volume: number, cents: number, fails: string[] = [], developer = 'a'): InventedOffer => ({
  volume,
  cents,
  currency: 'USD',
  developer,
  fails: new Set(fails) as InventedOffer['fails'],
})
const BASE: Case = { offers: [], min: 100, max: 150, maxCents: 1_500, minCents: 500, levels: levels() }
const decide = (of: Partial<Case>, settings = {}) => decisionOf({ ...BASE, ...of }, settings)
const decided = (scene: ComparisonOverrides): Decision => compareOffers(comparisonInput(scene)).decision
const awarded = ({ recommendation }: Decision) => recommendation.award?.offers.map(({ sequence }) => sequence)

describe('the recommendation', () => {
  it('is the cheapest award that meets the hard requirements, with reasons and the distance to the runner-up', () => {
    const decision = decide({ offers: [offer(120, 1_000), offer(110, 1_200), offer(100, 900, ['contractType'])] })
    expect(awarded(decision)).toEqual([1])
    expect(decision.recommendation).toMatchObject({
      status: 'award',
      headline: 'Award a · Project 1 (offer 1): 120 t at 10.00 USD/t, 1,200 USD in total.',
      runnerUp: { without: offerId(1), costDifference: 120 },
      award: { excessTonnes: 20, excessCost: 200, compliant: true, coverage: 1 },
    })
    expect(decision.recommendation.reasons.join(' ')).toContain(
      "Covers 100 % of the wanted 100 t (the RFQ's minimum) and 20 t more, which cost 200 USD, because offers are taken whole.",
    )
    expect(decision.recommendation.reasons.join(' ')).toContain(
      'The runner-up, a · Project 2 (offer 2), costs 120 USD more (+10 %) for 10 t less (12.00 USD/t)',
    )
  })

  it('states in words, with numbers, what the award does not meet', () => {
    const { recommendation } = decide({ offers: [offer(120, 400, ['reviewAccepted', 'submittedOnTime'])] })
    expect(recommendation.conditions).toEqual([
      // Late submission is a high flag too.
      'Submitted late: on 2026-03-22, after the response due date, 2026-03-20.',
      'The offer has not been reviewed yet.',
      "The price, 4.00 USD/t, is 20 % below the RFQ's minimum of 5.00 USD/t: unusually cheap.",
      'The offer expires in 106 days, on 2026-06-30.',
    ])
  })

  it('names the closest award and what would have to be waived if none satisfies the hard requirements', () => {
    const decision = decide({
      offers: [
        ...[offer(120, 1_000, ['contractType', 'vintages']), offer(120, 1_800), offer(90, 600, ['contractType'])],
        // Neither can be accepted any more, whatever is waived.
        ...[offer(120, 500, ['status']), offer(120, 500, ['notExpired'])],
      ],
    })
    expect(decision.recommendation).toMatchObject({
      status: 'none',
      headline: 'No award satisfies the hard requirements.',
      award: null,
      closest: {
        waived: [{ name: 'priceMax', title: 'Price at most the maximum' }],
        words:
          'Closest: a · Project 2 (offer 2), 120 t at 18.00 USD/t, 2,160 USD in total; “Price at most the maximum” would have to be waived.',
      },
    })
    expect(decision.recommendation.reasons).toEqual([
      'No offer meets every hard requirement.',
      'Not met: “Status not rejected or withdrawn” by 1 of 5, “Offer not expired” by 1 of 5, “Contract type as asked for” by 2 of 5, “Vintages within the range” by 1 of 5, “Price at most the maximum” by 1 of 5.',
    ])
    expect(decision.recommendation.changes).toEqual([
      decision.recommendation.closest?.words,
      'Waiving “Contract type as asked for” alone: a · Project 3 (offer 3), 90 t at 6.00 USD/t, 540 USD in total, which covers 90 % of the wanted volume.',
    ])
    expect(decision.scenarios.find(({ scenario }) => scenario === 'recommended')?.award).toBeNull()
  })

  it('awards all that is eligible if that does not reach the wanted volume, and says which waiver would', () => {
    const decision = decide({ offers: [offer(60, 1_000), offer(50, 1_800)] })
    expect(awarded(decision)).toEqual([1])
    expect(decision.recommendation).toMatchObject({ status: 'partial', award: { coverage: 0.6, reached: false } })
    expect(decision.recommendation.reasons[0]).toMatch(
      /do not reach the wanted 100 t: 40 t are missing\. Closest: .*waived/,
    )
  })

  it('keeps the award within the maximum volume of the RFQ, while that is hard', () => {
    const offers = [offer(160, 100), offer(90, 1_000), offer(20, 1_400)]
    expect(awarded(decide({ offers }))).toEqual([2, 3])
    expect(awarded(decide({ offers, levels: levels({ volumeMax: 'advisory' }) }))).toEqual([1])
    const atMaximum = decide({ offers: offers.slice(1) }, { wantedVolume: 'max' }).recommendation
    expect(atMaximum).toMatchObject({ status: 'partial', award: { tonnes: 110 } })
    const tooSmall = decide({ offers: [offer(90, 1_000), offer(80, 1_000)] }, { wantedVolume: 'max' }).recommendation
    expect(tooSmall.reasons[0]).toMatch(
      /^No set of eligible whole offers has exactly the wanted 150 t, .* this is the largest below\. Closest: /,
    )
    const { recommendation } = decide({ offers, levels: levels({ volumeMax: 'advisory' }) })
    expect(recommendation.conditions).toContain("The award of 160 t is 10 t above the RFQ's maximum of 150 t.")
  })

  it('says that there are no offers, or that none can be compared', () => {
    const empty = decide({})
    expect(empty.recommendation).toMatchObject({ status: 'no-offers', headline: 'The RFQ has no offers.' })
    expect(empty.savings).toBeNull()
    const rfq = { responses: [{ id: 'a' }] }
    const unread = decided({ rfq, rfqStored: { shape: 'list' }, responses: [] }).recommendation
    expect(unread).toMatchObject({ status: 'no-offers', headline: 'The RFQ has 1 offer, not read yet.' })
    expect(empty.switches.entries.every(({ award }) => award === null)).toBe(true)
    const euro = decided({ responses: [response(1, { offer: { currency: 'EUR' } })] })
    expect(euro.recommendation.status).toBe('no-offers')
    expect(euro.recommendation.reasons[0]).toContain('No exchange rate into USD is configured')
  })

  it('compares across currencies with a configured rate, and names offers without one', () => {
    const responses = sampleResponses()
    const without = decided({ responses })
    expect(without.recommendation.reasons.join(' ')).toContain(
      '(offer 3) is not considered. The offer is priced in EUR.',
    )
    const converted = decided({ responses, settings: EURO_SETTINGS })
    const euro = converted.negotiation.offers.find(({ ownCurrency }) => ownCurrency === 'EUR')
    const { pricePerTonne, ownPricePerTonne } = euro?.enterAward ?? {}
    expect(ownPricePerTonne).toBeCloseTo((pricePerTonne ?? 0) / 1.1, 9)
    expect(euro?.enterAward.words).toContain('EUR/t')
  })

  it('has no target if the RFQ states no volume', () => {
    const { recommendation, scenarios } = decided({ rfq: { minVolume: null, maxVolume: null } })
    expect(recommendation).toMatchObject({ status: 'no-target', award: null })
    expect(scenarios).toEqual([])
  })

  it('is preceded by what makes it moot: the RFQ is closed or overdue, or an offer is accepted', () => {
    const codes = (scene: ComparisonOverrides) => decided(scene).banners.map(({ code }) => code)
    expect(codes({})).toEqual([])
    expect(codes({ rfq: { state: 'closed', closedAt: '2026-03-15T00:00:00.000Z' } })).toEqual(['rfq-closed'])
    expect(codes({ rfq: { responseDueDate: '2026-03-10' } })).toEqual(['rfq-overdue'])
    const accepted = decided({ responses: [response(1, { status: 'accepted' })] })
    expect(accepted.banners[0]?.words).toBe('An offer has already been accepted: Developer 1 · Project 1 (offer 1).')
    const overdue = decided({ rfq: { responseDueDate: '2026-03-10' } })
    expect(recommendationLines(overdue)[0]).toContain(overdue.banners[0]?.words)
  })

  it('leads with the accepted award, says how it compares with that of the rule, and recommends no other', () => {
    const priced = (at: number, unitPrice: number, status: string) =>
      response(at, { status, offer: { scheduledDeliveries: [delivery({ vintages: [vintage({ unitPrice })] })] } })
    const dearer = decided({ responses: [priced(1, 11, 'submitted'), priced(2, 14, 'accepted')] })
    expect(recommendationLines(dearer)).toEqual([
      'Accepted: Developer 2 · Project 2 (offer 2): 10,000 t at 14.00 USD/t, 140,000 USD in total. It covers 100 % of the wanted 10,000 t.',
      'Compared: It costs 30,000 USD more (+27.3 %) than what the rule “Cheapest compliant” chooses: Developer 1 · Project 1 (offer 1), 10,000 t at 11.00 USD/t, 110,000 USD in total.',
      expect.stringMatching(/^Not met: /),
    ])
    expect(dearer.accepted).toMatchObject({ isRecommended: false, costDifference: 30_000, award: { tonnes: 10_000 } })
    expect(dearer.recommendation).toMatchObject({ awards: [], changes: [], questions: [], award: { total: 110_000 } })
    const same = decided({ responses: [priced(1, 11, 'accepted'), priced(2, 14, 'submitted')] })
    expect(recommendationLines(same)[1]).toBe('Compared: It is what the rule “Cheapest compliant” chooses.')
    const equal = decided({ responses: [priced(1, 14, 'submitted'), priced(2, 14, 'accepted')] })
    expect(recommendationLines(equal)[1]).toMatch(
      /^Compared: It costs the same as what the rule “Cheapest compliant” chooses: Developer 1/,
    )
    const unrated = decided({ responses: [response(1, { status: 'accepted', offer: { currency: 'EUR' } })] })
    expect(recommendationLines(unrated)[0]).toMatch(
      /^Accepted: Developer 1 · Project 1 \(offer 1\): [\d,]+ t at [\d.]+ EUR\/t, [\d,]+ EUR in total, which cannot be converted into USD\. It covers 100 % of the wanted 10,000 t\.$/,
    )
    const none = decided({ responses: [priced(1, 99, 'accepted'), priced(2, 1, 'rejected')] })
    expect(recommendationLines(none).join(' ')).not.toMatch(/Award |offer 2/)
  })

  it('warns of a close decision', () => {
    const { recommendation } = decide({ offers: [offer(100, 1_000), offer(150, 670)] })
    expect(recommendation.conditions.at(-1)).toMatch(
      /^A close decision: the runner-up costs only 0\.5 % more in total, and .*costs less per tonne: 6\.70 USD\/t\.$/,
    )
  })

  it('groups the conditions of many awarded offers by requirement', () => {
    const offers = [1, 2, 3, 4].map((at) => offer(25, 600 + at, ['reviewAccepted']))
    const { recommendation } = decide({ offers })
    expect(recommendation.conditions).toEqual([
      'Offer 1: The offer has not been reviewed yet. The same requirement fails for 3 other offers.',
      'First to expire, offer 1: The offer expires in 106 days, on 2026-06-30.',
    ])
  })

  it('names the cheapest compliant award if offers by rank do not fit within the maximum', () => {
    const offers = [offer(140, 1_400), offer(90, 600), offer(80, 601)]
    const weights = { price: 100, coverage: 0, delivery: 0, promptness: 0, vintage: 0, payment: 0, evidence: 0 }
    const scene = { min: 125, max: 145, offers }
    const { recommendation } = decide(scene, { awardRule: 'best-score-compliant', weights })
    expect(recommendation.status).toBe('partial')
    expect(recommendation.reasons[0]).toBe(
      "Taking offers by rank does not reach the wanted 125 t within the RFQ's maximum of 145 t. Closest: a · Project 1 (offer 1), 140 t at 14.00 USD/t, 1,960 USD in total; the rule “Cheapest compliant” chooses it.",
    )
  })

  it('is printed in three lines, at most', () => {
    const lines = recommendationLines(decide({ offers: [offer(120, 1_000), offer(110, 1_200)] }))
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['Recommendation:', 'Why:', 'Check:'])
    expect(lines[2]).toContain('It stays in the award up to 11.00 USD/t (+10 %).')
    expect(recommendationLines(decide({}))).toEqual(['Recommendation: The RFQ has no offers.'])
  })
})

describe('requirements', () => {
  it('never count an offer with a rejected review as compliant, whatever its level', () => {
    const offers = [offer(120, 600, ['reviewNotRejected']), offer(120, 1_000)]
    expect(awarded(decide({ offers }))).toEqual([2])
    for (const level of ['advisory', 'off'] as const) {
      const decision = decide({ offers, levels: levels({ reviewNotRejected: level }) })
      expect(awarded(decision)).toEqual([1])
      expect(decision.recommendation.award?.compliant).toBe(false)
      expect(decision.recommendation.award?.unmet).toMatchObject([{ name: 'reviewNotRejected', level }])
      expect(decision.recommendation.conditions[0]).toBe(
        'Waived by the settings: The review rejected the offer: "As found."',
      )
      const only = decision.scenarios.find(({ scenario }) => scenario === 'only-compliant')
      expect(only?.award?.offers.map(({ sequence }) => sequence)).toEqual([2])
      expect(decision.offers.map(({ eligible, compliant }) => [eligible, compliant])).toContainEqual([true, false])
    }
    const { offers: reported } = compareOffers(
      comparisonInput({ responses: [response(1, { offer: { review: { status: 'rejected' } } })] }),
    )
    expect(reported[0]?.meetsRequirements).toBe(false)
  })

  it('that cannot be evaluated count as not met, and say so', () => {
    const undated = response(1, { offer: { scheduledDeliveries: [delivery({ fulfilmentDueDate: null })] } })
    const summary = storedDocument(summaryOf(response(2)), { shape: 'summary' })
    const { offers } = decided({ responses: [undated, summary] })
    expect(offers[0]?.why).toBe('Not determinable: not every delivery has a date.')
    expect(offers[1]?.why).toContain('Not determinable: only the summary of the offer was read so far.')
    expect(offers.map(({ compliant }) => compliant)).toEqual([false, false])
  })

  it('cover rejected, withdrawn and expired offers, which a person may admit', () => {
    const gone = storedDocument(response(2), { missingSince: '2026-03-12T00:00:00.000Z' })
    const responses = [response(1, { status: 'rejected' }), gone, response(3, { offer: { expiryDate: '2026-03-10' } })]
    const { offers, recommendation } = decided({ responses })
    expect(offers.map(({ why }) => why)).toEqual([
      'The offer has been rejected.',
      'The offer has not been visible on the marketplace since 2026-03-12.',
      'The offer expired on 2026-03-10, 6 days ago.',
    ])
    expect(recommendation.status).toBe('none')
    const admitted = decided({ responses, settings: { requirements: { notExpired: 'off' } } })
    expect(awarded(admitted)).toEqual([3])
    expect(admitted.recommendation.award?.score).toBeNull()
  })

  it('cost what the award costs more than without them', () => {
    const { requirementCosts } = decide({ offers: [offer(120, 1_000), offer(110, 700, ['vintages']), offer(160, 400)] })
    expect(requirementCosts.map(({ name, cost }) => [name, Math.round(cost ?? 0)])).toEqual(
      [
        ['vintages', 430],
        ['priceMin', 0],
        ['volumeMax', 560],
      ].filter(([name]) => name !== 'priceMin'),
    )
    expect(requirementCosts[0]?.words).toBe(
      '“Vintages within the range” costs 430 USD: without it, a · Project 2 (offer 2) for 770 USD (−35.8 %).',
    )
  })
})

describe('rules', () => {
  it('choose differently: by total, by score, or regardless of requirements', () => {
    const offers = [offer(120, 1_000, ['reviewAccepted']), offer(100, 1_190), offer(130, 300, ['contractType'])]
    const { byRule } = decide({ offers })
    const chosen = AWARD_RULES.map((rule) => byRule[rule]?.offers.map(({ sequence }) => sequence))
    expect(chosen[0]).toEqual([2])
    expect(chosen[2]).toEqual([3])
    for (const rule of AWARD_RULES) {
      const decision = decide({ offers }, { awardRule: rule })
      expect(decision.recommendation.award).toEqual(byRule[rule])
      expect(decision.recommendation.reasons[0]?.toLowerCase()).toContain(rule.replaceAll('-', ' '))
    }
  })

  it('by score take whole offers by rank, skip one that exceeds the maximum, and follow the weights', () => {
    const offers = [offer(140, 1_100), offer(60, 1_000), offer(50, 1_150)]
    const byScore = (settings: object) => decide({ offers }, { awardRule: 'best-score-compliant', ...settings })
    const coverage = byScore({
      weights: { price: 0, coverage: 100, delivery: 0, promptness: 0, vintage: 0, payment: 0, evidence: 0 },
    })
    expect(awarded(coverage)).toEqual([1])
    const price = byScore({
      weights: { price: 100, coverage: 0, delivery: 0, promptness: 0, vintage: 0, payment: 0, evidence: 0 },
    })
    expect(awarded(price)).toEqual([2, 3])
    expect(price.recommendation.dependsOnScores).toBe(true)
    const mixed = byScore({
      weights: { price: 60, coverage: 15, delivery: 0, promptness: 0, vintage: 0, payment: 0, evidence: 0 },
    })
    expect(mixed.recommendation.firstWeight?.words).toMatch(/^Weight of (price|coverage) [+−](10|20): /)
  })
})

describe('scenarios, savings and negotiation', () => {
  const offers = [
    offer(60, 1_000, [], 'a'),
    offer(50, 1_100, [], 'b'),
    offer(120, 1_200, [], 'c'),
    offer(100, 500, ['status']),
  ]

  it('list the cost of each constraint, and what would have to be waived', () => {
    const { scenarios } = decide({ offers })
    const costs = Object.fromEntries(
      scenarios.map(({ scenario, award, constraint }) => [scenario, [award?.total, constraint?.cost]]),
    )
    expect(costs).toMatchObject({
      recommended: [1_150, 650],
      'cheapest-single': [1_440, 290],
      'cheapest-combination': [1_150, expect.closeTo(110, 6)],
      'only-compliant': [1_150, 0],
      'cheapest-regardless': [500, undefined],
    })
    expect(scenarios.at(-1)).toMatchObject({
      waived: ['Status not rejected or withdrawn (offer 4)'],
      difference: -650,
    })
  })

  it('count savings on the wanted tonnes, and what exceeds them as a cost', () => {
    const { savings } = decide({ offers: [offer(150, 1_000)] })
    expect(savings).toMatchObject({ tonnes: 100, cost: 1_000, excessTonnes: 50, excessCost: 500 })
    const [budget, median, next] = savings?.baselines ?? []
    expect(budget).toMatchObject({ cost: 1_500, saving: 500, savingAfterExcess: 0 })
    expect(median).toMatchObject({ saving: 0, savingAfterExcess: -500 })
    expect(next).toMatchObject({ pricePerTonne: null, saving: null })
  })

  it('compare with the runner-up by the difference of the two totals', () => {
    const { savings, recommendation } = decide({ offers: [offer(120, 1_000), offer(140, 900)] })
    const next = savings?.baselines.find(({ baseline }) => baseline === 'next-best')
    expect(next?.savingAfterExcess).toBeCloseTo(recommendation.runnerUp?.costDifference ?? 0, 6)
  })

  it('ask for terms within the limits, and a question for each open point', () => {
    const late = response(1, {
      offer: {
        expiryDate: '2026-03-20',
        scheduledDeliveries: [
          delivery({ fulfilmentDueDate: '2027-01-10', vintages: [vintage({ volume: 30_000, unitPrice: 16 })] }),
        ],
        prePayments: [{ amount: 240_000, paymentDueDate: '2026-04-01' }],
      },
    })
    const { negotiation } = decided({
      responses: [late],
      listings: [listing(1, { registryId: null, certificationLabels: [] })],
    })
    const [first] = negotiation.offers
    expect(first?.terms.map(({ words }) => words)).toEqual([
      'Ask for delivery by 2026-12-31: 10 days earlier than offered.',
      'Ask for pre-payments of at most 30 % of the total, instead of 50 %: 96,000 USD less before delivery.',
      "Ask for a price of at most 15.00 USD/t, the RFQ's maximum, instead of 16.00 USD/t.",
      'Ask to buy only the wanted 10,000 t of the 30,000 t at the same price per tonne.',
      'Ask to extend the offer, which expires in 4 days, on 2026-03-20.',
    ])
    expect(first?.questions).toContain(
      "Please state the project's registry ID and certification labels: the listing does not.",
    )
    expect(first?.enterAward.words).toBe('No price suffices; it does not meet: Delivered by the fulfilment due date.')
    expect(negotiation.additionalRequirements).toBe('No double claiming.')
  })

  it('mark criteria on which all offers score the same, and rank without them', () => {
    const { criteria } = decide({ offers: [offer(120, 1_000), offer(120, 1_200)] })
    const same = criteria.criteria
      .filter(({ distinguishes }) => distinguishes === false)
      .map(({ criterion }) => criterion)
    expect(same).toEqual(['coverage', 'delivery', 'promptness', 'vintage', 'payment', 'evidence'])
    expect(criteria.ranking?.map(({ rank, total }) => [rank, Math.round(total)])).toEqual([
      [1, 100],
      [2, 83],
    ])
    expect(decide({ offers: [offer(120, 1_000)] }).criteria).toMatchObject({ ranking: null })
  })
})

describe('a decision', () => {
  it('is the same for the same offers in any order, and plain JSON', () => {
    fc.assert(
      fc.property(randomCase({ maxOffers: 5 }), (of) => {
        const input = comparisonInput({ responses: sampleResponses(), settings: { requirements: of.levels } })
        const reversed = { ...input, responses: [...input.responses].reverse() }
        const decision = compareOffers(input).decision
        expect(compareOffers(reversed).decision).toEqual(decision)
        expect(JSON.parse(JSON.stringify(decision))).toStrictEqual(decision)
      }),
      { numRuns: shareOf(3) },
    )
  })

  it('is the cheapest of all sets of random offers (more runs in decide.integration.test.ts)', () => {
    fc.assert(
      fc.property(randomCase({ maxOffers: 5 }), (of) => {
        const best = bestSet(of, hardOf(of.levels), of.min)
        expect(figuresOf(decisionOf(of).recommendation.award)).toEqual({ reached: best.reached, cents: best.cents })
      }),
      { numRuns: shareOf(12) },
    )
  })

  it('solves what it can ahead, and has a command for the rest', () => {
    const fails = [
      'reviewNotRejected',
      'status',
      'notExpired',
      'contractType',
      'vintages',
      'fulfilmentDate',
      'listing',
      'submittedOnTime',
      'reviewAccepted',
    ]
    const many = fails.map((name, at) => offer(40 + at, 1_000 + at, [name]))
    const { switches } = decide({ offers: [...many, offer(30, 1_600), offer(30, 400)] })
    expect(switches.complete).toBe(false)
    expect(switches.entries.length).toBeLessThanOrEqual(1_536)
    expect(switches.entries[0]?.key).toBe(switches.currentKey)
    expect(switches.command).toBe('quotekeeper report 4711 --channel acme/forest --as-of 2026-03-16T12:00:00.000Z')
    const key = new RegExp(`^[01]{${switches.names.length}}\\|(min|mid|max)$`)
    expect(switches.entries.every((entry) => key.test(entry.key))).toBe(true)
  })
})
