import type { Store } from '../../store/contract.js'
import type { App } from '../app.js'
import { UsageError } from '../cli-error.js'
import type { ScenarioOption } from './options.js'

/**
 * The configuration with the settings of a scenario of an RFQ; as it is without one.
 * @throws UsageError if the RFQ has no scenario of this name, or its settings cannot be used any more
 */
export async function withScenario(
  app: App,
  store: Store,
  { channel, id: rfqId }: { channel: string; id: string },
  { scenario: name }: ScenarioOption,
): Promise<App> {
  if (name === undefined) return app
  const saved = await store.scenarios({ channel, rfqId })
  const found = saved.find((each) => each.name.toLowerCase() === name.trim().toLowerCase())
  if (found === undefined) {
    const known = saved.map((each) => `"${each.name}"`).join(', ') || 'none'
    throw new UsageError(`the RFQ has no scenario "${name}"; its scenarios: ${known}`)
  }
  const { parseScenario } = await import('../../views/rfq/what-if.js')
  const { reports } = app.config
  const { parsed, problem } = parseScenario(found, reports.settings)
  if (parsed === null) throw new UsageError(`the scenario "${found.name}" cannot be used: ${problem}`)
  return { ...app, config: { ...app.config, reports: { ...reports, settings: parsed.settings, settingsGiven: true } } }
}
