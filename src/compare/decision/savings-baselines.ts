import { formatPricePerTonne } from '../../core/number-format.js'
import { ratio } from '../../core/numbers.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import type { Baseline, DecisionAward, RunnerUp, Savings } from './decision-model.js'

/** What an award saves against each baseline, on the wanted tonnes: Savings. */
export function savingsOf(
  award: DecisionAward,
  { rfq, wanted, median, runnerUp, currency }: BaselineContext,
): Savings | null {
  const { pricePerTonne, excessTonnes, excessCost } = award
  if (pricePerTonne === null) return null
  const tonnes = Math.min(award.tonnes, wanted)
  const cost = tonnes * pricePerTonne
  const baseline = (
    name: Baseline['baseline'],
    title: string,
    { price, excess = 0 }: { price: number | null; excess?: number },
    missing: string,
  ): Baseline => {
    const baselineCost = price === null ? null : price * tonnes
    const saving = baselineCost === null ? null : baselineCost - cost
    return {
      baseline: name,
      title,
      pricePerTonne: price,
      cost: baselineCost,
      saving,
      savingShare: ratio(saving, baselineCost),
      savingAfterExcess: saving === null ? null : saving + excess - excessCost,
      words: price === null ? missing : `${title}: ${formatPricePerTonne(price, currency)}.`,
    }
  }
  return {
    tonnes,
    cost,
    pricePerTonne,
    excessTonnes,
    excessCost,
    baselines: [
      baseline(
        'max-price',
        "Budget at the RFQ's maximum price",
        { price: rfq.comparedMaxUnitPrice },
        'The RFQ states no maximum price in a currency that can be converted.',
      ),
      baseline('median-offer', 'Median offer', { price: median }, 'No offer is ranked.'),
      baseline(
        'next-best',
        'Runner-up',
        { price: runnerUp?.award.pricePerTonne ?? null, excess: runnerUp?.award.excessCost ?? 0 },
        'There is no other award that reaches the wanted volume.',
      ),
    ],
  }
}

interface BaselineContext {
  rfq: RfqTerms
  wanted: number
  /** Median price per tonne of the ranked offers. */
  median: number | null
  runnerUp: RunnerUp | null
  currency: string
}
