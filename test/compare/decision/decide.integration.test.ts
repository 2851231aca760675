import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsLongTests } from '../../helpers/long-tests.js'
import {
  bestSet,
  type Case,
  closestSet,
  decisionOf,
  figuresOf,
  hardOf,
  offerId,
  RATES,
  randomCase,
  reportOf,
  violations,
} from './decision-cases.js'

const RUNS = runsLongTests ? 120 : 6
const CASES = randomCase({ maxOffers: 7 })
const offerIndex = (of: Case, id: string) => of.offers.findIndex((_offer, at) => offerId(at + 1) === id)
const cents = (amount: number) => Math.round(amount * 100)

describe('the decision on random offers, compared with every set of them', () => {
  it('awards the cheapest set that satisfies the hard requirements, or the most tonnes', () => {
    fc.assert(
      fc.property(CASES, (of) => {
        const { recommendation, byRule } = decisionOf(of)
        const best = bestSet(of, hardOf(of.levels), of.min)
        expect(figuresOf(recommendation.award)).toEqual({ reached: best.reached, cents: best.cents })
        expect(recommendation.award?.tonnes ?? 0).toBeGreaterThanOrEqual(best.reached ? of.min : best.tonnes)
        expect(recommendation.status).toBe(best.reached ? 'award' : best.members.length > 0 ? 'partial' : 'none')
        const regardless = bestSet({ ...of, max: null }, new Set(), of.min)
        expect(figuresOf(byRule['cheapest-regardless'])).toEqual({
          reached: regardless.reached,
          cents: regardless.cents,
        })
      }),
      { numRuns: RUNS },
    )
  })

  it('names the award that comes closest, and exactly the requirements to waive for it', () => {
    fc.assert(
      fc.property(CASES, (of) => {
        const { recommendation } = decisionOf(of)
        const hard = hardOf(of.levels)
        const closest = closestSet(of, hard, of.min)
        if (recommendation.award?.reached || closest === null) return
        expect(recommendation.closest?.waived).toHaveLength(closest.waived)
        expect(figuresOf(recommendation.closest?.award ?? null)).toEqual({ reached: true, cents: closest.cents })
        const awarded = new Set(recommendation.closest?.award.offers.map(({ offerId: id }) => id))
        const members = of.offers.flatMap((_offer, at) => (awarded.has(offerId(at + 1)) ? [at] : []))
        const tonnes = recommendation.closest?.award.tonnes ?? 0
        const violated = violations(of, { members, tonnes, cents: 0 }, hard)
        expect(new Set(recommendation.closest?.waived.map(({ name }) => name))).toEqual(violated)
      }),
      { numRuns: RUNS },
    )
  })

  it('solves every combination of up to eight switches and all volumes ahead', () => {
    fc.assert(
      fc.property(CASES, (of) => {
        const { switches } = decisionOf(of)
        expect(switches.complete).toBe(switches.entries.length === switches.combinations)
        if (switches.names.length < 9) expect(switches.complete).toBe(true)
        expect(switches.entries[0]?.key).toBe(switches.currentKey)
        expect(new Set(switches.entries.map(({ key }) => key)).size).toBe(switches.entries.length)
        for (const { key, award, closest, waived, basis } of switches.entries) {
          const digits = key.split('|')[0] ?? ''
          const hard = new Set(switches.names.filter((_name, at) => digits[at] === '1'))
          const max = of.max ?? of.min
          const wanted = { min: of.min, mid: (of.min + max) / 2, max }[basis]
          const best = bestSet(of, hard, wanted)
          const solved = award === null ? null : switches.awards[award]
          expect({ reached: solved?.reached ?? false, cents: cents(solved?.total ?? 0) }).toEqual({
            reached: best.reached,
            cents: best.cents,
          })
          const nearest = best.reached ? null : closestSet(of, hard, wanted)
          if (nearest === null) continue
          expect(cents(switches.awards[closest ?? -1]?.total ?? 0)).toBe(nearest.cents)
          expect(waived).toHaveLength(nearest.waived)
        }
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    )
  })

  it('solves the award without each awarded offer ahead, so that break-even prices follow every switch', () => {
    fc.assert(
      fc.property(CASES, (of) => {
        const { switches, offers } = decisionOf(of)
        const indexOf = new Map(offers.map(({ offerId: id, sequence }) => [sequence, offerIndex(of, id)]))
        for (const { key, award, basis, alternatives } of switches.entries) {
          const digits = key.split('|')[0] ?? ''
          const hard = new Set(switches.names.filter((_name, at) => digits[at] === '1'))
          const max = of.max ?? of.min
          const wanted = { min: of.min, mid: (of.min + max) / 2, max }[basis]
          const { sequences, reached } = switches.awards[award ?? -1] ?? { sequences: [], reached: false }
          if (switches.complete) expect(alternatives).toHaveLength(reached ? sequences.length : 0)
          for (const [at, alternative] of (alternatives ?? []).entries()) {
            const gone = indexOf.get(sequences[at] ?? 0)
            const best = bestSet({ ...of, offers: of.offers.filter((_offer, index) => index !== gone) }, hard, wanted)
            expect(cents(switches.awards[alternative ?? -1]?.total ?? 0)).toBe(best.reached ? best.cents : 0)
          }
        }
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    )
  })

  it('gives, for other switches, what a report with those settings gives', () => {
    fc.assert(
      fc.property(CASES, fc.nat(), (of, choice) => {
        const { switches } = decisionOf(of)
        const entry = switches.entries[choice % switches.entries.length]
        const digits = entry?.key.split('|')[0] ?? ''
        const changed = Object.fromEntries(
          switches.names.map((name, at) => [name, digits[at] === '1' ? 'hard' : 'off']),
        ) as Partial<Case['levels']>
        const again = decisionOf(
          { ...of, levels: { ...of.levels, ...changed } },
          { wantedVolume: entry?.basis ?? 'min' },
        )
        expect(again.switches.currentKey).toBe(entry?.key)
        const awarded = again.recommendation.award?.offers.map(({ sequence }) => sequence) ?? []
        expect(awarded).toEqual(switches.awards[entry?.award ?? -1]?.sequences ?? [])
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    )
  })
})

describe('prices at which an offer enters or leaves the award', () => {
  const withPrice = (of: Case, at: number, price: number): Case => ({
    ...of,
    offers: of.offers.map((offer, index) =>
      index === at ? { ...offer, cents: (price * 100) / RATES[offer.currency] } : offer,
    ),
  })
  const awardedAt = (of: Case, at: number, price: number) => {
    const { recommendation } = decisionOf(withPrice(of, at, price))
    return recommendation.award?.offers.some(({ offerId: id }) => id === offerId(at + 1)) ?? false
  }

  it('are exact to a cent: the award is solved again on both sides', () => {
    fc.assert(
      fc.property(randomCase({ maxOffers: 5 }), (of) => {
        const { negotiation } = decisionOf(of)
        for (const { offerId: id, enterAward } of negotiation.offers) {
          const at = offerIndex(of, id)
          const { pricePerTonne, words } = enterAward
          if (pricePerTonne === null) {
            if (words.startsWith('At any price')) expect(awardedAt(of, at, 170)).toBe(true)
            if (words.startsWith('No price suffices'))
              expect(awardedAt(of, at, 0.01) && !words.includes('tonnes')).toBe(false)
            continue
          }
          const below = pricePerTonne - 0.01
          const isAllowed = of.levels.priceMin !== 'hard' || below * 100 >= of.minCents
          if (below > 0 && isAllowed) expect([words, awardedAt(of, at, below)]).toEqual([words, true])
          expect([words, awardedAt(of, at, pricePerTonne + 0.01)]).toEqual([words, false])
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('are the break-even prices of awarded offers', () => {
    fc.assert(
      fc.property(randomCase({ maxOffers: 5 }), (of) => {
        const { recommendation } = decisionOf(of)
        if (recommendation.status !== 'award') return
        for (const { offerId: id, breakEvenPricePerTonne: price } of recommendation.breakEven) {
          const at = offerIndex(of, id)
          if (price === null) continue
          expect(awardedAt(of, at, price - 0.001)).toBe(true)
          expect(awardedAt(of, at, price + 0.01)).toBe(false)
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('keep the place of an offer awarded by score, ahead of the next one', () => {
    fc.assert(
      fc.property(randomCase({ maxOffers: 5 }), (of) => {
        const settings = { awardRule: 'best-score-compliant' } as const
        const { decision, offers } = reportOf(of, settings)
        const awarded = new Set(decision.recommendation.award?.offers.map(({ offerId: id }) => id))
        for (const { offerId: id, breakEvenPricePerTonne: price } of decision.recommendation.breakEven) {
          if (price === null) continue
          const own = offers.find((offer) => offer.id === id)
          const rival = offers.find((offer) => {
            const isEligible = decision.offers.some((one) => one.offerId === offer.id && one.eligible)
            return isEligible && !awarded.has(offer.id) && (offer.rank ?? 0) > (own?.rank ?? 0)
          })
          const isAhead = (at: number) => {
            const { offers: changed } = reportOf(withPrice(of, offerIndex(of, id), at), settings)
            const rankOf = (wanted?: string) => changed.find((offer) => offer.id === wanted)?.rank ?? 0
            return rankOf(id) < rankOf(rival?.id)
          }
          expect(isAhead(price * 0.9999)).toBe(true)
          expect(isAhead(price * 1.0001)).toBe(false)
        }
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    )
  })

  it('rank an offer first at the stated price, and not above it', () => {
    fc.assert(
      fc.property(randomCase({ maxOffers: 5 }), (of) => {
        const { decision, offers } = reportOf(of)
        for (const { offerId: id, rankFirst } of decision.negotiation.offers) {
          if (rankFirst.pricePerTonne === null) continue
          const at = offerIndex(of, id)
          const rankAt = (price: number) =>
            reportOf(withPrice(of, at, price)).offers.find((offer) => offer.id === id)?.rank
          expect(offers.length).toBeGreaterThan(1)
          expect(rankAt(rankFirst.pricePerTonne * 0.9999)).toBe(1)
          expect(rankAt(rankFirst.pricePerTonne * 1.0001)).not.toBe(1)
        }
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    )
  })
})
