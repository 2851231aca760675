import type { Config } from '../config/contract.js'
import { ratesTask } from '../rates/rate-source.js'
import type { MaintenanceLog, MaintenanceTask } from '../store/contract.js'
import type { ReadinessCheck } from './contract.js'

/**
 * The state of the configured maintenance tasks, in one line each. They never make the service unready, because no restart would
 * change them.
 */
export async function describeMaintenance(
  store: Pick<MaintenanceLog, 'maintenanceState'>,
  { rates = null }: Partial<Pick<Config, 'rates'>>,
): Promise<ReadinessCheck[]> {
  return [
    ...(await describeFailure(store, 'prune', 'pruning')),
    ...(rates === null ? [] : await describeFailure(store, ratesTask(rates), 'exchange rates')),
  ]
}

async function describeFailure(
  store: Pick<MaintenanceLog, 'maintenanceState'>,
  task: MaintenanceTask,
  name: string,
): Promise<ReadinessCheck[]> {
  const state = await store.maintenanceState(task)
  return state === null || state.error === null ? [] : [{ name, ok: true, message: `not done: ${state.error}` }]
}
