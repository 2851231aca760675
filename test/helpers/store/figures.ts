import { DEFAULT_SETTINGS, type Settings } from '../../../src/core/decision/settings.js'
import { createFigureComputer } from '../../../src/figures/compute-figures.js'
import type { FigureComputer, Store } from '../../../src/store/contract.js'
import { openAgain } from './store-engine.js'

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

/** Computes figures with these settings; a failure fails the test. */
export const figuresWith = (settings: Settings = DEFAULT_SETTINGS, timeZone = 'UTC'): FigureComputer =>
  createFigureComputer({
    settings,
    timeZoneOf: () => timeZone,
    onFailed: (_, message) => {
      throw new Error(message)
    },
  })

/** Writes the figures that are not current, as another process that is started with these settings does. */
export async function refreshFigures(
  { store, now }: { store: Store; now: () => Date },
  figures: FigureComputer = figuresWith(),
): Promise<void> {
  const process = await openAgain(store.name, { figures, clock: now })
  try {
    await process.claimFigures('process')
    for (const channel of await process.storedChannels()) while ((await process.refreshFigures(channel, now())) !== 0);
  } finally {
    await process.close()
  }
}
