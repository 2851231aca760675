import type { Config } from '../config/contract.js'
import { formatAge } from '../core/sources/source-text.js'
import { ratesTask } from '../rates/rate-source.js'
import type { MaintenanceLog, MaintenanceTask } from '../store/contract.js'
import type { ReadinessCheck } from './contract.js'

/**
 * The state of the configured maintenance tasks, in one line each. They never make the service unready, because no restart would
 * change them; `quotekeeper check` fails on a failed anchor.
 */
export async function describeMaintenance(
  store: Pick<MaintenanceLog, 'maintenanceState'>,
  { anchors, rates = null }: Partial<Pick<Config, 'anchors' | 'rates'>>,
  now: Date,
): Promise<ReadinessCheck[]> {
  const isAnchored = anchors != null && anchors.to !== null && anchors.schedule !== null
  return [
    ...(isAnchored ? [await describeAnchors(store, now)] : []),
    ...(await describeFailure(store, 'prune', 'pruning')),
    ...(rates === null ? [] : await describeFailure(store, ratesTask(rates), 'exchange rates')),
  ]
}

async function describeAnchors(store: Pick<MaintenanceLog, 'maintenanceState'>, now: Date): Promise<ReadinessCheck> {
  const state = await store.maintenanceState('anchor')
  const { succeededAt = null, failures = 0, error = null } = state ?? {}
  const last = succeededAt === null ? 'no anchor written yet' : `last anchor written ${formatAge(succeededAt, now)} ago`
  const problem = failures > 0 ? `; failed ${times(failures)} since: ${error}` : ''
  return { name: 'anchors', ok: true, message: last + problem }
}

async function describeFailure(
  store: Pick<MaintenanceLog, 'maintenanceState'>,
  task: MaintenanceTask,
  name: string,
): Promise<ReadinessCheck[]> {
  const state = await store.maintenanceState(task)
  if (state === null || state.failures === 0) return []
  return [{ name, ok: true, message: `failed ${times(state.failures)}: ${state.error}` }]
}

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)
