import type { RfqWithResponses } from '../../core/records.js'
import { nameById } from '../../core/text/rfq-name.js'
import type { Store } from '../../store/contract.js'
import type { PollResult } from '../../sync/contract.js'
import { findRfq, type RfqSearch } from '../../tables/find-rfq.js'
import { sanitize } from '../../tables/print/terminal-text.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { FailedError, UsageError } from '../cli-error.js'
import { errorMessage, isUserFacing } from '../output/error-message.js'
import { describeFreshness } from '../output/freshness.js'
import { printNote } from '../output/output.js'
import { pollChannel } from '../runs/poll-channel.js'
import type { AsOfOption } from './options.js'
import { toCliError } from './require-rfq.js'
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
 * Reads the list of a channel, and an RFQ with its offers, in a run of its own: of an RFQ that the database does not know, the lists of
 * all channels that it may be in. With `orStored`, a failure is a note.
 * @returns the RFQ as it is stored then
 * @throws {FailedError} if they could not be read; what `requireRfq` throws
 */
export async function readFresh(
  cli: Cli,
  { store, app }: FreshContext,
  search: RfqSearch,
  options: FreshOptions,
): Promise<RfqWithResponses> {
  const known = await findRfq(store, search)
  if ('problem' in known && known.problem.reason === 'ambiguous') throw toCliError(known.problem, search)
  const channels = 'found' in known ? [known.found.rfq.channel] : channelsOf(app, search)
  const name = 'found' in known ? nameById(known.found.rfq.id) : search.name
  const readings = new Map<string, Reading>()
  for (const channel of channels) readings.set(channel, await read(cli, app, { channel, name }))
  const found = await findAgain(store, search, readings)
  const { channel, id } = found.rfq
  const problem = await problemOf(store, readings.get(channel) as Reading, { channel, id })
  if (problem !== null) await failOrNote(cli, store, { channel, problem }, options)
  return found
}

interface FreshContext {
  store: Store
  app: App
}

/** A poll that has ended, or why there was none. */
type Reading = PollResult | { problem: string }

const channelsOf = ({ config }: App, { channel }: RfqSearch): string[] =>
  channel === undefined ? config.channels.map(({ key }) => key) : [channel]

/** Finds an RFQ that may just have been recorded. */
async function findAgain(
  store: Store,
  search: RfqSearch,
  readings: ReadonlyMap<string, Reading>,
): Promise<RfqWithResponses> {
  const lookup = await findRfq(store, search)
  if ('found' in lookup) return lookup.found
  if (lookup.problem.reason === 'ambiguous') throw toCliError(lookup.problem, search)
  for (const [channel, reading] of readings) {
    const problem = failureOf(reading)
    if (problem !== null)
      throw new FailedError(`no RFQ matches "${sanitize(search.name)}", and ${channel} could not be read: ${problem}`)
  }
  throw toCliError(lookup.problem, search)
}

const failureOf = (reading: Reading): string | null => {
  if ('problem' in reading) return reading.problem
  return reading.run.outcome === 'failed' ? reading.run.error : null
}

async function failOrNote(
  cli: Cli,
  store: Store,
  { channel, problem }: { channel: string; problem: string },
  { orStored = false }: FreshOptions,
): Promise<void> {
  const stored = `what is recorded (${await describeFreshness(cli, store, { channels: [channel], kind: 'rfqs' })})`
  const failed = `the RFQ could not be read from the marketplace: ${problem.replace(/\.$/, '')}`
  if (!orStored) throw new FailedError(`${failed}. To report on ${stored}, leave out --fresh or add --or-stored`)
  printNote(cli, `The report shows ${stored}, because ${failed}.`)
}

async function read(cli: Cli, app: App, { channel, name }: { channel: string; name: string }): Promise<Reading> {
  const configured = configuredChannel(app.config, channel)
  try {
    return await pollChannel(cli, app, { channel: configured, kind: 'rfqs', only: name })
  } catch (error) {
    // A poll did not end in time, or the marketplace asked for a pause.
    if (error instanceof Error && isUserFacing(error)) return { problem: errorMessage(error) }
    throw error
  }
}

/** Why an RFQ could not be read whole, or null. */
async function problemOf(
  store: Store,
  reading: Reading,
  { channel, id }: { channel: string; id: string },
): Promise<string | null> {
  if ('problem' in reading) return reading.problem
  const { run, failures } = reading
  // Of some offers, if the RFQ itself was read.
  if (failures[0]) return failures[0].message
  const state = (await store.rfqStates(channel)).find((each) => each.id === id)
  if ((state?.detailReadAt ?? '') >= run.startedAt) return null
  if (run.outcome !== 'failed' && state?.missingSince) return `it is no longer listed since ${state.missingSince}`
  return run.error ?? 'it is not in the list of the channel'
}
