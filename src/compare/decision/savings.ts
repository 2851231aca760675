import { median } from '../../core/numbers.js'
import { formatPricePerTonne, formatTonnes, formatTotal } from '../../core/text/number-format.js'
import type { AwardProblem } from '../awards/award-problem.js'
import type { Award, Savings } from './decision-model.js'

const MAXIMUM = "the RFQ's maximum price"
const MEDIAN = 'the price of the median offer'

/** What the tonnes of an award cost less than at the RFQ's maximum price, and at the price of the median offer. */
export function savingsOf({ tonnes, pricePerTonne }: Award, { rfq, competing, context }: AwardProblem): Savings | null {
  const at = (price: number | null) =>
    price === null ? null : { pricePerTonne: price, amount: tonnes * (price - pricePerTonne) }
  const prices = competing.map(({ total, tonnes: own }) => total / own).sort((a, b) => a - b)
  const maxPrice = at(rfq.comparedMaxUnitPrice)
  const medianOffer = prices.length < 3 ? null : at(median(prices))
  if (maxPrice === null && medianOffer === null) return null
  const part = (saving: { pricePerTonne: number; amount: number } | null, what: string) => {
    if (saving === null || formatTotal(saving.amount, '') === formatTotal(0, '')) return []
    const amount = formatTotal(Math.abs(saving.amount), context.currency)
    const price = formatPricePerTonne(saving.pricePerTonne, context.currency)
    return [`${amount} ${saving.amount < 0 ? 'more' : 'less'} than at ${what} (${price})`]
  }
  const parts = [...part(maxPrice, MAXIMUM), ...part(medianOffer, MEDIAN)]
  return {
    tonnes,
    pricePerTonne,
    maxPrice,
    medianOffer,
    message: `The ${formatTonnes(tonnes)} cost ${parts.length === 0 ? `the same as at ${maxPrice === null ? MEDIAN : MAXIMUM}` : parts.join(', and ')}.`,
  }
}
