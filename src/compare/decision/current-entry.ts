import type { RfqReport } from '../report/rfq-report-model.js'
import type { SwitchEntry } from './switch-table-model.js'

/** The entry for the settings of the report; null if its rule needs none and it is not solved. */
export function currentEntry({ decision, settings }: Pick<RfqReport, 'decision' | 'settings'>): SwitchEntry | null {
  const { switches, rule } = decision
  const basis = settings.wantedVolume
  const isRegardless = rule === 'cheapest-regardless'
  const key = isRegardless ? `${'0'.repeat(switches.names.length)}|${basis}` : switches.currentKey
  const found = switches.entries.find((entry) => entry.key === key)
  const regardless = switches.regardless.find((one) => one.basis === basis)
  if (found !== undefined || !isRegardless || regardless === undefined) return found ?? null
  return { key, basis, award: regardless.award, closest: null, waived: [], alternatives: null }
}

/** Whether the runner-up and break-even prices of the report follow from the solved awards. */
export const isSolvedAhead = (report: RfqReport): boolean =>
  report.decision.rule !== 'best-score-compliant' && currentEntry(report)?.alternatives != null
