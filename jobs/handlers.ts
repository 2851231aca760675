import { setTimeout as wait } from 'node:timers/promises'
import type { ClosingContext, ClosingPolicy, ClosingResult } from '../src/closing/contract.js'
import { closingPolicy } from '../src/closing/policy.js'
import type { ChannelConfig, Config } from '../src/config.js'
import type { Clock } from '../src/domain/clock.js'
import type { RunKind } from '../src/domain/records.js'
import type { Marketplace } from '../src/marketplace/contract.js'
import { pausedUntil } from '../src/runs.js'
import type { Store } from '../src/store/contract.js'
import { RunBusyError } from '../src/store/errors.js'
import type { PollContext, PollResult, PollRfqsOptions } from '../src/sync/contract.js'
import { pollContext, pollOptions } from '../src/sync/poll-inputs.js'
import type { JobHandler, JobHandlers, JobPayload, JobRunner, Log } from './contract.js'
import { RefusedJobError, RunFailedError } from './errors.js'
import { jobId } from './job-id.js'
import { logRunSummary } from './run-summary.js'

export interface HandlerDeps {
  config: Config
  store: Store
  marketplace: Marketplace
  now: Clock
  log: Log
  enqueue: JobRunner['enqueue']
  pollListings: (context: PollContext) => Promise<PollResult>
  pollRfqs: (context: PollContext, options: PollRfqsOptions) => Promise<PollResult>
  closeExpired: (context: ClosingContext, policy: ClosingPolicy) => Promise<ClosingResult>
  /** Kill switch of closing: a reason to stop, or null. */
  killSwitch: () => string | null
  /** Write a workbook and resolve to its path. */
  rfqReport: (channel: ChannelConfig, rfqId: string, signal: AbortSignal) => Promise<string>
  channelReport: (channel: ChannelConfig, signal: AbortSignal) => Promise<string>
}

/** What a job of a channel is done with. */
interface Task {
  deps: HandlerDeps
  channel: ChannelConfig
  payload: JobPayload
  signal: AbortSignal
}

/** Which function does which job. Each is thin: the work is done in the rooms that are handed in. */
export function createHandlers(deps: HandlerDeps): JobHandlers {
  const onChannel =
    (work: (task: Task) => Promise<void>): JobHandler =>
    async (payload, { signal }) =>
      work({ deps, channel: channelOf(deps.config, payload), payload, signal })
  return {
    'poll-listings': onChannel((task) =>
      run(task, 'listings', () => deps.pollListings(pollContext(deps, task.channel, task.signal))),
    ),
    'poll-rfqs': onChannel((task) =>
      run(task, 'rfqs', () => deps.pollRfqs(pollContext(deps, task.channel, task.signal), pollOptions(deps.config))),
    ),
    'close-expired': onChannel(close),
    'channel-report': onChannel(channelReport),
    'rfq-report': onChannel(rfqReport),
  }
}

function channelOf(config: Config, { channel }: JobPayload): ChannelConfig {
  const found = config.channels.find(({ key }) => key === channel)
  if (found) return found
  throw new RefusedJobError(`the channel ${channel} is not in the configuration of this process`)
}

const session = ({ deps, channel, signal }: Task) => deps.marketplace.session(channel, { signal })

async function close(task: Task): Promise<void> {
  const { deps, channel, signal } = task
  const policy = closingPolicy(deps.config.closing, channel)
  if (policy === null) return
  const { store, now, killSwitch: stopped } = deps
  const pause = (milliseconds: number) => wait(milliseconds, undefined, { signal })
  const context = { session: session(task), store, now, signal, killSwitch: stopped, pause }
  await run(task, 'close', async () => {
    const result = await deps.closeExpired(context, policy)
    if (deps.config.closing.reportOnClose) await reportClosed(deps, result)
    return result
  })
}

/** Enqueues a report of each RFQ that was closed; where that fails, the close itself has not. */
async function reportClosed({ enqueue, log }: HandlerDeps, { run, decisions }: ClosingResult): Promise<void> {
  const closed = decisions.filter(({ outcome }) => outcome === 'closed' || outcome === 'already-closed')
  for (const { channel, rfqId, decidedAt } of closed) {
    const payload = { channel, rfqId, cause: 'close' }
    try {
      await enqueue('rfq-report', payload, jobId('rfq-report', payload, new Date(decidedAt)))
    } catch (error) {
      const remedy = 'make it with: quotekeeper report'
      log.warn(
        { run: run.id, channel, rfq: rfqId, err: error },
        `no report of a closed RFQ could be asked for; ${remedy}`,
      )
    }
  }
}

/** Does a run unless another one lives or the marketplace asked to wait, and tells how it ended. */
async function run(
  { deps, channel }: Task,
  kind: RunKind,
  work: () => Promise<PollResult | ClosingResult>,
): Promise<void> {
  const { store, now, log } = deps
  const until = await pausedUntil(store, { channel: channel.key, kind }, now())
  if (until !== null) {
    return log.info({ channel: channel.key, kind, until }, 'skipped: the marketplace asked for a pause')
  }
  try {
    const result = await work()
    logRunSummary(result, log)
    if (result.run.outcome === 'failed') throw new RunFailedError(result.run.error ?? 'the run failed')
  } catch (error) {
    if (!(error instanceof RunBusyError)) throw error
    log.info({ channel: channel.key, kind }, `skipped: ${error.message}`)
  }
}

async function rfqReport({ deps, channel, payload, signal }: Task): Promise<void> {
  const { rfqId } = payload
  if (rfqId === undefined) throw new RefusedJobError('an rfq-report names no RFQ')
  const file = await deps.rfqReport(channel, rfqId, signal)
  deps.log.info({ channel: channel.key, rfq: rfqId, cause: payload.cause, file }, 'report written')
}

async function channelReport({ deps, channel, payload, signal }: Task): Promise<void> {
  const file = await deps.channelReport(channel, signal)
  deps.log.info({ channel: channel.key, cause: payload.cause, file }, 'report written')
}
