import { sum } from '../../core/numbers.js'
import type { Settings } from '../../core/settings.js'
import type { Award } from '../awards/award-model.js'
import type { Sensitivity } from '../awards/sensitivity-model.js'
import type { ParsedRfq } from '../comparison-input.js'
import { currentEntry } from '../decision/current-entry.js'
import type { Decision } from '../decision/decision-model.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { isRanked } from '../offer/ranking.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import type { Check } from './check-model.js'
import { agreement, numericCheck, withinTolerance } from './numeric-check.js'
import type { Summary } from './rfq-statistics.js'

/** The figures to check. */
export interface ReportFigures {
  known: ParsedRfq
  rfq: RfqTerms
  offers: readonly OfferReport[]
  summary: Summary
  awards: readonly Award[]
  decision: Decision
  sensitivity: Sensitivity
  settings: Settings
}

/** Tolerance for floating-point noise between two ways of computing a sum. */
const relativeNoise = (value: number) => Math.max(1e-6, Math.abs(value) * 1e-9)

interface Sides {
  id: string
  title: string
  subject?: string
  /** What is said if the sides agree. */
  words?: string
  left: [what: string, value: number]
  right: [what: string, value: number]
}

function figureCheck({ id, title, left, right, subject, words }: Sides): Check {
  return numericCheck(
    { id, about: 'figures', title, left, right, ...withinTolerance(relativeNoise(right[1])) },
    (verdict, difference) => (verdict === 'ok' && words !== undefined ? words : agreement(verdict, difference)),
    subject,
  )
}

/** Checks the arithmetic of this report: two ways to a figure must agree. */
export function figureChecks(figures: ReportFigures): Check[] {
  return [
    ...countChecks(figures),
    ...sumChecks(figures),
    ...rankChecks(figures),
    ...awardChecks(figures),
    ...recommendationChecks(figures),
    ...discountChecks(figures),
  ]
}

function countChecks({ offers, summary }: ReportFigures): Check[] {
  return [
    figureCheck({
      id: 'offers-by-status',
      title: 'Offers by status add up to all offers',
      left: ['sum over statuses', sum(summary.byStatus.map((one) => one.offers))],
      right: ['offers', offers.length],
    }),
    figureCheck({
      id: 'offers-ranked',
      title: 'Ranked and excluded offers add up to all offers',
      left: ['ranked + excluded', summary.ranked + offers.filter(({ eligibility }) => !eligibility.eligible).length],
      right: ['offers', offers.length],
    }),
    figureCheck({
      id: 'flags-by-code',
      title: 'Flags by code add up to flags by severity',
      left: ['by code', sum(summary.flagCounts.map((one) => one.offers))],
      right: ['by severity', sum(Object.values(summary.flags))],
    }),
  ]
}

function sumChecks({ offers }: ReportFigures): Check[] {
  const lines = offers.flatMap((offer) => offer.lines)
  const ranked = offers.filter(isRanked)
  return [
    figureCheck({
      id: 'lines-volume',
      title: "Delivery line volumes add up to the offers' sums",
      left: ['Σ lines, t', sum(lines.map((line) => line.volume ?? 0))],
      right: ['Σ offers, t', sum(offers.map(({ metrics }) => metrics.sumVolume))],
    }),
    figureCheck({
      id: 'lines-value',
      title: "Delivery line totals add up to the offers' sums (mixed currencies)",
      left: ['Σ volume × price', sum(lines.map((line) => (line.volume ?? 0) * (line.unitPrice ?? 0)))],
      right: ['Σ offers', sum(offers.map(({ metrics }) => metrics.sumValue))],
    }),
    figureCheck({
      id: 'price-times-volume',
      title: 'Price per tonne × volume equals the totals of the ranked offers',
      left: [
        'Σ price × volume',
        sum(ranked.map((offer) => (offer.compared.pricePerTonne ?? 0) * (offer.metrics.volume ?? 0))),
      ],
      right: ['Σ totals', sum(ranked.map((offer) => offer.compared.total ?? 0))],
    }),
  ]
}

function rankChecks({ offers }: ReportFigures): Check[] {
  const ranked = offers.filter(isRanked)
  const all = (ranked.length * (ranked.length + 1)) / 2
  const distinct = (ranks: number[]) => sum(new Set(ranks))
  const scores = ranked.map(({ scores: { total } }) => total)
  const descending = scores.filter((score, at) => at === 0 || score <= (scores[at - 1] ?? score)).length
  return [
    figureCheck({
      id: 'ranks',
      title: 'Ranks run from 1 without gaps or ties',
      left: ['Σ distinct ranks', distinct(ranked.map(({ rank }) => rank))],
      right: ['1 + 2 + … + n', all],
    }),
    figureCheck({
      id: 'price-ranks',
      title: 'Price ranks run from 1 without gaps or ties',
      left: ['Σ distinct ranks', distinct(ranked.map(({ priceRank }) => priceRank))],
      right: ['1 + 2 + … + n', all],
    }),
    figureCheck({
      id: 'scores-descend',
      title: 'Scores descend with rank',
      left: ['offers in order', descending],
      right: ['ranked offers', ranked.length],
    }),
  ]
}

