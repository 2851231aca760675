import type { ClosingPolicy, ClosingResult } from '../../../closing/contract.js'
import type { ChannelConfig } from '../../../config/contract.js'
import type { DecisionRecord, KnownDocument } from '../../../core/records.js'
import { createCalendar } from '../../../core/time/expiry.js'
import type { Store } from '../../../store/contract.js'
import { type App, withServices } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError, UsageError } from '../../cli-error.js'
import { byOption, operatorName } from '../../input/operator-name.js'
import {
  type ChannelsOption,
  channelsOption,
  type JsonOption,
  jsonOption,
  noWaitOption,
  type WaitOption,
  withExamples,
} from '../../input/options.js'
import { requireRfq } from '../../input/require-rfq.js'
import { selectChannels } from '../../input/select-channels.js'
import {
  type ChannelRound,
  failuresOf,
  failuresOfPoll,
  needsAttention,
  printRounds,
} from '../../output/closing-rounds.js'
import { errorMessage } from '../../output/error-message.js'
import { pollChannel, refuseDuringPause } from '../../runs/poll-channel.js'
import { waitAndRun } from '../../runs/wait-and-run.js'
import { resumeClosing, stopClosing } from '../../service/stop-closing.js'

interface Options extends ChannelsOption, JsonOption, WaitOption {
  dryRun?: boolean
  approve?: string
  retry?: string[]
  stop?: string
  resume?: boolean
  by?: string
}

/** `close-expired`: closes RFQs that are past due, without a queue. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelsOption())
    .option('--dry-run', 'show what would be closed without sending anything')
    .option('--approve <plan>', 'close the RFQs of an approval plan')
    .option(
      '--retry <rfq>',
      'send the close of this RFQ again although it was refused or its effect is uncertain; can be repeated',
      (text: string, before: string[] | undefined) => [...(before ?? []), text],
    )
    .option('--stop <reason>', 'stop all closing by every process on this database, until --resume')
    .option('--resume', 'end --stop')
    .addOption(noWaitOption())
    .addOption(byOption('who decided on --approve, --retry, --stop or --resume'))
    .addOption(jsonOption())
    .action((options: Options) => {
      rejectConflictingOptions(options)
      if (options.stop !== undefined) return stopClosing(cli, options.stop, options)
      if (options.resume) return resumeClosing(cli, options)
      return withServices(cli, (app) => closeAll(cli, app, options))
    })
  withExamples(
    command,
    ['quotekeeper close-expired --dry-run', 'show what would be closed, and why'],
    ['quotekeeper close-expired --channel acme/forest', 'close the past-due RFQs of one channel'],
    ['quotekeeper close-expired --retry 1042', 'close RFQ 1042 although an earlier close was refused'],
  )
}

/** @throws UsageError for options that contradict each other */
function rejectConflictingOptions({ approve, retry, stop, resume, by, dryRun, channel }: Options): void {
  const decisions = [approve, retry, stop, resume].filter((option) => option !== undefined)
  if (by !== undefined && decisions.length === 0) {
    throw new UsageError('--by names who decided on --approve, --retry, --stop or --resume; use it with one of them')
  }
  if (approve !== undefined && retry !== undefined) {
    throw new UsageError('--approve and --retry each choose the RFQs to close; use one of them')
  }
  const changesStop = stop !== undefined || resume !== undefined
  if (changesStop && (decisions.length > 1 || dryRun !== undefined || channel !== undefined)) {
    throw new UsageError('--stop and --resume are for all channels, and close nothing; use one of them by itself')
  }
}

async function closeAll(cli: Cli, app: App, options: Options): Promise<void> {
  const retries = options.retry ? await findRetries(await app.store(), app, options) : null
  const channels = await channelsToClose(cli, app, options, retries)
  const rounds: ChannelRound[] = []
  for (const channel of channels) {
    if (cli.io.stop.aborted) break
    rounds.push(await closeOne(cli, app, { channel, options, changes: operatorPolicy(channel, options, retries) }))
  }
  printRounds(cli, options, rounds)
  const unsuccessful = rounds.some(({ failures, result }) => failures.length > 0 || needsAttention(result))
  if (rounds.length < channels.length || unsuccessful) cli.status = 1
}

