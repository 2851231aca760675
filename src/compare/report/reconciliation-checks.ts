import { formatCount } from '../../core/number-format.js'
import type { Check, CheckCounts, Checks } from './check-model.js'
import { dataChecks } from './data-checks.js'
import { figureChecks, type ReportFigures } from './figure-checks.js'

/** Runs all reconciliation checks. */
export function checksOf(figures: ReportFigures): Checks {
  const checks = [...figureChecks(figures), ...dataChecks(figures)]
  return { checks, master: masterOf(checks) }
}

function masterOf(checks: readonly Check[]): Checks['master'] {
  const figures = countsOf(checks.filter(({ about }) => about === 'figures'))
  const data = countsOf(checks.filter(({ about }) => about === 'data'))
  const verdict = figures.fails > 0 ? 'fails' : data.fails > 0 ? 'attention' : 'ok'
  const words = {
    ok: "All calculations reconcile, and so does the marketplace's data.",
    attention: `All calculations reconcile; ${formatCount(data.fails, 'check')} on the marketplace's data ${data.fails === 1 ? 'fails' : 'fail'}.`,
    fails: `${formatCount(figures.fails, 'figure')} in this report ${figures.fails === 1 ? 'does' : 'do'} not reconcile: do not rely on the report.`,
  }[verdict]
  return { verdict, figures, data, words }
}

function countsOf(checks: readonly Check[]): CheckCounts {
  const counts = { ok: 0, rounding: 0, fails: 0, unknown: 0 }
  for (const { verdict } of checks) counts[verdict]++
  return counts
}
