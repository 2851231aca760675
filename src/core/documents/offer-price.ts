import { plausibleOrNull, positiveOrNull, ratio } from '../numbers.js'
import type { Vintage } from './observation.js'

/** `lines`: the sums of the delivery lines. `stated`: the volume and total price the offer states. */
export type PriceBasis = 'lines' | 'stated'

/** An offer's price per tonne, and what it is derived from. In the offer's own currency. */
interface OfferPrice {
  /** Null if neither basis gives a volume and a total above 0. */
  basis: PriceBasis | null
  /** Tonnes; null without a basis. */
  volume: number | null
  total: number | null
  /** total / volume. */
  pricePerTonne: number | null
  /** Σ volume over the lines; an absent volume counts as 0. */
  sumVolume: number
  /** Σ volume × unit price over the lines; a line without either counts as 0. */
  sumValue: number
}

/**
 * The price per tonne of an offer, in reports and commands alike (docs/COMPARISON.md, “Figures”).
 *
 * The delivery lines take precedence: if every line has a volume and a unit price, neither negative, and both sums are above
 * 0, the price is Σ(volume × unit price) / Σ volume. Otherwise it is the stated total / the stated volume, if both are
 * above 0. Implausibly large numbers count as absent.
 */
export function priceOffer(
  vintages: readonly Pick<Vintage, 'volume' | 'unitPrice'>[],
  stated: { volume: number | null; total: number | null },
): OfferPrice {
  let [sumVolume, sumValue, isComplete] = [0, 0, true]
  for (const line of vintages) {
    const [volume, unitPrice] = [plausibleOrNull(line.volume), plausibleOrNull(line.unitPrice)]
    sumVolume += volume ?? 0
    sumValue += (volume ?? 0) * (unitPrice ?? 0)
    isComplete &&= (volume ?? -1) >= 0 && (unitPrice ?? -1) >= 0
  }
  if (isComplete && sumVolume > 0 && sumValue > 0) return priced('lines', sumVolume, sumValue)
  const volume = positiveOrNull(plausibleOrNull(stated.volume))
  const total = positiveOrNull(plausibleOrNull(stated.total))
  return volume === null || total === null ? priced(null, null, null) : priced('stated', volume, total)

  function priced(basis: PriceBasis | null, tonnes: number | null, value: number | null): OfferPrice {
    return { basis, volume: tonnes, total: value, pricePerTonne: ratio(value, tonnes), sumVolume, sumValue }
  }
}
