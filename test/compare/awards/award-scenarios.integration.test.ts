import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Award, type AwardScenario, EXACT_SCENARIOS } from '../../../src/compare/awards/award-model.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import {
  type ComparisonOverrides,
  comparisonInput,
  delivery,
  manyResponses,
  offerId,
  response,
  vintage,
} from '../../helpers/comparison-inputs.js'
import { shareOf } from '../../helpers/long-tests.js'

/** Offer number n with this volume in tonnes and this total. */
const selling = (number: number, volume: number, total: number, of: Record<string, unknown> = {}) =>
  response(number, {
    offer: { scheduledDeliveries: [delivery({ vintages: [vintage({ volume, unitPrice: total / volume })] })] },
    ...of,
  })

function awards(scene: ComparisonOverrides): Record<AwardScenario, Award> {
  const report = compareOffers(comparisonInput(scene))
  return Object.fromEntries(report.awards.map((award) => [award.scenario, award])) as Record<AwardScenario, Award>
}
const winners = (award: Award) => award.winners.map((line) => [line.offerId, line.tonnes])
const wanting = (minVolume: number, maxVolume = minVolume * 10) => ({ minVolume, maxVolume })

const FIVE = [
  selling(1, 40_000, 400_000),
  selling(2, 30_000, 315_000),
  selling(3, 20_000, 214_000),
  selling(4, 25_000, 285_000),
  selling(5, 5_000, 75_000, { projectDeveloperName: 'Developer 2' }),
]

