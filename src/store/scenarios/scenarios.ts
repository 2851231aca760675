import { MAX_SCENARIOS, type Scenario } from '../../core/decision/scenario.js'
import { canonicalJson } from '../../core/documents/canonical-json.js'
import { fromStoredText, toStoredText } from '../documents/stored-text.js'
import type { Queries, SqlDatabase } from '../sql/sql-database.js'
import type { Scenarios } from './scenario-contract.js'

/** A row of `scenarios`. */
interface ScenarioRow {
  channel: string
  rfq_id: string
  /** The name without differences of case. */
  name_key: string
  name: string
  settings: string
  by_whom: string
  at: string
}

type RfqId = Pick<Scenario, 'channel' | 'rfqId'>

/** The queries of readers. */
export const createScenarioQueries = (database: Queries): Pick<Scenarios, 'scenarios'> => ({
  scenarios: async (rfq) => (await rowsOf(database, rfq)).map(toScenario),
})

/** Named settings of what-if comparisons. */
export const createScenarios = (database: SqlDatabase): Scenarios => ({
  ...createScenarioQueries(database),

  saveScenario: (scenario, { replace = false } = {}) =>
    database.write(async (tx) => {
      await tx.lock('scenarios', scenario.channel, scenario.rfqId)
      const rows = await rowsOf(tx, scenario)
      const row = toRow(scenario)
      const existing = rows.find(({ name_key }) => name_key === row.name_key)
      if (existing !== undefined && !replace) return { existing: toScenario(existing) }
      if (existing === undefined && rows.length >= MAX_SCENARIOS) return { full: true }
      await tx.run(DELETE, keyOf(scenario))
      await tx.run(INSERT, { ...row })
      return { saved: scenario }
    }),

  deleteScenario: (rfq, name) =>
    database.write(async (tx) => {
      const key = keyOf({ ...rfq, name })
      const row = await tx.get<ScenarioRow>(`select * from scenarios where ${ONE}`, key)
      if (row === undefined) return null
      await tx.run(DELETE, key)
      return toScenario(row)
    }),
})

const ONE = 'channel = @channel and rfq_id = @rfq_id and name_key = @name_key'
const DELETE = `delete from scenarios where ${ONE}`
const INSERT = `
insert into scenarios (channel, rfq_id, name_key, name, settings, by_whom, at)
values (@channel, @rfq_id, @name_key, @name, @settings, @by_whom, @at)`

const rowsOf = (queries: Queries, { channel, rfqId }: RfqId): Promise<ScenarioRow[]> =>
  queries.all('select * from scenarios where channel = @channel and rfq_id = @rfqId order by name_key', {
    channel,
    rfqId: toStoredText(rfqId),
  })

const keyOf = ({ channel, rfqId, name }: Pick<Scenario, 'channel' | 'rfqId' | 'name'>) => ({
  channel,
  rfq_id: toStoredText(rfqId),
  name_key: toStoredText(name.normalize('NFKC').toLowerCase()),
})

const toRow = (scenario: Scenario): ScenarioRow => ({
  ...keyOf(scenario),
  name: toStoredText(scenario.name),
  settings: canonicalJson(scenario.settings),
  by_whom: toStoredText(scenario.by),
  at: scenario.at,
})

const toScenario = (row: ScenarioRow): Scenario => ({
  channel: row.channel,
  rfqId: fromStoredText(row.rfq_id),
  name: fromStoredText(row.name),
  settings: JSON.parse(row.settings) as Scenario['settings'],
  by: fromStoredText(row.by_whom),
  at: row.at,
})
