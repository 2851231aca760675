import type { Decision, Recommendation } from './decision-model.js'
import { RULE_TEXT } from './recommendation-input.js'

/** The recommendation in three lines: whom to award, why, and what to check first. Banners come first. */
export function recommendationLines({ banners, recommendation, rule }: Decision): string[] {
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

const MAX_CHECKS = 5

function checksOf({ conditions, breakEven, changes, award }: Recommendation): string[] {
  if (award === null) return changes.slice(0, 2)
  const more = conditions.length > MAX_CHECKS ? [`${conditions.length - MAX_CHECKS} more in the report.`] : []
  return [...conditions.slice(0, MAX_CHECKS), ...more, ...breakEven.slice(0, 1).map(({ words }) => words)]
}
