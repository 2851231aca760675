import { randomUUID } from 'node:crypto'
import { DEFAULT_SETTINGS, type Settings } from '../../src/core/settings.js'
import { type ComputeSource, computeRfqs } from '../../src/recommendations/compute-rfq.js'
import { createRecommendationRecorder, type RecommendationRecorder } from '../../src/recommendations/recorder.js'
import type { Store } from '../../src/store/contract.js'
import { KEY } from './channel-fixture.js'

interface RecorderFixture {
  store: Store
  now: () => Date
  settings?: Settings
  timeZone?: string
  /** Called with each RFQ that is computed. */
  onCompute?: (rfqId: string) => void
}

/** What recommendations of one channel are computed from. */
export const computeSource = ({
  store,
  settings = DEFAULT_SETTINGS,
  timeZone = 'UTC',
}: RecorderFixture): ComputeSource => ({
  store,
  settings,
  timeZoneOf: () => timeZone,
  settingsAt: async (own) => own,
  rateFetches: async () => [],
})

/** The recorder of a process with these settings. */
export function openRecorder(fixture: RecorderFixture): RecommendationRecorder {
  const { store, now, settings = DEFAULT_SETTINGS, timeZone = 'UTC', onCompute } = fixture
  const source = computeSource(fixture)
  return createRecommendationRecorder({
    ...{ store, now, settings },
    channels: [{ key: KEY, timeZone }],
    rateFetches: source.rateFetches,
    holder: randomUUID(),
    command: 'quotekeeper start',
    compute: (dirty, at) => {
      for (const { rfqId } of dirty) onCompute?.(rfqId)
      return computeRfqs(source, dirty, at, (error) => {
        throw error
      })
    },
  })
}
