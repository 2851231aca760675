import { formatOneDecimal, formatPercent } from '../../core/number-format.js'
import { minOf, round6, sum } from '../../core/numbers.js'
import { CRITERIA, HAIRCUT_KINDS, SETTING_LIMITS, type Settings } from '../../core/settings.js'
import type { CaseRanking, Sensitivity } from '../awards/sensitivity-model.js'
import { CRITERION_NAMES } from '../offer/criterion-text.js'
import { haircutKind } from '../offer/metrics.js'
import type { RankedOffer } from '../offer/ranking.js'
import type { LeadFactor, ScoreLead } from './decision-model.js'

/** The change of haircuts and, relatively, of prices and rates. */
export const LEAD_SHIFTS = { haircut: 0.1, price: 0.1 } as const
const PRICE_SHIFT = `±${formatPercent(LEAD_SHIFTS.price)}`

interface LeadInput {
  ranked: readonly RankedOffer[]
  sensitivity: Sensitivity
  settings: Settings
  currency: string | null
  /** Tonnes in the recommended award; absent if the offer cannot be awarded or is not eligible. */
  eligible: ReadonlyMap<string, number>
}

/** How far each input moves the lead of the recommended offer over the next one: ScoreLead. */
export function scoreLeadOf(input: LeadInput): ScoreLead | null {
  const { ranked, sensitivity, eligible } = input
  const contenders = ranked.slice(0, sensitivity.contenders.length)
  const own = contenders.find(({ id }) => (eligible.get(id) ?? 0) > 0) ?? contenders[0]
  const others = contenders.filter((offer) => offer !== own)
  const rival = others.find(({ id }) => eligible.get(id) === 0) ?? others[0]
  if (own === undefined || rival === undefined) return null
  const points = own.scores.total - rival.scores.total
  const lead = { input, contenders, own, rival, points }
  const factors = [...caseFactors(lead), ...priceFactors(lead)]
  return {
    offerId: own.id,
    sequence: own.sequence,
    rivalId: rival.id,
    rivalSequence: rival.sequence,
    points,
    factors: factors.sort((a, b) => leadWidth(b, points) - leadWidth(a, points)),
  }
}

/** How far one input moves the lead. */
export const leadWidth = ({ lowPoints, highPoints }: LeadFactor, points: number): number =>
  round6(Math.max(lowPoints, highPoints, points) - Math.min(lowPoints, highPoints, points))

interface Lead {
  input: LeadInput
  contenders: readonly RankedOffer[]
  own: RankedOffer
  rival: RankedOffer
  points: number
}

const weightOf = ({ weights }: Settings) => sum(CRITERIA.map((criterion) => weights[criterion]))

/** Inputs whose totals the sensitivity analysis has. */
function caseFactors({ input: { sensitivity }, contenders, own, rival, points }: Lead): LeadFactor[] {
  const [ownAt, rivalAt] = [contenders.indexOf(own), contenders.indexOf(rival)]
  const pointsIn = ({ totals }: CaseRanking) => {
    const [one, other] = [totals[ownAt] ?? null, totals[rivalAt] ?? null]
    return one === null || other === null ? points : one - other
  }
  const factor = <Case extends CaseRanking>(
    name: string,
    title: string,
    cases: readonly Case[],
    valueIn: (one: Case) => number,
  ): LeadFactor[] => {
    const [first, last] = [cases[0], cases.at(-1)]
    if (first === undefined || last === undefined || valueIn(first) === valueIn(last)) return []
    const values = { low: valueIn(first), high: valueIn(last) }
    return [{ factor: name, title, ...values, lowPoints: pointsIn(first), highPoints: pointsIn(last) }]
  }
  const { weightShifts, discountRates } = sensitivity
  const rates = discountRates.map(({ rate }) => rate)
  return [
    ...CRITERIA.flatMap((criterion) => {
      const cases = weightShifts.filter((shifted) => shifted.criterion === criterion)
      const title = `Weight of ${CRITERION_NAMES[criterion].toLowerCase()} ±${cases.at(-1)?.shift}`
      return factor(`weights.${criterion}`, title, cases, ({ weights }) => weights[criterion])
    }),
    ...factor('discountRate', `Discount rate ${rangeText(rates)}`, discountRates, ({ rate }) => rate),
    ...factor('wantedVolume', 'Wanted volume: minimum to maximum', sensitivity.wantedVolumes, ({ wanted }) => wanted),
  ]
}

/** `0 to 15 %` */
const rangeText = (shares: readonly number[]) =>
  `${formatOneDecimal((shares[0] ?? 0) * 100)} to ${formatPercent(shares.at(-1) ?? 0)}`

/** Inputs that change prices: of one offer, of one type of contract, in one currency. */
function priceFactors({ input: { settings, currency }, contenders, own, rival, points }: Lead): LeadFactor[] {
  const share = settings.weights.price / weightOf(settings)
  const pricePoints = (factorOf: (offer: RankedOffer) => number) => {
    const price = (offer: RankedOffer) => (offer.compared.price ?? 0) * factorOf(offer)
    return 100 * (minOf(contenders.map(price)) ?? 0) * (1 / price(own) - 1 / price(rival))
  }
  const now = pricePoints(() => 1)
  const factor = (
    name: string,
    title: string,
    [low, high]: readonly [number, number],
    factorAt: (value: number, offer: RankedOffer) => number,
  ): LeadFactor => {
    const pointsAt = (value: number) => points + share * (pricePoints((offer) => factorAt(value, offer)) - now)
    return { factor: name, title, low, high, lowPoints: pointsAt(low), highPoints: pointsAt(high) }
  }
  const ofOffer = (name: string, title: string, one: RankedOffer) =>
    factor(name, `${title} ${PRICE_SHIFT}`, [-LEAD_SHIFTS.price, LEAD_SHIFTS.price], (value, offer) =>
      offer === one ? 1 + value : 1,
    )
  const kindOf = ({ terms }: RankedOffer) => haircutKind(terms.contractType)
  const haircuts = HAIRCUT_KINDS.filter((kind) => contenders.some((offer) => kindOf(offer) === kind))
  const rates = new Map(contenders.map(({ terms, compared }) => [terms.currencyCode, compared.rate]))
  return [
    ofOffer('price', 'Price of the recommended offer', own),
    ofOffer('rivalPrice', 'Price of the next offer', rival),
    ...haircuts.map((type) => {
      const now = settings.haircuts[type]
      const [, max] = SETTING_LIMITS.haircut
      const values = [Math.max(0, now - LEAD_SHIFTS.haircut), Math.min(max, now + LEAD_SHIFTS.haircut)] as const
      return factor(
        `haircuts.${type}`,
        `Haircut on ${type} contracts ±${LEAD_SHIFTS.haircut * 100} points`,
        values,
        (value, offer) => (kindOf(offer) === type ? (1 - now) / (1 - value) : 1),
      )
    }),
    ...[...rates].flatMap(([code, rate]) => {
      if (code === null || code === currency || rate === null) return []
      const values = [rate * (1 - LEAD_SHIFTS.price), rate * (1 + LEAD_SHIFTS.price)] as const
      return [
        factor(`exchangeRates.${code}`, `Exchange rate of ${code} ${PRICE_SHIFT}`, values, (value, offer) =>
          offer.terms.currencyCode === code ? value / rate : 1,
        ),
      ]
    }),
  ]
}
