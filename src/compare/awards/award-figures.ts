import { byCodeUnit, countNames, sum } from '../../core/numbers.js'
import { oneLine } from '../../core/text/clean-text.js'
import { formatPricePerTonne, formatTonnes, formatTotal } from '../../core/text/number-format.js'
import type { Award, AwardedOffer } from '../decision/decision-model.js'
import { coverageOf } from '../offer/metrics.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { isInPlay } from '../offer/ranking.js'
import type { Lot } from './efficient-awards.js'

/** A comparable offer that an award can contain. */
export interface Candidate extends Lot {
  offer: OfferReport
  /** Amount payable. */
  total: number
}

/** The comparable offers as candidates for awards, regardless of requirements; in the order of their submission. */
export const candidatesOf = (offers: readonly OfferReport[]): Candidate[] =>
  offers
    .flatMap((offer): Candidate[] => {
      const { volume } = offer.metrics
      const { total, cost } = offer.compared
      if (!isInPlay(offer) || volume === null || total === null || cost === null) return []
      return [{ offer, tonnes: volume, total, cost }]
    })
    .sort(
      (a, b) =>
        byCodeUnit(a.offer.submittedAt ?? LAST, b.offer.submittedAt ?? LAST) || a.offer.sequence - b.offer.sequence,
    )
/** After every time. */
const LAST = '~'

/** What the figures of an award are computed with. */
export interface AwardContext {
  currency: string
  /** The lower end of the window. */
  lower: number | null
  nameOf: (offer: OfferReport) => string
}

/** The award of whole offers, in the order of their numbers. */
export function awardOf(candidates: readonly Candidate[], { currency, lower, nameOf }: AwardContext): Award {
  const ordered = [...candidates].sort((a, b) => a.offer.sequence - b.offer.sequence)
  const tonnes = sum(ordered.map((one) => one.tonnes))
  const total = sum(ordered.map((one) => one.total))
  return {
    offers: ordered.map(({ offer, ...own }) => ({
      id: offer.id,
      number: offer.sequence,
      name: nameOf(offer),
      tonnes: own.tonnes,
      total: own.total,
      pricePerTonne: own.total / own.tonnes,
    })),
    ...{ tonnes, total, pricePerTonne: total / tonnes, currency },
    coverage: coverageOf(tonnes, lower),
    costPerTonne: sum(ordered.map(({ cost }) => cost)) / tonnes,
  }
}

/** Whether two awards take the same offers. */
export const isSameAward = (a: Award | null, b: Award | null): boolean =>
  a !== null &&
  b !== null &&
  a.offers.length === b.offers.length &&
  a.offers.every(({ id }, at) => b.offers[at]?.id === id)

/** `Developer · Project`, as far as they are known; with the number if another offer of the list has the same name. */
export function createNames(offers: readonly OfferReport[]): (offer: OfferReport) => string {
  const plain = ({ developer, project, label }: OfferReport) =>
    oneLine([developer, project].filter(Boolean).join(' · ') || label)
  const counts = countNames(offers.map(plain))
  return (offer) => {
    const name = plain(offer)
    return counts.get(name) === 1 ? name : `${name} (no. ${offer.sequence})`
  }
}

/** More offers than this are named by number. */
const MAX_NAMED = 3

/** The offers of an award in a sentence: `A · B`, `A · B and C · D`, `5 offers (no. 1, 2, 4, 7 and 8)`. */
export function offersText(offers: readonly Pick<AwardedOffer, 'name' | 'number'>[]): string {
  if (offers.length <= MAX_NAMED) return joined(offers.map(({ name }) => name))
  const numbers = offers.map(({ number }) => number)
  const shown = numbers.length > MAX_NUMBERS ? [...numbers.slice(0, MAX_NUMBERS), '…'].join(', ') : joined(numbers)
  return `${offers.length} offers (no. ${shown})`
}
const MAX_NUMBERS = 12

/** `a, b and c`. */
export const joined = (parts: readonly (string | number)[]): string =>
  parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`

/** `8,670 t at 28.80 USD/t, 249,696 USD in total`. */
export const amountsText = ({ tonnes, pricePerTonne, total, currency }: Omit<Award, 'offers'>): string =>
  `${formatTonnes(tonnes)} at ${formatPricePerTonne(pricePerTonne, currency)}, ${formatTotal(total, currency)} in total`
