import type { ClosingResult } from '../../closing/contract.js'
import type { ChannelConfig } from '../../config.js'
import { parseRfq } from '../../domain/observation.js'
import type { DecisionRecord } from '../../domain/records.js'
import type { Store } from '../../store/contract.js'
import { type App, withServices } from '../app.js'
import type { Cli, RegisterCommand } from '../cli-context.js'
import { FailedError } from '../cli-error.js'
import { errorMessage } from '../error-message.js'
import { type ChannelsOption, channelsOption, type JsonOption, jsonOption, withExamples } from '../options.js'
import { printJson, printTable } from '../output.js'
import { pollChannel } from '../poll-channel.js'
import { selectChannels } from '../select-channels.js'
import { plural } from '../terminal-text.js'
import { DECISION_COLUMNS } from './decisions.js'

type Options = ChannelsOption & JsonOption & { dryRun?: boolean; approve?: string }

/** `close-expired`: closes RFQs that are past due, without a queue. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelsOption())
    .option('--dry-run', 'show what would be closed without sending anything')
    .option('--approve <plan>', 'close the RFQs of a round that was held for approval')
    .addOption(jsonOption())
    .action((options: Options) => withServices(cli, (app) => closeAll(cli, app, options)))
  withExamples(
    command,
    ['quotekeeper close-expired --dry-run', 'show what would be closed, and why'],
    ['quotekeeper close-expired --channel acme/forest', 'close the past-due RFQs of one channel'],
  )
}

/** The closing round of one channel. */
interface ChannelRound {
  channel: string
  result: ClosingResult | null
  decisions: DecisionRecord[]
  failures: string[]
}

async function closeAll(cli: Cli, app: App, options: Options): Promise<void> {
  const channels = await channelsToClose(cli, app, options)
  const rounds: ChannelRound[] = []
  for (const channel of channels) {
    if (!cli.io.stop.aborted) rounds.push(await closeOne(cli, app, channel, options))
  }
  printRounds(cli, options, rounds)
  if (rounds.length < channels.length || rounds.some(({ failures }) => failures.length > 0)) cli.status = 1
}

/** The channel of the approval plan, or the selected channels, without those that have `autoClose: off`. */
async function channelsToClose(cli: Cli, app: App, options: Options): Promise<ChannelConfig[]> {
  const plan = options.approve === undefined ? null : await getApprovalPlan(cli, await app.store(), options.approve)
  const named = plan ? [plan.channel] : options.channel
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

async function closeOne(cli: Cli, app: App, channel: ChannelConfig, options: Options): Promise<ChannelRound> {
  const empty = { channel: channel.key, result: null, decisions: [] }
  try {
    const polled = await pollChannel(cli, app, { channel, kind: 'rfqs' })
    if (polled.run.outcome === 'failed') return { ...empty, failures: [polled.run.error ?? 'the poll failed'] }
    const result = await closeRound(cli, app, channel, options)
    const decisions = await decisionsToShow(await app.store(), result)
    return { channel: channel.key, result, decisions, failures: failuresOf(result) }
  } catch (error) {
    if (cli.io.stop.aborted) return { ...empty, failures: [errorMessage(cli.io.stop.reason)] }
    if (!/^(RunBusy|RunLost|Failed|Plan)Error$/.test((error as Error).name)) throw error
    return { ...empty, failures: [errorMessage(error)] }
  }
}

async function closeRound({ io }: Cli, app: App, channel: ChannelConfig, options: Options): Promise<ClosingResult> {
  const { closeExpired } = await import('../../closing/closing-round.js')
  const { closingPolicy } = await import('../../closing/policy.js')
  const { closingKillSwitch } = await import('../../closing/kill-switch.js')
  const { setTimeout: pause } = await import('node:timers/promises')
  const { config } = app
  const context = {
    session: (await app.marketplace()).session(channel, { signal: io.stop }),
    store: await app.store(),
    now: io.now,
    signal: io.stop,
    killSwitch: closingKillSwitch(config),
    pause: (milliseconds: number) => pause(milliseconds, undefined, { signal: io.stop }),
  }
  const policy = closingPolicy(config.closing, channel)
  if (policy === null) throw new FailedError(`${channel.key} has autoClose: off`)
  return closeExpired(context, {
    ...policy,
    ...(options.dryRun ? { mode: 'dry-run' as const } : {}),
    ...(options.approve === undefined ? {} : { approvedPlan: options.approve }),
    byHand: true,
  })
}

/**
 * What a round closed, and what it would close or holds. A decision that has not changed is not recorded again, so the
 * newest decision per RFQ is shown.
 */
async function decisionsToShow(store: Store, { run }: ClosingResult): Promise<DecisionRecord[]> {
  const rfqs = await store.rfqs({ channel: run.channel, withoutResponses: true })
  const closed = new Set(
    rfqs.filter(({ rfq }) => parseRfq(rfq.body).document?.state === 'closed').map(({ rfq }) => rfq.id),
  )
  return (await store.newestDecisions(run.channel)).filter(({ runId, rfqId, decision }) =>
    decision === 'would-close' || decision === 'held' ? !closed.has(rfqId) : decision === 'close' && runId === run.id,
  )
}

const failuresOf = ({ run, failures }: ClosingResult): string[] => {
  if (failures.length > 0) return failures.map(({ id, message }) => `${id}: ${message}`)
  return run.outcome === 'complete' ? [] : [run.error ?? `the closing round is ${run.outcome}`]
}

const toJson = ({ result, ...round }: ChannelRound) => ({
  ...round,
  run: result?.run ?? null,
  heldPlan: result?.approvalPlan ?? null,
})

function printRounds({ io }: Cli, options: Options, rounds: readonly ChannelRound[]): void {
  const decisions = rounds.flatMap((round) => round.decisions)
  if (options.json) printJson(io, rounds.map(toJson))
  else if (decisions.length > 0 || rounds.every(({ failures }) => failures.length === 0))
    printTable(io, DECISION_COLUMNS, decisions, 'No RFQs are past due.')
  for (const { channel, result, failures } of rounds) {
    if (result) io.err(`${channel}: ${plural(result.run.seen, 'open RFQ')} evaluated, ${result.run.changed} closed.\n`)
    for (const failure of failures) io.err(`${channel}: ${failure}\n`)
  }
}
