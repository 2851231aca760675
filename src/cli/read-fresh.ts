import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '../store/contract.js'
import { RunBusyError } from '../store/errors.js'
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
  let startedAt = ''
  try {
    const poll = () => {
      startedAt = cli.io.now().toISOString()
      return pollChannel(cli, app, { channel: configured, kind: 'rfqs', only: id })
    }
    const { run, failures } = await whenNotBusy(cli, channel, poll)
    const state = (await store.rfqStates(channel)).find((each) => each.id === id)
    if ((state?.detailReadAt ?? '') >= startedAt) return null
    if (run.outcome !== 'failed' && state?.missingSince) return `it is no longer listed since ${state.missingSince}`
    return failures[0]?.message ?? run.error ?? 'it is not in the list of the channel'
  } catch (error) {
    // A poll is running, or the marketplace asked for a pause.
    if (error instanceof Error && isUserFacing(error)) return errorMessage(error)
    throw error
  }
}

/** Where requests are scarce, the polls of the service take most of the time. */
const MAX_WAIT_MS = 120_000
const TRY_AGAIN_MS = 250

/** Polls, as soon as no other poll of the channel is running. */
async function whenNotBusy<T>(cli: Pick<Cli, 'io' | 'scrub'>, channel: string, poll: () => Promise<T>): Promise<T> {
  const end = performance.now() + MAX_WAIT_MS
  for (let tries = 0; ; tries++) {
    try {
      return await poll()
    } catch (error) {
      if (!(error instanceof RunBusyError) || performance.now() > end || cli.io.stop.aborted) throw error
      if (tries === 0)
        printNote(cli, `Waiting up to two minutes for the end of the poll of ${channel} that is in progress.`)
      // Ctrl-C ends the wait; the error then says what was in progress.
      await delay(TRY_AGAIN_MS, undefined, { signal: cli.io.stop }).catch(() => undefined)
    }
  }
}
