import type { PollPlanning } from '../../src/sync/contract.js'
import type { ChannelFixture } from './channel-fixture.js'

const INTERVAL_MS = 300_000

/** A poll of the schedule: five minutes after the last one, by default with requests for everything. */
export function plannedPoll(fixture: ChannelFixture, planning: Partial<PollPlanning> = {}, signal?: AbortSignal) {
  fixture.advanceSeconds(INTERVAL_MS / 1_000)
  const nextPollAt = new Date(fixture.now().getTime() + INTERVAL_MS)
  return fixture.pollRfqs({
    ...(signal && { signal }),
    planning: {
      ...{ budget: 1_000, perSecond: 10, nextPollAt, intervalMs: INTERVAL_MS },
      ...{ offersMaxAgeMinutes: 60, urgentHours: 24, ...planning },
    },
  })
}