describe('award scenarios', () => {
  const of = awards({ responses: FIVE, rfq: wanting(65_000) })

  it('take the cheapest set of whole offers, not the lowest prices first', () => {
    expect(of['cheapest-combination']).toMatchObject({
      total: 685_000,
      tonnes: 65_000,
      reached: true,
      exact: true,
      lowerBound: null,
    })
    expect(winners(of['cheapest-combination'])).toEqual([
      [offerId(1), 40_000],
      [offerId(4), 25_000],
    ])
  })

  it('report coverage, blended price, saving against the maximum price and developers', () => {
    expect(of['cheapest-combination']).toMatchObject({
      wanted: 65_000,
      coverage: 1,
      blendedPrice: 685_000 / 65_000,
      budget: 975_000,
      saving: 290_000,
      savingShare: 290_000 / 975_000,
      developers: 2,
      tonnesOverMaximum: 0,
      considered: 5,
    })
  })

  it('fill the wanted volume from the lowest price up if offers are divisible', () => {
    expect(winners(of['cheapest-divisible'])).toEqual([
      [offerId(1), 40_000],
      [offerId(2), 25_000],
    ])
    expect(of['cheapest-divisible'].total).toBeCloseTo(400_000 + (25 / 30) * 315_000, 6)
    expect(of['cheapest-divisible'].winners[1]).toMatchObject({ shareOfOffer: 25 / 30, pricePerTonne: 10.5 })
  })

  it('show the largest offer if no single offer covers the wanted volume', () => {
    expect(of['cheapest-single']).toMatchObject({
      reached: false,
      tonnes: 40_000,
      words: expect.stringContaining('No single offer'),
    })
    const single = awards({ responses: FIVE, rfq: wanting(25_000) })['cheapest-single']
    expect(winners(single)).toEqual([[offerId(4), 25_000]])
  })

  it('show everything available if all offers together do not reach the wanted volume', () => {
    const short = awards({ responses: FIVE, rfq: wanting(200_000) })
    for (const scenario of ['cheapest-combination', 'cheapest-divisible', 'best-score'] as const) {
      expect(short[scenario]).toMatchObject({ reached: false, tonnes: 120_000, coverage: 0.6, developers: 4 })
    }
    expect(short['two-developers']).toMatchObject({ reached: false, tonnes: 75_000, developers: 2 })
  })

  it('use at most two developers, whose names are compared case-insensitively', () => {
    const rivals = [
      selling(1, 30_000, 300_000, { projectDeveloperName: 'Acme' }),
      selling(2, 30_000, 300_000, { projectDeveloperName: 'Beta' }),
      selling(3, 30_000, 300_000, { projectDeveloperName: 'Gamma' }),
      selling(4, 30_000, 420_000, { projectDeveloperName: ' ACME ' }),
    ]
    const two = awards({ responses: rivals, rfq: wanting(90_000) })['two-developers']
    expect(two).toMatchObject({ total: 1_020_000, developers: 2, reached: true })
  })

  it('take only offers that meet every requirement', () => {
    const [cheap, good] = [
      selling(1, 10_000, 90_000, { submittedAt: '2026-03-22T00:00:00.000Z' }),
      selling(2, 10_000, 110_000),
    ]
    const strict = awards({ responses: [cheap, good], rfq: wanting(10_000) })
    expect(winners(strict['meets-requirements'])).toEqual([[offerId(2), 10_000]])
    expect(winners(strict['cheapest-combination'])).toEqual([[offerId(1), 10_000]])
    const none = awards({ responses: [cheap], rfq: wanting(10_000) })['meets-requirements']
    expect(none).toMatchObject({
      winners: [],
      reached: false,
      total: 0,
      blendedPrice: null,
      words: expect.stringContaining('No ranked offer'),
    })
  })

  it('follow the ranks for the best score, which is also the default of the own award', () => {
    const report = compareOffers(comparisonInput({ responses: FIVE, rfq: wanting(65_000) }))
    const best = report.awards.find(({ scenario }) => scenario === 'best-score')
    let before = 0
    const expected = report.offers.filter((offer) => {
      const taken = before < 65_000
      before += offer.metrics.volume ?? 0
      return taken
    })
    expect(new Set(best?.winners.map((line) => line.offerId))).toEqual(new Set(expected.map(({ id }) => id)))
    const own = report.awards.find(({ scenario }) => scenario === 'own')
    expect(own?.winners).toEqual(best?.winners)
  })

  it('take the tonnes the reader entered, and name invalid entries', () => {
    const { own } = awards({
      responses: [...FIVE, selling(6, 1_000, 9_000, { status: 'rejected' })],
      rfq: wanting(65_000),
      ownAward: { [offerId(1)]: 50_000, [offerId(3)]: 10_000, [offerId(6)]: 5, [offerId(2)]: -3, [offerId(4)]: 0 },
    })
    expect(winners(own)).toEqual([
      [offerId(1), 50_000],
      [offerId(3), 10_000],
    ])
    expect(own).toMatchObject({ tonnes: 60_000, total: 500_000 + 107_000, reached: false, coverage: 60 / 65 })
    expect(own.words).toBe(
      'As entered. Developer 1 offers only 40,000 t. 2 entries ignored: offer not ranked, or invalid number of tonnes.',
    )
  })

  it('report tonnes above the maximum without preventing them', () => {
    const over = awards({ responses: [selling(1, 30_000, 300_000)], rfq: { minVolume: 10_000, maxVolume: 20_000 } })
    expect(over['cheapest-combination']).toMatchObject({ reached: true, tonnesOverMaximum: 10_000 })
  })

  it('have no budget if the RFQ states no maximum price', () => {
    const free = awards({ responses: FIVE, rfq: { ...wanting(65_000), pricing: { currency: 'USD' } } })
    expect(free['cheapest-combination']).toMatchObject({
      total: 685_000,
      budget: null,
      saving: null,
      savingShare: null,
    })
  })

  it('have no target if the RFQ states no volume, except for the own award', () => {
    const withoutTarget = awards({
      responses: FIVE,
      rfq: { minVolume: null, maxVolume: null },
      ownAward: { [offerId(1)]: 4_000 },
    })
    expect(withoutTarget['cheapest-combination']).toMatchObject({
      wanted: null,
      winners: [],
      coverage: null,
      reached: false,
    })
    expect(withoutTarget.own).toMatchObject({ tonnes: 4_000, total: 40_000, coverage: null, reached: false })
  })

  it('list each wanted volume once, and none if the RFQ states none', () => {
    const volumes = (rfq: object) =>
      compareOffers(comparisonInput({ responses: FIVE, rfq: rfq as Record<string, unknown> })).awardsByWanted.map(
        ({ basis, wanted }) => [basis, wanted],
      )
    expect(volumes({ minVolume: null, maxVolume: 65_000 })).toEqual([['min', 65_000]])
    expect(volumes({ minVolume: null, maxVolume: null })).toEqual([])
  })

  it('treat prices equal at six decimals as ties: the earlier offer first', () => {
    const [later, sooner] = [selling(3, 10_000, 100_000), selling(4, 10_000, 100_000.004)].map((body, at) => ({
      ...body,
      submittedAt: `2026-03-0${2 - at}T09:00:00.000Z`,
    }))
    const of = awards({ responses: [later ?? {}, sooner ?? {}], rfq: wanting(15_000) })
    expect(winners(of['cheapest-divisible'])).toEqual([
      [offerId(4), 10_000],
      [offerId(3), 5_000],
    ])
  })

  it('treat totals equal at six decimals as ties: more tonnes, then the earlier offer', () => {
    const near = 100_000 + 1e-9
    const alone = (...offers: ReturnType<typeof selling>[]) =>
      winners(awards({ responses: offers, rfq: wanting(10_000) })['cheapest-single'])
    expect(alone(selling(1, 10_000, 100_000), selling(2, 12_500, near))).toEqual([[offerId(2), 12_500]])
    expect(alone(selling(1, 10_000, near), selling(2, 10_000, 100_000))).toEqual([[offerId(1), 10_000]])
    const short = awards({ responses: [selling(1, 9_000, near), selling(2, 9_000, 100_000)], rfq: wanting(10_000) })
    expect(winners(short['cheapest-single'])).toEqual([[offerId(1), 9_000]])
  })

  it('award no tiny part of another offer because of floating-point noise', () => {
    const tenths = [selling(1, 0.1, 1), selling(2, 0.2, 2.1), selling(3, 5, 500)]
    const of = awards({ responses: tenths, rfq: wanting(0.30000000000000004) })
    expect(winners(of['cheapest-divisible'])).toHaveLength(2)
    expect(of['cheapest-divisible']).toMatchObject({ reached: true, words: expect.stringContaining('Proven') })
  })

  it('are empty without a ranked offer', () => {
    const none = awards({ responses: [] })
    expect(Object.values(none).map((award) => award.winners)).toEqual(Object.values(none).map(() => []))
    expect(none['cheapest-single'].words).toContain('No offer is ranked')
  })
})

