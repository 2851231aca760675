import type { RfqSnapshot, RunHandle, Store } from '../../../src/store/contract.js'
import { observeResponse, observeRfq } from '../data/observed.js'
import { holdingRun } from './holding-run.js'
import { openNewStore } from './new-store.js'

/** The channel of the runs that `begin` starts. */
export const CHANNEL = 'acme/forest'
/** A time on the day of these tests. */
export const at = (time: string): Date => new Date(`2026-11-21T${time}Z`)

/** A new store whose clock stands at noon. */
export const noonStore = (): Promise<Store> => openNewStore({ clock: () => at('12:00:00') })

/** Begins a run at eight o'clock. */
export const begin = (store: Store, kind: 'rfqs' | 'listings' = 'rfqs'): Promise<RunHandle> =>
  holdingRun(store, { channel: CHANNEL, kind, now: at('08:00:00') })

/** An RFQ that was read with all of its responses. */
export const rfqSnapshot = (rfq: unknown, responses: unknown[], readAt: Date): RfqSnapshot => ({
  rfq: { ...observeRfq(JSON.stringify(rfq)), shape: 'full' },
  responses: responses.map((response) => observeResponse(JSON.stringify(response))),
  responsesComplete: true,
  readAt,
})
