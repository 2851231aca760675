import { DEFAULT_SETTINGS, type Settings } from '../../core/decision/settings.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import type { ReportContext } from '../input/comparison-context.js'

/** The command that makes the workbook of a comparison again, whatever the configuration says by then: with every setting that has not its default. @param name of the RFQ, as commands take it */
export function reportCommand(
  { channel, asOf }: Pick<ReportContext, 'channel' | 'asOf'>,
  name: string,
  settings: Settings,
): string {
  const options = assignmentsOf(settings).map((assignment) => ` --set ${quoteForShell(assignment)}`)
  return `quotekeeper report ${quoteForShell(name)} --channel ${quoteForShell(channel)} --as-of ${asOf}${options.join('')}`
}

/** `KEY=VALUE` of every setting that has not its default. The rates that are used stand for where they come from. */
const assignmentsOf = ({ ratesFrom: _from, outdatedRates: _outdated, ...settings }: Settings): string[] =>
  Object.entries(settings).flatMap(([name, value]) => differences(name, value, Object(DEFAULT_SETTINGS)[name]))

function differences(name: string, value: unknown, usual: unknown): string[] {
  if (JSON.stringify(value) === JSON.stringify(usual)) return []
  const isSection = typeof value === 'object' && value !== null && typeof usual === 'object' && usual !== null
  if (!isSection) return [`${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`]
  return Object.entries(value).flatMap(([key, each]) => differences(`${name}.${key}`, each, Object(usual)[key]))
}
