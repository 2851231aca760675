import type { Closings, RunQueries } from '../../store/contract.js'
import { listReason } from '../round-state.js'
import { type ClosingSwitches, closingKillSwitch } from './kill-switch.js'

/** Why a closing round of a channel would close no RFQ at all now; null if nothing keeps it from closing. */
export type ClosingHold = (channel: string, now: Date) => Promise<string | null>

/** Finds what holds all closing of a channel: a list that lost most of its entries or was not recorded, or the kill switch (docs/CLOSING.md, rules 2 and 10). */
export function createClosingHold(
  config: ClosingSwitches,
  store: Pick<RunQueries, 'newestListRead'> & Pick<Closings, 'closingStop'>,
): ClosingHold {
  const killSwitch = closingKillSwitch(config, store)
  return async (channel, now) =>
    (await killSwitch()) ?? listReason(await store.newestListRead(channel, now))?.text ?? null
}
