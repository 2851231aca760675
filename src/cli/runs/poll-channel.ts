import type { ChannelConfig } from '../../config/contract.js'
import type { RunKind } from '../../core/records.js'
import type { PollKind, Store } from '../../store/contract.js'
import { pausedUntil } from '../../store/runs/with-run.js'
import type { PollResult } from '../../sync/contract.js'
import { pollContext, pollListings, pollOptions } from '../../sync/poll.js'
import { pollRfqs } from '../../sync/poll-rfqs.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { FailedError } from '../cli-error.js'
import { printNote } from '../output/output.js'

interface PollRequest {
  channel: ChannelConfig
  kind: PollKind
  full?: boolean
  acceptLoss?: boolean
  /** The id of the only RFQ to read. */
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

/** What a run that a person starts says when it waits for another one on its channel. */
export const noteWaiting =
  (cli: Pick<Cli, 'io' | 'scrub'>) =>
  (holder: string): void =>
    printNote(cli, `Waiting until ${holder}, has recorded what it is reading; Ctrl-C ends the waiting.`)

/**
 * Polls the listings or the RFQs of one channel in this process.
 * @throws {FailedError} during a Retry-After pause; StoreError
 */
export async function pollChannel(cli: Cli, app: App, request: PollRequest): Promise<PollResult> {
  const { channel, kind, full = false, acceptLoss = false, only, onProgress } = request
  const { io } = cli
  const store = await app.store()
  await refuseDuringPause(store, { channel: channel.key, kind }, io.now())
  const services = { marketplace: await app.marketplace(), store, now: io.now }
  const context = {
    ...pollContext(services, channel, io.stop),
    ...{ acceptLoss, byHand: true, onWait: noteWaiting(cli) },
    ...(onProgress && { onProgress }),
  }
  if (kind === 'listings') return pollListings(context)
  const options = { ...pollOptions(app.config), ...(only && { only }) }
  return pollRfqs(context, full ? { ...options, recheckClosedHours: 0 } : options)
}
