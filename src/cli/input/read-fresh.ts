import type { RfqWithResponses } from '../../core/records.js'
import { nameById } from '../../core/text/rfq-name.js'
import type { Store } from '../../store/contract.js'
import type { RfqSearch } from '../../tables/find-rfq.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { FailedError, UsageError } from '../cli-error.js'
import { errorMessage, isUserFacing } from '../output/error-message.js'
import { describeFreshness } from '../output/freshness.js'
import { printNote } from '../output/output.js'
import { pollChannel } from '../runs/poll-channel.js'
import type { AsOfOption } from './options.js'
import { requireRfq } from './require-rfq.js'
import { configuredChannel } from './select-channels.js'

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
 * @returns the RFQ as it is stored then
 * @throws {FailedError} if they could not be read; what `requireRfq` throws
 */
export async function readFresh(
  cli: Cli,
  { store, app }: { store: Store; app: App },
  search: RfqSearch,
  { orStored = false }: FreshOptions,
): Promise<RfqWithResponses> {
  const { rfq } = await requireRfq(store, search)
  const { channel, id } = rfq
  const problem = await read(cli, { store, app }, { channel, id })
  if (problem !== null) {
    const stored = `what is recorded (${await describeFreshness(cli, store, { channels: [channel], kind: 'rfqs' })})`
    const failed = `the RFQ could not be read from the marketplace: ${problem.replace(/\.$/, '')}`
    if (!orStored) throw new FailedError(`${failed}. To report on ${stored}, leave out --fresh or add --or-stored`)
    printNote(cli, `The report shows ${stored}, because ${failed}.`)
  }
  return requireRfq(store, { channel, name: nameById(id), withoutResponses: true })
}

/** @returns why the RFQ could not be read whole, or null */
async function read(
  cli: Cli,
  { store, app }: { store: Store; app: App },
  { channel, id }: { channel: string; id: string },
): Promise<string | null> {
  try {
    const request = { channel: configuredChannel(app.config, channel), kind: 'rfqs', only: nameById(id) } as const
    const { run, failures } = await pollChannel(cli, app, request)
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