describe('awards of random offers', () => {
  const volumes = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 20, max: 700 }), fc.constantFrom('a', 'b', 'c')),
    { minLength: 1, maxLength: 9 },
  )

  it('are the cheapest of all subsets, and a less restricted scenario never costs more', () => {
    fc.assert(
      fc.property(volumes, fc.integer({ min: 1, max: 250 }), (list, need) => {
        const responses = list.map(([volume, total, name], at) =>
          selling(at + 1, volume, total, { projectDeveloperName: name }),
        )
        const of = awards({ responses, rfq: wanting(need) })
        const subsets = Array.from({ length: 2 ** list.length }, (_, mask) =>
          list.filter((_one, at) => mask & (2 ** at)),
        )
        const enough = subsets.filter((set) => sum(set.map(([volume]) => volume)) >= need)
        const least = (sets: typeof subsets) =>
          sets.length === 0 ? null : Math.min(...sets.map((set) => sum(set.map(([, total]) => total))))
        const close = (award: Award, cost: number | null) =>
          cost === null ? expect(award.reached).toBe(false) : expect(award.total).toBeCloseTo(cost, 6)
        close(of['cheapest-combination'], least(enough))
        close(of['two-developers'], least(enough.filter((set) => new Set(set.map(([, , name]) => name)).size <= 2)))
        close(of['cheapest-single'], least(enough.filter((set) => set.length === 1)))
        close(of['cheapest-divisible'], divisible(list, need))
      }),
      { numRuns: shareOf(150) },
    )
  })

  it('are the cheapest of all subsets, for each volume of the RFQ and among offers that meet its requirements', () => {
    fc.assert(
      fc.property(volumes, fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 5 }), (list, need, times) => {
        const responses = list.map(([volume, total, name], at) =>
          selling(at + 1, volume, total, { projectDeveloperName: name }),
        )
        const rfq = { ...wanting(need, need * times), pricing: { currency: 'USD' } }
        const { awardsByWanted, offers } = compareOffers(comparisonInput({ responses, rfq }))
        const strict = new Set(offers.filter((offer) => offer.meetsRequirements).map(({ id }) => id))
        for (const { wanted, awards: of } of awardsByWanted) {
          const least = (allowed: (set: number[]) => boolean) => leastOf(list, wanted, allowed)
          const developers = (set: number[]) => new Set(set.map((at) => list[at]?.[2])).size
          const costs = [
            least(() => true),
            least((set) => developers(set) <= 2),
            least((set) => set.every((at) => strict.has(offerId(at + 1)))),
          ]
          const found = EXACT_SCENARIOS.map((scenario) => (of[scenario].reached ? of[scenario].total : null))
          expect(found.map(cents)).toEqual(costs.map(cents))
        }
      }),
      { numRuns: shareOf(150) },
    )
  })

  it('equal, for each volume, the awards of a report with that wanted volume', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 14 }), fc.integer({ min: 1, max: 1e6 }), (count, seed) => {
        const scene = { responses: manyResponses(count, 2, seed), rfq: { minVolume: 900, maxVolume: 6_000 } }
        const { awardsByWanted } = compareOffers(comparisonInput(scene))
        expect(awardsByWanted.map(({ basis, wanted }) => [basis, wanted])).toEqual([
          ['min', 900],
          ['mid', 3_450],
          ['max', 6_000],
        ])
        for (const { basis, awards: of } of awardsByWanted) {
          const played = awards({ ...scene, settings: { wantedVolume: basis } })
          for (const scenario of EXACT_SCENARIOS) expect(of[scenario]).toEqual(played[scenario])
        }
      }),
      { numRuns: shareOf(25) },
    )
  })

  it('add up and pass every check on figures, even with many offers', () => {
    for (const count of [24, 300]) {
      const report = compareOffers(
        comparisonInput({
          responses: manyResponses(count, 3, count),
          rfq: { minVolume: count * 400, maxVolume: count * 3_000 },
        }),
      )
      expect(report.checks.master.figures).toMatchObject({ fails: 0 })
      expect(report.awards.find(({ scenario }) => scenario === 'cheapest-combination')).toMatchObject({
        reached: true,
        exact: true,
      })
    }
  })
})

/** Lowest cost of the subsets that reach a volume; `allowed` receives the indexes of each subset. */
function leastOf(list: [number, number, string][], wanted: number, allowed: (set: number[]) => boolean): number | null {
  const sets = Array.from({ length: 2 ** list.length }, (_, mask) =>
    list.flatMap((_one, at) => (mask & (2 ** at) ? [at] : [])),
  )
  const costs = sets
    .filter((set) => sum(set.map((at) => list[at]?.[0] ?? 0)) >= wanted && allowed(set))
    .map((set) => sum(set.map((at) => list[at]?.[1] ?? 0)))
  return costs.length === 0 ? null : Math.min(...costs)
}
const cents = (value: number | null) => (value === null ? null : Number(value.toFixed(6)))

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

/** Cost of the wanted volume if offers are divisible: takes single tonnes, cheapest first. */
function divisible(list: [number, number, string][], need: number): number | null {
  const tonnes = list
    .flatMap(([volume, total]) => Array.from({ length: volume }, () => total / volume))
    .sort((a, b) => a - b)
  return tonnes.length < need ? null : sum(tonnes.slice(0, need))
}