/** What the options of an operator add to the policy of a channel. */
function operatorPolicy({ key }: ChannelConfig, options: Options, retries: RetriedRfqs | null) {
  const { dryRun, approve, by = operatorName() } = options
  const decided = approve !== undefined || retries !== null
  return {
    ...(dryRun ? { mode: 'dry-run' as const } : {}),
    ...(approve === undefined ? {} : { approvedPlan: approve }),
    ...(retries === null ? {} : { retry: retries.get(key) ?? [] }),
    ...(decided ? { approvedBy: by } : {}),
    byHand: true,
  }
}

/** Identifiers of the RFQs of `--retry`, by channel. */
type RetriedRfqs = ReadonlyMap<string, string[]>

/** Finds the RFQs of `--retry`. Throws FailedError for one without a close to retry; UsageError if several match. */
async function findRetries(store: Store, app: App, { retry = [], channel: named }: Options): Promise<RetriedRfqs> {
  const retries = new Map<string, string[]>()
  const channels = named && selectChannels(app.config, named).map(({ key }) => key)
  for (const match of retry) {
    const filter = {
      name: match,
      withoutResponses: true,
      ...(channels?.length === 1 ? { channel: channels[0] as string } : {}),
    }
    const { rfq } = await requireRfq(store, filter)
    const [answer] = await store.latestCloseReplies(rfq.channel, [rfq.id])
    const isOpen = (await store.openIntents(rfq.channel)).some(({ rfqId }) => rfqId === rfq.id)
    if (isOpen) {
      throw new FailedError(
        `the last close of RFQ ${match} is not settled yet; run close-expired without --retry to settle it`,
      )
    }
    const failed = answer?.decision === 'close' && ['refused', 'unknown', 'failed'].includes(answer.outcome ?? '')
    if (!failed && !(await isHeldByRestore(store, app, rfq, answer))) {
      const found = answer ? `its last close is ${answer.outcome}` : 'no close of it was sent'
      throw new FailedError(
        `RFQ ${match} has no refused, unknown or failed close to retry (${found}); run close-expired without --retry`,
      )
    }
    if (channels && !channels.includes(rfq.channel))
      throw new FailedError(`RFQ ${match} is in ${rfq.channel}, not in --channel`)
    retries.set(rfq.channel, [...(retries.get(rfq.channel) ?? []), rfq.id])
  }
  return retries
}

async function isHeldByRestore(store: Store, { config }: App, rfq: KnownDocument, reply: DecisionRecord | undefined) {
  const channel = config.channels.find(({ key }) => key === rfq.channel)
  if (channel === undefined) return false
  const { restoreBlockReason, storedCandidate } = await import('../../../closing/evaluate.js')
  const { timeZone, graceHours } = channel
  const context = { calendar: createCalendar(timeZone), graceHours, restoredAt: await store.restoredAt(), reply }
  return restoreBlockReason(storedCandidate(rfq), context) !== null
}

/** The channel of the approval plan, or the selected channels, without those that have `autoClose: off`. */
async function channelsToClose(
  cli: Cli,
  app: App,
  options: Options,
  retries: RetriedRfqs | null,
): Promise<ChannelConfig[]> {
  const plan = options.approve === undefined ? null : await getApprovalPlan(cli, await app.store(), options.approve)
  if (plan && options.channel && !selectChannels(app.config, options.channel).some(({ key }) => key === plan.channel))
    throw new FailedError(
      `plan ${options.approve} is for ${plan.channel}, not for a channel of --channel; nothing was closed`,
    )
  const named = plan ? [plan.channel] : retries ? [...retries.keys()] : options.channel
  const chosen = selectChannels(app.config, named)
  const off = chosen.filter(({ autoClose }) => autoClose === 'off')
  for (const { key } of off) cli.io.err(`${key}: skipped because autoClose is off in ${app.config.file}.\n`)
  if (named && off.length > 0) cli.status = 1
  return chosen.filter(({ autoClose }) => autoClose !== 'off')
}

