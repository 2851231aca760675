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

/** `close-expired`: closes now what is past its due date, with no queue. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelsOption())
    .option('--dry-run', 'only say what would be closed; nothing is sent')
    .option('--approve <plan>', 'go on with a round that was held for its size')
    .addOption(jsonOption())
    .action((options: Options) => withServices(cli, (app) => closeAll(cli, app, options)))
  withExamples(
    command,
    ['quotekeeper close-expired --dry-run', 'what would be closed now, and why'],
    ['quotekeeper close-expired --channel acme/forest', 'close it, in one channel'],
  )
}

/** What became of the round of one channel. */
interface Round {
  channel: string
  result: ClosingResult | null
  decisions: DecisionRecord[]
  failures: string[]
}

async function closeAll(cli: Cli, app: App, options: Options): Promise<void> {
  const channels = await channelsToClose(cli, app, options)
  const rounds: Round[] = []
  for (const channel of channels) {
    if (!cli.io.stop.aborted) rounds.push(await closeOne(cli, app, channel, options))
  }
  tell(cli, options, rounds)
  if (rounds.length < channels.length || rounds.some(({ failures }) => failures.length > 0)) cli.status = 1
}

/** A plan belongs to one channel; a channel with `autoClose: off` is left alone, and that is said. */
async function channelsToClose(cli: Cli, app: App, options: Options): Promise<ChannelConfig[]> {
  const plan = options.approve === undefined ? null : await heldRound(cli, await app.store(), options.approve)
  const named = plan ? [plan.channel] : options.channel
  const chosen = selectChannels(app.config, named)
  const off = chosen.filter(({ autoClose }) => autoClose === 'off')
  for (const { key } of off) cli.io.err(`${key} has autoClose: off in ${app.config.file}; it is left alone.\n`)
  if (named && off.length > 0) cli.status = 1
  return chosen.filter(({ autoClose }) => autoClose !== 'off')
}

async function heldRound({ io }: Cli, store: Store, plan: string) {
  const held = await store.findApprovalPlan(plan, io.now())
  if (held) return held
  throw new FailedError(
    `${plan} is no plan that can be approved: it is unknown, or older than 24 hours; close-expired without --approve makes a new one`,
  )
}

async function closeOne(cli: Cli, app: App, channel: ChannelConfig, options: Options): Promise<Round> {
  const empty = { channel: channel.key, result: null, decisions: [] }
  try {
    const polled = await pollChannel(cli, app, { channel, kind: 'rfqs' })
    if (polled.run.outcome === 'failed') return { ...empty, failures: [polled.run.error ?? 'the poll failed'] }
    const result = await closeRound(cli, app, channel, options)
    const decisions = await standing(await app.store(), result)
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
 * What a person wants to see of a round: what it did, and what would be done or is held. A decision that stands
 * unchanged is not recorded again, so it is taken from the record.
 */
async function standing(store: Store, { run }: ClosingResult): Promise<DecisionRecord[]> {
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
  return run.outcome === 'complete' ? [] : [run.error ?? `the round is ${run.outcome}`]
}

function tell({ io }: Cli, options: Options, rounds: readonly Round[]): void {
  const decisions = rounds.flatMap((round) => round.decisions)
  if (options.json)
    printJson(
      io,
      rounds.map(({ result, ...round }) => ({
        ...round,
        run: result?.run ?? null,
        heldPlan: result?.approvalPlan ?? null,
      })),
    )
  else if (decisions.length > 0 || rounds.every(({ failures }) => failures.length === 0))
    printTable(io, DECISION_COLUMNS, decisions, 'No RFQ is past its due date.')
  for (const { channel, result, failures } of rounds) {
    if (result)
      io.err(
        `${channel}: ${plural(result.run.seen, 'open RFQ')} weighed, ${plural(result.run.changed, 'RFQ')} closed.\n`,
      )
    for (const failure of failures) io.err(`${channel}: ${failure}\n`)
  }
}
