import { randomUUID } from 'node:crypto'
import { DEFAULT_SETTINGS, type Settings } from '../../../src/core/decision/settings.js'
import { createComputeRfqs } from '../../../src/recommendations/compute-rfq.js'
import { createRecommendationRecorder, type RecommendationRecorder } from '../../../src/recommendations/recorder.js'
import type { Store } from '../../../src/store/contract.js'
import { createHolder } from '../../../src/store/runs/process-holder.js'
import { KEY } from '../channel-fixture.js'

/** Terms of an RFQ that are met by what `offerOf` makes. */
export const ASKS_FOR_ANYTHING = {
  contractTypes: ['spot' as const],
  minVintageYear: 'Any' as const,
  maxVintageYear: 'Any' as const,
  fulfilmentDueDate: '2027-12-31',
  pricing: { currency: 'USD', minUnitPrice: 1, maxUnitPrice: 40 },
}

/** An offer of some tonnes at a price, in one delivery. */
export const offerOf = (unitPrice: number, volume: number) => ({
  ...{
    contractType: 'spot' as const,
    currency: 'USD',
    totalVolume: volume,
    totalPrice: volume * unitPrice,
    prePayments: [],
  },
  expiryDate: '2027-06-01',
  scheduledDeliveries: [
    {
      fulfilmentDueDate: '2027-06-30',
      fulfilmentMethod: 'transfer' as never,
      vintages: [
        {
          ...{ name: 'A', volume, unitPrice, mitigationTypes: [] as never[] },
          ...{ reportingPeriodStart: '2025-01-01', reportingPeriodEnd: '2025-12-31' },
        },
      ],
    },
  ],
})

interface RecorderFixture {
  store: Store
  now: () => Date
  settings?: Settings
  timeZone?: string
  /** Called between computing and recording, the first time. */
  beforeRecording?: () => Promise<void>
  /** An RFQ that cannot be computed. */
  failing?: string
  /** Default: a failure fails the test. */
  onFailed?: (rfqId: string, message: string) => void
}

/** The recorder of a process with these settings. */
export function openRecorder(fixture: RecorderFixture): RecommendationRecorder {
  const { store, now, settings = DEFAULT_SETTINGS, timeZone = 'UTC', failing, onFailed } = fixture
  let { beforeRecording } = fixture
  const compute = createComputeRfqs({ store, settings, timeZoneOf: () => timeZone })
  return createRecommendationRecorder({
    ...{ store, now, settings },
    channels: [{ key: KEY, timeZone }],
    // Of another machine, so that nothing is known of its process.
    holder: { ...createHolder({ command: 'quotekeeper start' }), host: randomUUID() },
    onFailed: ({ rfqId }, message) => {
      if (onFailed === undefined) throw new Error(message)
      onFailed(rfqId, message)
    },
    async compute(dirty, at) {
      const { computed, failed, ...batch } = await compute(dirty, at)
      const first = beforeRecording
      beforeRecording = undefined
      await first?.()
      const isFailing = ({ rfqId }: { rfqId: string }) => rfqId === failing
      return {
        ...batch,
        computed: computed.filter((each) => !isFailing(each.dirty)),
        failed: [...failed, ...dirty.filter(isFailing).map((rfq) => ({ rfq, message: 'a number of the wrong kind' }))],
      }
    },
  })
}
