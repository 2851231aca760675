import type { PollCheck } from '../src/read-models/today-model.js'
import type { Store } from '../src/store/contract.js'
import { checkPoll } from './poll-freshness.js'
import { type PollConfig, pollStateLoader } from './readiness.js'

/** Checks each scheduled poll of each channel, as readiness does. */
export function createPollChecks(
  config: PollConfig,
  store: Pick<Store, 'runs' | 'newestCompleteRun'>,
): (now: Date) => Promise<PollCheck[]> {
  const loadPollStates = pollStateLoader(config, store)
  return async (now) =>
    (await loadPollStates(now)).map((state) => ({
      channel: state.channel,
      kind: state.kind,
      ...checkPoll(state, now),
      completeAt: state.newest?.finishedAt ?? null,
      lostEntriesAt: state.failed?.suspicious ? (state.failed.finishedAt ?? null) : null,
    }))
}
