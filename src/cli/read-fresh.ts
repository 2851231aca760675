import type { Store } from '../store/contract.js'
import type { App } from './app.js'
import type { Cli } from './cli-context.js'
import { FailedError, UsageError } from './cli-error.js'
import { errorMessage, isUserFacing } from './error-message.js'
import { describeFreshness } from './freshness.js'
import type { AsOfOption } from './options.js'
import { printNote } from './output.js'
import { pollChannel } from './poll-channel.js'
import { findChannel } from './select-channels.js'

/** `--fresh` and `--or-stored`. */
export interface FreshOptions {
  fresh?: boolean
  orStored?: boolean
}

/** @throws {UsageError} for options that contradict `--fresh` */
export function checkFreshOptions({ fresh, orStored, asOf }: FreshOptions & AsOfOption, rfq: string | undefined): void {
  if (orStored && !fresh) throw new UsageError('--or-stored says what to do if --fresh fails; use both')
  if (!fresh) return
  if (rfq === undefined)
    throw new UsageError('--fresh reads one RFQ: name it. For a channel, run `quotekeeper sync` first')
  if (asOf !== undefined) throw new UsageError('--fresh reports on now, and --as-of on a past moment; use one of them')
}

/**
 * Reads the list of a channel, and an RFQ with its offers, in a run of its own. With `orStored`, a failure is a note.
 * @throws {FailedError} if they could not be read
 */
export async function readFresh(
  cli: Cli,
  { store, app }: { store: Store; app: App },
  { channel, id }: { channel: string; id: string },
  { orStored = false }: FreshOptions,
): Promise<void> {
  const problem = await readRfq(cli, { store, app }, { channel, id })
  if (problem === null) return
  const stored = `what is recorded (${await describeFreshness(cli, store, { channels: [channel], kind: 'rfqs' })})`
  const failed = `the RFQ could not be read from the marketplace: ${problem.replace(/\.$/, '')}`
  if (!orStored) throw new FailedError(`${failed}. To report on ${stored}, leave out --fresh or add --or-stored`)
  printNote(cli, `The report shows ${stored}, because ${failed}.`)
}

/** @returns why it could not be read, or null */
async function readRfq(
  cli: Cli,
  { store, app }: { store: Store; app: App },
  { channel, id }: { channel: string; id: string },
): Promise<string | null> {
  const configured = findChannel(app.config, channel)
  try {
    const { run, failures } = await pollChannel(cli, app, { channel: configured, kind: 'rfqs', only: id })
    // Of some offers, if the RFQ itself was read.
    if (failures[0]) return failures[0].message
    const state = (await store.rfqStates(channel)).find((each) => each.id === id)
    if ((state?.detailReadAt ?? '') >= run.startedAt) return null
    if (run.outcome !== 'failed' && state?.missingSince) return `it is no longer listed since ${state.missingSince}`
    return run.error ?? 'it is not in the list of the channel'
  } catch (error) {
    // A poll did not end in time, or the marketplace asked for a pause.
    if (error instanceof Error && isUserFacing(error)) return errorMessage(error)
    throw error
  }
}
