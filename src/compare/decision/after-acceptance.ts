import type { AcceptedAward, Decision, Recommendation, Savings, Scenario, ScoreLead } from './decision-model.js'
import { SCENARIO_TEXT } from './decision-scenarios.js'

const BY_THE_RULE = 'By the award rule'
const NEXT_BEST = 'Next best by the award rule'

/** The decision with the figures of the rule, in words that recommend no further award and call no accepted offer the runner-up. */
export const afterAcceptance = (decision: Decision, accepted: AcceptedAward): Decision => ({
  ...decision,
  recommendation: recommendationOf(decision.recommendation, accepted),
  scenarios: decision.scenarios.map((one) => ({ ...one, title: titleOf(one) })),
  savings: decision.savings && savingsOf(decision.savings),
  scoreLead: decision.scoreLead && scoreLeadOf(decision.scoreLead),
})

function recommendationOf(
  recommendation: Recommendation,
  { headline, comparison, notMet }: AcceptedAward,
): Recommendation {
  const { runnerUp } = recommendation
  return {
    ...recommendation,
    headline,
    awards: [],
    reasons: [comparison],
    conditions: notMet,
    changes: [],
    questions: [],
    runnerUp: runnerUp && { ...runnerUp, words: runnerUp.words.replace('The runner-up', NEXT_BEST) },
  }
}

const titleOf = ({ scenario, title }: Pick<Scenario, 'scenario' | 'title'>) =>
  scenario === 'recommended' ? BY_THE_RULE : title

/** The title and rule of a scenario: once an offer is accepted, the award of the rule is not called recommended. */
export function scenarioText(
  scenario: keyof typeof SCENARIO_TEXT,
  { accepted }: Pick<Decision, 'accepted'>,
): Pick<Scenario, 'title' | 'rule'> {
  const text = SCENARIO_TEXT[scenario]
  return accepted === null ? text : { ...text, title: titleOf({ scenario, title: text.title }) }
}

const savingsOf = (savings: Savings): Savings => ({
  ...savings,
  baselines: savings.baselines.map((one) =>
    one.baseline === 'next-best' ? { ...one, title: NEXT_BEST, words: one.words.replace(one.title, NEXT_BEST) } : one,
  ),
})

const scoreLeadOf = (lead: ScoreLead): ScoreLead => ({
  ...lead,
  factors: lead.factors.map((one) => ({
    ...one,
    title: one.title.replace('the recommended offer', 'the offer that the award rule chooses'),
  })),
})
