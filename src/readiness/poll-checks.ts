import type { Store } from '../store/contract.js'
import { checkPoll } from './poll-freshness.js'
import { type PollConfig, pollStateLoader } from './readiness.js'

/** Whether one kind of poll of a channel is behind its schedule. */
export interface PollCheck {
  channel: string
  kind: 'listings' | 'rfqs'
  ok: boolean
  message: string
  /** When the newest complete poll finished; null if none did. */
  completeAt: string | null
  /** When a poll found that the list had suddenly lost most of its entries; null unless the newest one did. */
  lostEntriesAt: string | null
}

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
