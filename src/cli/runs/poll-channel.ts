import type { ChannelConfig } from '../../config/contract.js'
import type { RunKind } from '../../core/records.js'
import type { Store } from '../../store/contract.js'
import { pausedUntil } from '../../store/runs/with-run.js'
import type { PollResult } from '../../sync/contract.js'
import { pollContext, pollOptions } from '../../sync/poll-inputs.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { FailedError } from '../cli-error.js'
import { type WaitOptions, waitAndRun } from './wait-and-run.js'

export type PollKind = Extract<RunKind, 'listings' | 'rfqs'>

export interface PollRequest extends WaitOptions {
  channel: ChannelConfig
  kind: PollKind
  full?: boolean
  acceptLoss?: boolean
  /** A name of the only RFQ to read (rfq-name.ts). */
  only?: string
  onProgress?: (progress: { done: number; total: number }) => void
}

/** Throws FailedError during a Retry-After pause of this kind of run. */
export async function refuseDuringPause(
  store: Pick<Store, 'newestRun'>,
  run: { channel: string; kind: RunKind },
  now: Date,
): Promise<void> {
  const until = await pausedUntil(store, run, now)
  if (until !== null)
    throw new FailedError(`the marketplace asked for a pause (Retry-After) until ${until}; run again then`)
}

/**
 * Polls the listings or the RFQs of one channel in this process, when it is its turn.
 * @throws {FailedError} during a Retry-After pause; RunBusyError, StoreError
 */
export async function pollChannel(cli: Cli, app: App, request: PollRequest): Promise<PollResult> {
  const { channel, kind, full = false, acceptLoss = false, only, onProgress } = request
  const { io } = cli
  return waitAndRun(cli, await app.store(), request, async (store) => {
    await refuseDuringPause(store, { channel: channel.key, kind }, io.now())
    const services = { marketplace: await app.marketplace(), store, now: io.now }
    const context = { ...pollContext(services, channel, io.stop), acceptLoss, ...(onProgress ? { onProgress } : {}) }
    if (kind === 'listings') return (await import('../../sync/poll-listings.js')).pollListings(context)
    const { pollRfqs } = await import('../../sync/poll-rfqs.js')
    return pollRfqs(context, { ...pollOptions(app.config), full, ...(only !== undefined && { only }) })
  })
}
