import type { Settings } from '../../core/decision/settings.js'
import { formatCount, formatPercent, formatPricePerTonne, formatTonnes } from '../../core/text/number-format.js'
import type { Award } from '../decision/decision-model.js'
import { type Outcome, outcomeOf } from '../decision/recommendation.js'
import type { RfqAssessment } from '../rfq/rfq-assessment.js'
import { awardProblem } from './award-problem.js'

/** What is recommended for an RFQ whose offers were assessed. */
export const assessedOutcome = ({ rfq, currency, offers }: RfqAssessment, settings: Settings): Outcome =>
  outcomeOf(awardProblem({ rfq, offers, settings }, currency.comparison))

/** The accepted and the recommended award in one line of a list: the same as in the report, without the reasons. */
export function summariseAwards(
  { offers }: Pick<RfqAssessment, 'offers'>,
  { status, award, accepted, message }: Outcome,
) {
  const labels = new Map(offers.map(({ id, label }) => [id, label]))
  const labelsOf = (named: readonly { id: string }[]) => named.map(({ id }) => labels.get(id) ?? id)
  return {
    accepted: accepted && {
      offers: labelsOf(accepted.offers),
      tonnes: accepted.tonnes,
      pricePerTonne: accepted.award?.pricePerTonne ?? null,
      message:
        accepted.award === null
          ? accepted.message
          : `Accepted: ${awardSummaryText(labelsOf(accepted.offers), accepted.award)}.${award === null ? '' : ` Award also ${awardSummaryText(labelsOf(award.offers), award)}.`}`,
    },
    award: {
      status,
      offers: award === null ? [] : labelsOf(award.offers),
      tonnes: award?.tonnes ?? 0,
      pricePerTonne: award?.pricePerTonne ?? null,
      coverage: award?.coverage ?? null,
      message:
        award === null
          ? message()
          : `Recommended: ${awardSummaryText(labelsOf(award.offers), award)}${status === 'partial' ? partialText(award) : ''}.`,
    },
  }
}

/** The first of the offers by name, their tonnes and price. */
function awardSummaryText([first, ...others]: readonly string[], { tonnes, pricePerTonne, currency }: Award): string {
  const more = others.length === 0 ? '' : ` and ${formatCount(others.length, 'other offer')}`
  return `${first}${more}, ${formatTonnes(tonnes)} at ${formatPricePerTonne(pricePerTonne, currency)}`
}

const partialText = ({ coverage }: Award) =>
  coverage === null ? '' : `, only ${formatPercent(coverage)} of the requested volume`
