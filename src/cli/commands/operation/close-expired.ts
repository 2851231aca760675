import { Option } from 'commander'
import { closeExpired } from '../../../closing/closing-round.js'
import { type ClosingPolicy, type ClosingResult, closingContext, closingPolicy } from '../../../closing/contract.js'
import { closingKillSwitch, stopFileOf } from '../../../closing/kill-switch.js'
import type { ChannelConfig } from '../../../config/contract.js'
import type { StopOrder } from '../../../core/events/events.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { formatMinute } from '../../../core/time/clock.js'
import type { Store } from '../../../store/contract.js'
import { UnknownCommitError } from '../../../store/errors.js'
import { findRfq } from '../../../tables/find-rfq.js'
import { type App, withApp, withServices } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError, UsageError } from '../../cli-error.js'
import { byOption, channelsOption, jsonOption, operatorName, withExamples } from '../../input/options.js'
import { selectChannels } from '../../input/select-channels.js'
import {
  type ChannelRound,
  closingsToShow,
  failuresOf,
  needsAttention,
  printRounds,
} from '../../output/closing-rounds.js'
import { errorMessage } from '../../output/error-message.js'
import { printJson } from '../../output/output.js'
import { noteWaiting, pollChannel, refuseDuringPause } from '../../runs/poll-channel.js'

interface Options {
  channel?: string[]
  dryRun?: boolean
  approve?: string
  retry?: string[]
  stop?: string
  resume?: boolean
  by?: string
  json?: boolean
}

/** `close-expired`: closes RFQs that are past due, without a queue. */
export const register: RegisterCommand = (command, cli) => {
  const others = ['channel', 'dryRun', 'approve', 'retry']
  command
    .addOption(channelsOption())
    .option('--dry-run', 'show what would be closed without sending anything')
    .addOption(
      new Option('--approve <plan>', 'close the RFQs of an approval plan, if exactly these qualify').conflicts('retry'),
    )
    .option(
      '--retry <rfq>',
      'send the close of this RFQ again although it was refused or its effect is uncertain; can be repeated',
      (text: string, before: string[] = []) => [...before, text],
    )
    .addOption(
      new Option('--stop <reason>', 'stop all closing by every process on this database, until --resume').conflicts([
        ...others,
        'resume',
      ]),
    )
    .addOption(new Option('--resume', 'end --stop').conflicts(others))
    .addOption(byOption('who decided on --approve, --retry, --stop or --resume'))
    .addOption(jsonOption())
    .action((options: Options) => {
      const { approve, retry, stop, resume, by } = options
      if (by !== undefined && [approve, retry, stop, resume].every((option) => option === undefined))
        throw new UsageError('--by names who decided on --approve, --retry, --stop or --resume; use one of them')
      if (stop !== undefined) return stopClosing(cli, stop, options)
      if (resume) return resumeClosing(cli, options)
      return withServices(cli, (app) => closeAll(cli, app, options))
    })
  withExamples(
    command,
    ['quotekeeper close-expired --dry-run', 'show what would be closed, and why'],
    ['quotekeeper close-expired --channel acme/forest', 'close the past-due RFQs of one channel'],
    ['quotekeeper close-expired --retry 1042', 'close RFQ 1042 although an earlier close was refused'],
  )
}

async function closeAll(cli: Cli, app: App, options: Options): Promise<void> {
  const retries = options.retry && (await findRetries(cli, app, options))
  const channels = await channelsToClose(cli, app, options, retries)
  const rounds: ChannelRound[] = []
  for (const channel of channels) {
    if (cli.io.stop.aborted) break
    rounds.push(await closeOne(cli, app, { channel, changes: operatorPolicy(channel, options, retries) }))
  }
  printRounds(cli, options, rounds)
  const unsuccessful = rounds.some(({ failures, result }) => failures.length > 0 || needsAttention(result))
  if (rounds.length < channels.length || unsuccessful) cli.status = 1
}

/** What the options of an operator add to the policy of a channel. */
function operatorPolicy({ key }: ChannelConfig, options: Options, retries: RetriedRfqs | undefined) {
  const { dryRun, approve, by = operatorName() } = options
  return {
    ...(dryRun && { mode: 'dry-run' as const }),
    ...(approve !== undefined && { approvedPlan: approve, approvedBy: by }),
    ...(retries && { retry: retries.get(key) ?? [], approvedBy: by }),
    byHand: true,
  }
}

/** Identifiers of the RFQs of `--retry`, by channel. */
type RetriedRfqs = ReadonlyMap<string, string[]>

/** @throws FailedError for an RFQ that another close could not help; UsageError if several match */
async function findRetries({ io }: Cli, app: App, { retry = [], channel }: Options): Promise<RetriedRfqs> {
  const store = await app.store()
  const views = await app.views()
  const channels = channel && selectChannels(app.config, channel).map(({ key }) => key)
  const retries = new Map<string, string[]>()
  for (const name of retry) {
    const [only] = channels?.length === 1 ? channels : []
    const { rfq } = await findRfq(store, { name, withoutResponses: true, ...(only && { channel: only }) })
    if (channels && !channels.includes(rfq.channel))
      throw new FailedError(`RFQ ${name} is in ${rfq.channel}, not in --channel`)
    const { outlook, message } = await views.rfqClosing({ channel: rfq.channel, name: nameById(rfq.id), now: io.now() })
    if (outlook.command === null)
      throw new FailedError(`RFQ ${name} has no refused, unknown or failed close to retry. ${message}`)
    retries.set(rfq.channel, [...(retries.get(rfq.channel) ?? []), rfq.id])
  }
  return retries
}

