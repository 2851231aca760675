import { formatPercent } from '../../core/number-format.js'
import type { ComparisonContext } from '../comparison-context.js'
import { coverageOf } from '../offer/metrics.js'
import type { RfqAssessment } from '../rfq-assessment.js'
import { briefText } from './accepted-award.js'
import { awardOf } from './award-figures.js'
import { candidatesOf, createAwardSolver, withLevel } from './award-solver.js'
import type { Recommendation } from './decision-model.js'

/** The recommended award in one line of a list. */
export interface AwardInBrief {
  status: Recommendation['status']
  /** Labels of the awarded offers. */
  offers: string[]
  tonnes: number
  pricePerTonne: number | null
}

/** The recommended award alone: the same as in the report, without the reasons. */
export function awardInBrief(
  { rfq, currency, offers }: RfqAssessment,
  { asOfDate, settings }: Pick<ComparisonContext, 'asOfDate' | 'settings'>,
): AwardInBrief {
  const wanted = rfq.wanted.volume
  if (offers.length === 0) return withoutAward('no-offers')
  if (wanted === null) return withoutAward('no-target')
  const solver = createAwardSolver(candidatesOf(offers, rfq, asOfDate), rfq)
  if (solver.candidates.length === 0) return withoutAward('no-offers')
  const solution = solver.byRule(settings.awardRule, withLevel(settings.requirements, 'hard'), wanted)
  const context = { rfq, wanted, levels: settings.requirements, currency: currency.comparison ?? '' }
  const award = awardOf(solution, context)
  if (award === null) return withoutAward('none')
  return {
    status: solution.reached ? 'award' : 'partial',
    offers: award.offers.map(({ label }) => label),
    tonnes: award.tonnes,
    pricePerTonne: award.pricePerTonne,
  }
}

const withoutAward = (status: AwardInBrief['status']): AwardInBrief => ({
  status,
  offers: [],
  tonnes: 0,
  pricePerTonne: null,
})

/** What has been or would be awarded, in one sentence. */
export function awardInWords(
  { status, ...award }: AwardInBrief,
  currency: string | null,
  wanted: number | null,
): string {
  if (award.offers.length === 0) return NO_AWARD_WORDS[status]
  const covers =
    status === 'partial' ? `, only ${formatPercent(coverageOf(award.tonnes, wanted) ?? 0)} of the wanted volume` : ''
  return `Recommended: ${briefText(award, currency)}${covers}.`
}

const NO_AWARD_WORDS: Record<AwardInBrief['status'], string> = {
  award: '',
  partial: '',
  none: 'No award satisfies the hard requirements.',
  'no-target': 'None recommended: the RFQ states no volume.',
  'no-offers': 'None: no offer that can be compared.',
}
