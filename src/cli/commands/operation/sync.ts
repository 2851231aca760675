import { Option } from 'commander'
import type { ChannelConfig } from '../../../config/contract.js'
import type { RunRecord } from '../../../core/records.js'
import { formatCount } from '../../../core/text/number-format.js'
import type { PollKind } from '../../../store/contract.js'
import { type Column, column } from '../../../tables/column.js'
import { type App, withServices } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { channelsOption, jsonOption, withExamples } from '../../input/options.js'
import { selectChannels } from '../../input/select-channels.js'
import { errorMessage } from '../../output/error-message.js'
import { printJson, printNote, printTable, withProgress } from '../../output/output.js'
import { pollChannel } from '../../runs/poll-channel.js'
import { claimFigures, refreshFigures } from '../../service/keep-figures.js'
import { readDueRates } from '../../service/maintenance-jobs.js'

interface Options {
  channel?: string[]
  only?: PollKind
  full?: boolean
  acceptLoss?: boolean
  json?: boolean
}

const KINDS: readonly PollKind[] = ['listings', 'rfqs']

/** `sync`: polls now, without a queue. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelsOption())
    .addOption(new Option('--only <kind>', `poll only these: ${KINDS.join(', ')} (default: both)`).choices(KINDS))
    .option('--full', 'read every RFQ and response again, even if it seems unchanged')
    .option('--accept-loss', 'accept a list even if most entries disappeared')
    .addOption(jsonOption())
    .action((options: Options) => withServices(cli, (app) => sync(cli, app, options)))
  withExamples(
    command,
    ['quotekeeper sync', 'poll every channel'],
    ['quotekeeper sync --channel acme/forest --only rfqs --full', 'read all RFQs of one channel again'],
  )
}

/** The result of one poll: its run, or null if it could not start, and its failures. */
interface PollOutcome {
  channel: string
  kind: PollKind
  run: RunRecord | null
  failures: { id: string; message: string }[]
}

async function sync(cli: Cli, app: App, options: Options): Promise<void> {
  const kinds = options.only ? [options.only] : KINDS
  const channels = selectChannels(app.config, options.channel)
  await claimFigures(cli, await app.store())
  // First, so that what a poll changes is compared at the newest rates.
  const ratesRead = !kinds.includes('rfqs') || cli.io.stop.aborted || (await readDueRates(cli, app))
  const polled: PollOutcome[] = []
  for (const channel of channels) {
    for (const kind of kinds) {
      if (!cli.io.stop.aborted) polled.push(await pollOne(cli, app, { channel, kind, options }))
    }
  }
  await refreshFigures(await app.store(), app, cli.io.now, () => cli.io.stop.aborted)
  const arePolled = printPolls(cli, options, polled, channels.length * kinds.length)
  cli.status = arePolled && ratesRead ? 0 : 1
}

interface PollTarget {
  channel: ChannelConfig
  kind: PollKind
  options: Options
}

/** A failed channel does not stop the others. An error that is not about one channel, such as a full disk, ends the command. */
async function pollOne(cli: Cli, app: App, { channel, kind, options }: PollTarget): Promise<PollOutcome> {
  const { full = false, acceptLoss = false } = options
  try {
    const { run, failures } = await withProgress(cli.io, `${channel.key} ${kind}`, (onProgress) =>
      pollChannel(cli, app, { channel, kind, full, acceptLoss, onProgress }),
    )
    return { channel: channel.key, kind, run, failures }
  } catch (error) {
    if (!/^(RunLost|Failed)Error$/.test((error as Error).name)) throw error
    return { channel: channel.key, kind, run: null, failures: [{ id: kind, message: errorMessage(error) }] }
  }
}

/** So many failures of a poll are printed below the table. */
const MAX_FAILURES = 20

/** @returns whether every planned poll is complete */
function printPolls(cli: Cli, options: Options, polled: readonly PollOutcome[], planned: number): boolean {
  const runs = polled.flatMap(({ run }) => (run ? [run] : []))
  if (options.json) printJson(cli.io, polled)
  else if (runs.length > 0) printTable(cli.io, COLUMNS, runs)
  for (const { channel, kind, run, failures } of polled) {
    if (run?.error && failures.length === 0) printNote(cli, `${channel} ${kind}: ${run.error}`)
    for (const { id, message } of failures.slice(0, MAX_FAILURES))
      printNote(cli, `${channel} ${kind}, ${id}: ${message}`)
    const rest = failures.length - MAX_FAILURES
    if (rest > 0) printNote(cli, `${channel} ${kind}: ${formatCount(rest, 'more failure')}; --json shows all`)
  }
  if (polled.length < planned) cli.io.err(`Stopped: ${planned - polled.length} of ${planned} polls were not run.\n`)
  return polled.length === planned && polled.every(({ run }) => run?.outcome === 'complete')
}

/** Errors are printed below the table, each with its document. */
const COLUMNS: readonly Column<RunRecord>[] = [
  column('channel', 'Channel', 'text', 9, ({ channel }) => channel),
  column('kind', 'Kind', 'text', 9, ({ kind }) => kind),
  column('outcome', 'Outcome', 'state', 9, ({ outcome }) => outcome),
  column('seen', 'Seen', 'count', 8, ({ seen }) => seen),
  column('new', 'New', 'count', 8, ({ inserted }) => inserted),
  column('changed', 'Changed', 'count', 8, ({ changed }) => changed),
  column('missing', 'Missing', 'count', 7, ({ missing }) => missing),
  column('invalid', 'Invalid', 'count', 6, ({ invalid }) => invalid),
  column('requests', 'Requests', 'count', 5, ({ requests }) => requests),
]
