import { z } from 'zod'
import { MAX_SCENARIO_NAME } from '../../core/decision/scenario.js'
import { saveScenario } from '../../views/rfq/save-scenario.js'
import { savedScenario } from '../../views/rfq/what-if.js'
import { type ActionEndpoint, action, rfqOfPath, userName } from './actions.js'
import { ProblemError, unknownName } from './problem.js'

const PATH = '/rfqs/{org}/{channel}/{rfq}/scenarios'

const value = z.string({ error: 'a text' }).max(100, { error: 'at most 100 characters' })

/** What an operator does with scenarios. */
export const SCENARIO_ENDPOINTS: readonly ActionEndpoint[] = [
  action({
    id: 'saveScenario',
    method: 'POST',
    path: PATH,
    summary: 'Save settings of a comparison under a name',
    description:
      'An RFQ has at most 20 scenarios. 409 if it has that many, or one with this name that is not to be replaced.',
    body: z.strictObject({
      name: z.string({ error: 'a text' }).describe(`At most ${MAX_SCENARIO_NAME} characters. Case does not matter.`),
      settings: z
        .record(z.string().max(100), value, { error: 'values as text by name' })
        .describe(
          'What it replaces: parameters of `comparison`, such as `{"volume": "8000", "awardRule": "lowest-cost"}`.',
        ),
      replace: z.boolean({ error: 'true or false' }).default(false).describe('Whether it replaces one with this name.'),
    }),
    result: savedScenario,
    status: 201,
    problems: [404, 409, 413, 415],
    async handle(call) {
      const { body, deps } = call
      const rfq = await rfqOfPath(call)
      const order = { ...rfq, ...body, by: userName(call), now: deps.now(), base: deps.settings }
      const result = await saveScenario(deps.scenarios, order)
      if ('saved' in result) return result.saved
      throw new ProblemError(result.refused.code === 'invalid' ? 400 : 409, result.refused.message)
    },
  }),
  action({
    id: 'deleteScenario',
    method: 'DELETE',
    path: `${PATH}/{scenario}`,
    summary: 'Delete a scenario',
    description: 'Answers with what was deleted.',
    result: savedScenario,
    problems: [404, 409],
    async handle(call) {
      const name = call.path.scenario ?? ''
      const deleted = await call.deps.scenarios.deleteScenario(await rfqOfPath(call), name)
      if (deleted === null) throw unknownName('scenario', name, [])
      return deleted
    },
  }),
]