async function getApprovalPlan({ io }: Cli, store: Store, plan: string) {
  const found = await store.findApprovalPlan(plan, io.now())
  if (found) return found
  throw new FailedError(
    `plan ${plan} does not exist or has expired; run close-expired without --approve to make a new one, valid for 24 hours`,
  )
}

interface RoundTarget {
  channel: ChannelConfig
  options: Options
  changes: Partial<ClosingPolicy>
}

async function closeOne(cli: Cli, app: App, target: RoundTarget): Promise<ChannelRound> {
  const { channel, options } = target
  const wait = options.wait ?? true
  const empty = { channel: channel.key, result: null, closings: [] }
  try {
    await refuseDuringPause(await app.store(), { channel: channel.key, kind: 'close' }, cli.io.now())
    const polled = await pollChannel(cli, app, { channel, kind: 'rfqs', wait })
    if (polled.run.outcome === 'failed') return { ...empty, failures: [polled.run.error ?? 'the poll failed'] }
    if (cli.io.stop.aborted) return { ...empty, failures: [errorMessage(cli.io.stop.reason)] }
    const result = await closeRound(cli, app, target)
    const closings = await closingsToShow(await app.store(), result)
    return {
      channel: channel.key,
      result,
      closings,
      failures: [...failuresOfPoll(polled, result), ...failuresOf(result)],
    }
  } catch (error) {
    if (cli.io.stop.aborted) return { ...empty, failures: [errorMessage(cli.io.stop.reason)] }
    if (!/^(RunBusy|RunLost|Failed|Plan)Error$/.test((error as Error).name)) throw error
    return { ...empty, failures: [errorMessage(error)] }
  }
}

/** Closes when it is its turn. */
async function closeRound(cli: Cli, app: App, { channel, options, changes }: RoundTarget): Promise<ClosingResult> {
  const { io } = cli
  const [{ closeExpired }, { closingContext, closingPolicy }, { closingKillSwitch }] = await Promise.all([
    import('../../../closing/closing-round.js'),
    import('../../../closing/closing-inputs.js'),
    import('../../../closing/kill-switch.js'),
  ])
  const { config } = app
  const policy = closingPolicy(config.closing, channel)
  if (policy === null) throw new FailedError(`${channel.key} has autoClose: off`)
  const marketplace = await app.marketplace()
  return waitAndRun(cli, await app.store(), { wait: options.wait ?? true }, async (store) => {
    await refuseDuringPause(store, { channel: channel.key, kind: 'close' }, io.now())
    const services = { marketplace, store, now: io.now, killSwitch: closingKillSwitch(config, store) }
    const context = { ...closingContext(services, channel, io.stop), pause: io.pause }
    return closeExpired(context, { ...policy, ...changes })
  })
}

/**
 * What a round closed, would close or found blocked, and what earlier rounds left unsettled. A decision that has not
 * changed is not recorded again, so the newest decision per RFQ is shown.
 */
async function closingsToShow(store: Store, { run, decisions, unsettled }: ClosingResult): Promise<DecisionRecord[]> {
  const unclosed = await store.unclosedRfqs({ channel: run.channel })
  const waiting = (await store.newestDecisions(run.channel, unclosed)).filter(({ decision }) =>
    ['would-close', 'blocked'].includes(decision),
  )
  const ofRound = [...new Map(decisions.map((each) => [each.rfqId, each])).values()]
  const sent = ofRound.filter(({ decision }) => decision === 'close')
  const newest = [...waiting, ...sent].sort((a, b) => a.id - b.id)
  const left = unsettled
    .flatMap(({ decisionId }) => decisionId ?? [])
    .filter((id) => !newest.some((each) => each.id === id))
  const standing = await Promise.all(left.map((id) => store.decision(id)))
  return [...standing.filter((each) => each !== null), ...newest]
}
