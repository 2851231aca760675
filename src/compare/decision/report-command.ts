import { DEFAULT_SETTINGS, type Settings } from '../../core/decision/settings.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import type { ReportContext } from '../input/comparison-context.js'

/**
 * The command that regenerates the workbook of a comparison: it states every setting that differs from its default, so that later
 * changes of the configuration do not matter.
 * @param name of the RFQ, as commands take it
 */
export function reportCommand(
  { channel, asOf }: Pick<ReportContext, 'channel' | 'asOf'>,
  name: string,
  settings: Settings,
): string {
  const options = assignmentsOf(settings).map((assignment) => ` --set ${quoteForShell(assignment)}`)
  return `quotekeeper report ${quoteForShell(name)} --channel ${quoteForShell(channel)} --as-of ${asOf}${options.join('')}`
}

/** `KEY=VALUE` of every setting that differs from its default. Exchange rates are stated instead of their source. */
const assignmentsOf = ({ ratesFrom: _from, outdatedRates: _outdated, ...settings }: Settings): string[] =>
  Object.entries(settings).flatMap(([name, value]) => differences(name, value, Object(DEFAULT_SETTINGS)[name]))

function differences(name: string, value: unknown, usual: unknown): string[] {
  if (JSON.stringify(value) === JSON.stringify(usual)) return []
  const isSection = typeof value === 'object' && value !== null && typeof usual === 'object' && usual !== null
  if (!isSection) return [`${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`]
  return Object.entries(value).flatMap(([key, each]) => differences(`${name}.${key}`, each, Object(usual)[key]))
}
