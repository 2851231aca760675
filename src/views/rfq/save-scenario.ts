import { MAX_SCENARIO_NAME, MAX_SCENARIOS, type Scenario } from '../../core/decision/scenario.js'
import type { Settings } from '../../core/decision/settings.js'
import { nameProblem, oneLine } from '../../core/text/clean-text.js'
import type { Scenarios } from '../../store/contract.js'
import { parseScenario } from './what-if.js'

/** What operators do with scenarios, on pages and over the API. */
export type ScenarioActions = Pick<Scenarios, 'saveScenario' | 'deleteScenario'>

/** A scenario that a person wants to save. */
export interface ScenarioOrder extends Omit<Scenario, 'at'> {
  now: Date
  /** Whether a scenario with this name is replaced. */
  replace: boolean
  /** The settings in force. */
  base: Settings
}

/** Why a scenario was not saved. */
export interface ScenarioRefusal {
  code: 'invalid' | 'exists' | 'full'
  /** In sentences. */
  message: string
}

/**
 * Saves a scenario, unless its name or settings are not valid, its name is taken, or the RFQ has too many.
 * @throws StoreError
 */
export async function saveScenario(
  actions: ScenarioActions,
  { now, replace, base, ...order }: ScenarioOrder,
): Promise<{ saved: Scenario } | { refused: ScenarioRefusal }> {
  const name = oneLine(order.name)
  const invalid = findMistake({ ...order, name }, base)
  if (invalid !== null) return { refused: { code: 'invalid', message: invalid } }
  const result = await actions.saveScenario({ ...order, name, at: now.toISOString() }, { replace })
  if ('saved' in result) return result
  if ('full' in result)
    return {
      refused: { code: 'full', message: `The RFQ has ${MAX_SCENARIOS} scenarios, the most it can have. Delete one.` },
    }
  const { existing } = result
  const message = `The RFQ has a scenario “${existing.name}” already, saved by ${existing.by} on ${existing.at.slice(0, 10)}.`
  return { refused: { code: 'exists', message: `${message} Replace it, or choose another name.` } }
}

function findMistake({ name, settings }: Pick<Scenario, 'name' | 'settings'>, base: Settings): string | null {
  const problem = nameProblem(name, MAX_SCENARIO_NAME)
  if (problem !== null) return `The name ${problem}; use 1 to ${MAX_SCENARIO_NAME} visible characters.`
  if (Object.keys(settings).length === 0) return 'No setting is changed; a scenario has at least one.'
  return parseScenario({ settings }, base).problem
}
