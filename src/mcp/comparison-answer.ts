import type { Source } from '../compare/comparison-context.js'
import type { DecisionAward } from '../compare/decision/decision-model.js'
import { notMetBy } from '../compare/decision/not-met.js'
import { recommendationLines } from '../compare/decision/recommendation-lines.js'
import type { RfqReport } from '../compare/report/rfq-report-model.js'
import { withWords } from '../core/source-words.js'
import type { Answer } from './answer-size.js'
import { boundedListed } from './listed-answer.js'

/**
 * The comparison without its offers: the parts of the report that answer whom to award and why.
 * @param replaced the names of the settings that were replaced
 */
export function comparisonAnswer(report: RfqReport, replaced: readonly string[]): Answer {
  const { rfq, decision, currency, summary, settings } = report
  const { recommendation } = decision
  const { source, wanted, flags, ...terms } = rfq
  return {
    rfq: { ...terms, wanted, flags: flags.map(({ words }) => words), source: sourceOf(source) },
    currency: { comparison: currency.comparison, reason: currency.reason },
    settings,
    settingsReplaced: replaced,
    pricesRead: report.context.pricesRead,
    termsRead: report.context.termsRead,
    listed: boundedListed(withWords(report.context.listed)),
    accepted: decision.accepted && {
      words: [decision.accepted.headline, decision.accepted.comparison],
      offers: decision.accepted.offers,
      award: decision.accepted.award && awardOf(decision.accepted.award),
      isRecommended: decision.accepted.isRecommended,
      missingTonnes: decision.accepted.missingTonnes,
      notMet: decision.accepted.notMet,
      flags: decision.accepted.flags,
    },
    recommendation: {
      inWords: recommendationLines(decision),
      status: recommendation.status,
      rule: decision.rule,
      award: recommendation.award && awardOf(recommendation.award),
      reasons: recommendation.reasons,
      conditions: recommendation.conditions,
      changes: recommendation.changes,
      questions: recommendation.questions,
      // Once an offer is accepted, no other is recommended, and the runner-up may be the accepted one.
      runnerUp:
        decision.accepted === null
          ? recommendation.runnerUp && {
              words: recommendation.runnerUp.words,
              award: awardOf(recommendation.runnerUp.award),
            }
          : null,
      closest:
        decision.accepted === null
          ? recommendation.closest && {
              words: recommendation.closest.words,
              award: awardOf(recommendation.closest.award),
            }
          : null,
    },
    summary,
  }
}

const awardOf = ({ offers, tonnes, total, pricePerTonne, coverage, reached, compliant, unmet }: DecisionAward) => ({
  offers: offers.map(({ offerId, label, tonnes: own, pricePerTonne: price, total: cost }) => ({
    ...{ offerId, label, tonnes: own, pricePerTonne: price, total: cost },
  })),
  ...{ tonnes, total, pricePerTonne, coverage, reached, compliant },
  notMet: unmet.map(({ words }) => words),
})

/** The offers of the comparison, ranked ones first. */
export const comparedOffers = (report: RfqReport) =>
  report.offers.map((offer, at) => {
    const { source, id, sequence, label, developer, project, status, late, submittedAt, missingSince } = offer
    const { terms, metrics, compared, scores, rank, priceRank, meetsRequirements, flags } = offer
    return {
      ...{ id, number: sequence, label, developer, project, status, submittedAt, late, missingSince },
      ...{ rank, priceRank, score: scores?.total ?? null, scores },
      pricePerTonne: compared.pricePerTonne,
      ownCurrency: terms.currency,
      ownPricePerTonne: metrics.pricePerTonne,
      total: compared.total,
      tonnes: metrics.volume,
      coverage: metrics.coverage,
      awardedTonnes: report.decision.offers[at]?.awardedTonnes ?? 0,
      expiryDate: terms.expiryDate,
      ...{ firstDelivery: metrics.firstDelivery, lastDelivery: metrics.lastDelivery },
      meetsRequirements,
      // Also not rejected, withdrawn or expired, as far as the settings require it.
      eligible: report.decision.offers[at]?.eligible ?? false,
      notMet: notMetBy(offer, report).map(({ words }) => words),
      flags: flags.map(({ severity, words }) => ({ severity, words })),
      source: sourceOf(source),
    }
  })

const sourceOf = ({ kind, id, version, observedAt }: Source) => ({
  document: kind === 'response' ? 'offer' : kind,
  id,
  version,
  observedAt,
})
