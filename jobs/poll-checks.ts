import type { PollCheck } from '../src/read-models/today-model.js'
import type { Store } from '../src/store/contract.js'
import { checkPollFreshness } from './poll-freshness.js'
import { type PollConfig, pollStateLoader } from './readiness.js'

/** Checks each scheduled poll of each channel, as readiness does. */
export function createPollChecks(
  config: PollConfig,
  store: Pick<Store, 'runs' | 'newestRun'>,
): (now: Date) => Promise<PollCheck[]> {
  const loadPollStates = pollStateLoader(config, store)
  return async (now) => {
    const states = await loadPollStates(now)
    const checks = checkPollFreshness(states, now)
    return states.map(({ channel, kind, newest }, at) => ({
      channel,
      kind,
      ok: checks[at]?.ok ?? true,
      message: checks[at]?.message ?? '',
      completeAt: newest?.finishedAt ?? null,
    }))
  }
}