/** The selected channels, without those that have `autoClose: off`. A plan is of one channel. */
async function channelsToClose(cli: Cli, app: App, { approve, channel }: Options, retries: RetriedRfqs | undefined) {
  const named = retries ? [...retries.keys()] : channel
  const chosen = selectChannels(app.config, named)
  if (approve !== undefined && chosen.length > 1)
    throw new UsageError('an approval plan is of one channel; name it with --channel')
  const off = chosen.filter(({ autoClose }) => autoClose === 'off')
  for (const { key } of off) cli.io.err(`${key}: skipped because autoClose is off in ${app.config.file}.\n`)
  if (named && off.length > 0) cli.status = 1
  return chosen.filter(({ autoClose }) => autoClose !== 'off')
}

interface RoundTarget {
  channel: ChannelConfig
  changes: Partial<ClosingPolicy>
}

async function closeOne(cli: Cli, app: App, target: RoundTarget): Promise<ChannelRound> {
  const { channel } = target
  const empty = { channel: channel.key, result: null, closings: [] }
  try {
    const store = await app.store()
    // What is past due is known from a poll.
    if ((await store.newestRun({ channel: channel.key, kind: 'rfqs', isComplete: true })) === null) {
      const { run } = await pollChannel(cli, app, { channel, kind: 'rfqs' })
      if (run.outcome === 'failed') return { ...empty, failures: [run.error ?? 'the poll failed'] }
    }
    const result = await closeRound(cli, app, target)
    const closings = await closingsToShow(store, result)
    return { channel: channel.key, result, closings, failures: failuresOf(result) }
  } catch (error) {
    if (cli.io.stop.aborted) return { ...empty, failures: [errorMessage(cli.io.stop.reason)] }
    if (!/^(RunLost|Failed)Error$/.test((error as Error).name)) throw error
    return { ...empty, failures: [errorMessage(error)] }
  }
}

async function closeRound(cli: Cli, app: App, { channel, changes }: RoundTarget): Promise<ClosingResult> {
  const { io } = cli
  const { config } = app
  const policy = closingPolicy(config.closing, channel)
  if (policy === null) throw new FailedError(`${channel.key} has autoClose: off`)
  const marketplace = await app.marketplace()
  const store = await app.store()
  await refuseDuringPause(store, { channel: channel.key, kind: 'close' }, io.now())
  const services = { marketplace, store, now: io.now, killSwitch: closingKillSwitch(config, store) }
  const context = {
    ...closingContext(services, channel, io.stop),
    ...{ pause: io.pause, onWait: noteWaiting(cli) },
  }
  return closeExpired(context, { ...policy, ...changes })
}

// --- the order to stop --------------------------------------------------------------------------------------------

const MAX_REASON_LENGTH = 200

/** Stops closing in all processes on the database. Needs no API key. */
async function stopClosing(cli: Cli, text: string, { by = operatorName(), json }: Options): Promise<void> {
  const { io } = cli
  const reason = text.trim()
  if (reason === '' || reason.length > MAX_REASON_LENGTH || /\p{Cc}/u.test(reason))
    throw new UsageError(`--stop expects the reason, in one line of at most ${MAX_REASON_LENGTH} characters`)
  await withApp(cli, { secrets: 'if-set' }, async (app) => {
    const { store, stop } = await recordStop(app, { by, reason, now: io.now() })
    if (json) return printJson(io, { stopped: stop })
    io.err(
      `Closing is stopped for every process on ${store.name} (${stop.reason}). A request that is being sent already is not cancelled.\n` +
        'To close again: quotekeeper close-expired --resume\n',
    )
  })
}

/** Ends what `stopClosing` ordered. Needs no API key. */
async function resumeClosing(cli: Cli, { by = operatorName(), json }: Options): Promise<void> {
  const { io } = cli
  await withApp(cli, { secrets: 'if-set' }, async (app) => {
    const store = await app.store()
    const ended = await store.resumeClosing({ by, now: io.now() })
    if (json) printJson(io, { stopped: await store.closingStop() })
    else if (ended === null) io.err(`Closing was not stopped in ${store.name}.\n`)
    else io.err(`Stopped by ${ended.by} on ${formatMinute(ended.since)} UTC (${ended.reason}); ended now by ${by}.\n`)
    // What the command does not change.
    const left = await closingKillSwitch(app.config, store)()
    if (left !== null) io.err(`Closing is still stopped here: ${left}.\n`)
  })
}

/** @throws FailedError that says how to stop closing without the database */
async function recordStop(
  app: App,
  order: Parameters<Store['stopClosing']>[0],
): Promise<{ store: Store; stop: StopOrder }> {
  try {
    const store = await app.store()
    return { store, stop: await store.stopClosing(order) }
  } catch (error) {
    const recorded = error instanceof UnknownCommitError ? 'may not have been recorded' : 'was NOT recorded'
    throw new FailedError(
      `the order to stop closing ${recorded}, and other processes may go on closing: ${errorMessage(error)} ` +
        `To stop closing on this machine meanwhile, create the file ${stopFileOf(app.config)}; ` +
        `if that is not possible, stop Quotekeeper here, or set closing.enabled: false in ${app.config.file} and restart it. ` +
        'Then give the order again.',
    )
  }
}
