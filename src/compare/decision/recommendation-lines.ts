import type { Decision, Recommendation } from './decision-model.js'
import { RULE_TEXT } from './recommendation-input.js'

/**
 * The recommendation in three lines: whom to award, why, and what to check first. Banners come first. Once an offer is
 * accepted: the accepted award, how it compares with what the rule chooses, what it does not meet, and its high flags.
 */
export function recommendationLines({ banners, recommendation, rule, accepted }: Decision): string[] {
  if (accepted !== null) {
    const { headline, comparison, notMet, flags } = accepted
    const others = banners.filter(({ code }) => code !== 'offer-accepted').map(({ words }) => words)
    const unmet = notMet.length === 0 ? [] : [['Not met:', ...bounded(notMet)].join(' ')]
    const checks = flags.length === 0 ? [] : [['Check:', ...flags].join(' ')]
    return [[headline, ...others].join(' '), `Compared: ${comparison}`, ...unmet, ...checks]
  }
  const facts = banners.map(({ words }) => words)
  return [
    ['Recommendation:', ...facts, recommendation.headline].join(' '),
    ['Why:', ...whyOf(recommendation, RULE_TEXT[rule].title)].join(' '),
    ['Check:', ...checksOf(recommendation)].join(' '),
  ].filter((line) => !/^\w+:$/.test(line))
}

/** Without the full text of the rule and the score, which the report shows. */
function whyOf({ status, award, reasons, runnerUp }: Recommendation, rule: string): string[] {
  if (award === null) return reasons
  const partial = status === 'partial' ? reasons.slice(0, 1) : []
  const coverage = reasons.filter((words) => words.startsWith('Covers'))
  return [`${rule}.`, ...(partial.length > 0 ? partial : coverage), ...(runnerUp === null ? [] : [runnerUp.words])]
}

/** Up to three are high flags. */
const MAX_CHECKS = 8

function checksOf({ conditions, breakEven, changes, award }: Recommendation): string[] {
  if (award === null) return changes.slice(0, 2)
  return [...bounded(conditions), ...breakEven.slice(0, 1).map(({ words }) => words)]
}

const bounded = (sentences: readonly string[]): string[] =>
  sentences.length <= MAX_CHECKS
    ? [...sentences]
    : [...sentences.slice(0, MAX_CHECKS), `${sentences.length - MAX_CHECKS} more in the report.`]