function awardChecks({ awards, offers }: ReportFigures): Check[] {
  const volumes = new Map(offers.map(({ id, metrics }) => [id, metrics.volume ?? 0]))
  const perAward = awards.map(({ scenario, title, winners, total }) =>
    figureCheck({
      id: `award-total-${scenario}`,
      title: `${title}: tonnes × price equals the total`,
      left: ['Σ tonnes × price', sum(winners.map((line) => line.tonnes * line.pricePerTonne))],
      right: ['total', total],
    }),
  )
  const excessive = awards
    .filter(({ scenario }) => scenario !== 'own')
    .flatMap(({ winners }) => winners.filter((line) => line.tonnes > (volumes.get(line.offerId) ?? 0) * (1 + 1e-9)))
  return [
    ...perAward,
    figureCheck({
      id: 'award-offered',
      title: 'No scenario awards more than is offered',
      left: ['lines above the offered volume', excessive.length],
      right: ['allowed', 0],
    }),
    ...orderChecks(awards),
  ]
}

/** A less restricted scenario never costs more than a more restricted one. */
function orderChecks(awards: readonly Award[]): Check[] {
  const reached = new Map(awards.filter((award) => award.reached).map((award) => [award.scenario, award]))
  const pairs = [
    ['cheapest-divisible', 'cheapest-combination'],
    ['cheapest-combination', 'two-developers'],
    ['two-developers', 'cheapest-single'],
    ['cheapest-combination', 'meets-requirements'],
    ['cheapest-combination', 'best-score'],
  ] as const
  return pairs.flatMap(([freer, stricter]) => {
    const [free, strict] = [reached.get(freer), reached.get(stricter)]
    return free === undefined || strict === undefined || !free.exact ? [] : [orderCheck(free, strict)]
  })
}

/** Prices per tonne are ordered at six decimals, so prices that differ by less may be swapped. */
const PRICE_STEP = 1e-6

function orderCheck(freer: Award, stricter: Award): Check {
  return numericCheck(
    {
      id: `award-order-${freer.scenario}-${stricter.scenario}`,
      about: 'figures',
      title: `${freer.title} costs no more than ${stricter.title}`,
      left: [freer.title, freer.total],
      right: [stricter.title, stricter.total],
      ...withinTolerance(relativeNoise(stricter.total) + PRICE_STEP * stricter.tonnes),
      oneSided: true,
    },
    (verdict) =>
      verdict === 'ok'
        ? 'The less restricted scenario costs no more.'
        : 'The less restricted scenario costs more, which is impossible.',
  )
}

/** The recommended award against its offers, the awards solved ahead and the rule; the sheet `Checks` has them as formulas. */
function recommendationChecks({ decision, offers, settings }: ReportFigures): Check[] {
  const { recommendation, byRule, rule, switches } = decision
  if (!decision.offers.some(({ awardable }) => awardable)) return []
  const { tonnes = 0, total = 0, offers: lines = [] } = recommendation.award ?? {}
  const awarded = lines.map((line) => ({ ...line, offer: offers.find(({ id }) => id === line.offerId) }))
  const chosen = byRule[rule]?.total ?? 0
  const solved = switches.awards[currentEntry({ decision, settings })?.award ?? -1]?.total ?? 0
  const isSolved = switches.awards.length > 0 && rule !== 'best-score-compliant' && total > 0
  const check = (sides: Sides) => figureCheck({ subject: 'Recommended award', ...sides })
  return [
    check({
      id: 'recommended-total',
      title: 'The total is the sum over the awarded offers',
      left: ['total on Award', total],
      right: [
        'Σ tonnes × price per tonne',
        sum(awarded.map((line) => line.tonnes * (line.offer?.compared.pricePerTonne ?? 0))),
      ],
      words: 'The tonnes of each awarded offer at its price per tonne add up to the total.',
    }),
    check({
      id: 'recommended-tonnes',
      title: 'The tonnes are those of the awarded offers',
      left: ['tonnes on Award', tonnes],
      right: ['Σ volume of awarded offers', sum(awarded.map(({ offer }) => offer?.metrics.volume ?? 0))],
      words: 'Offers are awarded whole.',
    }),
    check({
      id: 'recommended-solved',
      title: 'The total is that of the award solved for these inputs',
      left: ['total on Award', total],
      right: ['total of the solved award', isSolved ? solved : chosen],
      words: 'Under “best-score-compliant”, the award is calculated, not looked up.',
    }),
    check({
      id: 'recommended-original',
      title: 'With the original inputs, the award is that of the report',
      left: ['total on Award', total],
      right: ['total in the report', chosen],
      words: 'The report’s own calculation, which searches for the award.',
    }),
  ]
}

function discountChecks({ offers, sensitivity }: ReportFigures): Check[] {
  const undiscounted = sensitivity.discountRates.find(({ rate }) => rate === 0)
  if (undiscounted === undefined) return []
  const byId = new Map(offers.map((offer) => [offer.id, offer]))
  const pairs = sensitivity.contenders.flatMap(({ offerId }, at) => {
    const offer = byId.get(offerId)
    // Pre-payments above the total are worth more than the total and cannot be compared.
    if (offer === undefined || (offer.metrics.prepaidShare ?? 0) > 1) return []
    const nominal = (offer.compared.pricePerTonne ?? 0) / (1 - offer.metrics.haircut)
    return [{ nominal, price: undiscounted.prices[at] ?? 0 }]
  })
  const nominal = sum(pairs.map((pair) => pair.nominal))
  return [
    numericCheck(
      {
        id: 'undiscounted',
        about: 'figures',
        title: 'At a discount rate of 0, present values equal nominal prices',
        left: ['Σ prices at 0 %', sum(pairs.map(({ price }) => price))],
        right: ['Σ nominal prices', nominal],
        // Each price is rounded to six decimals.
        ...withinTolerance(5e-7 * pairs.length + relativeNoise(nominal)),
      },
      agreement,
    ),
  ]
}
