import { basename } from 'node:path'
import { closingContext, closingPolicy } from '../src/closing/closing-inputs.js'
import type { ClosingContext, ClosingPolicy, ClosingResult } from '../src/closing/contract.js'
import type { KillSwitch } from '../src/closing/kill-switch.js'
import type { ChannelConfig, Config } from '../src/config/contract.js'
import type { DecisionRecord, RunKind } from '../src/core/records.js'
import type { Clock } from '../src/core/time/clock.js'
import type { Marketplace } from '../src/marketplace/contract.js'
import { reportName } from '../src/report-files/report-folder.js'
import type { Store } from '../src/store/contract.js'
import { RunBusyError } from '../src/store/errors.js'
import { pausedUntil } from '../src/store/runs/with-run.js'
import { newestPlanned, planPoll } from '../src/sync/budget.js'
import type { PollContext, PollResult, PollRfqsOptions } from '../src/sync/contract.js'
import { pollContext, pollOptions } from '../src/sync/poll.js'
import type { JobHandler, JobHandlers, JobObserver, JobPayload, JobResult, JobRunner, Log } from './contract.js'
import { RefusedJobError, RunFailedError } from './errors.js'
import { isScheduled, requestedBy } from './job-payload.js'
import { enqueueMissingReports, observeReport, recordReport, requesterOf } from './report-jobs.js'
import { logDecision, logRunSummary } from './run-summary.js'

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
  killSwitch: KillSwitch
  /** Writes a report and resolves to its path. */
  rfqReport: (channel: ChannelConfig, rfqId: string, options: ReportJobOptions) => Promise<string>
  channelReport: (channel: ChannelConfig, options: ReportJobOptions) => Promise<string>
  observer?: JobObserver
}

export interface ReportJobOptions {
  /** Who requested it, or what caused it. */
  madeBy: string
  /** Default now. */
  asOf?: Date
  signal: AbortSignal
}

/** One job with its channel looked up. */
interface ChannelJob {
  deps: HandlerDeps
  channel: ChannelConfig
  payload: JobPayload
  signal: AbortSignal
}

/** The handler of each job. Handlers only call the use cases passed in, log and enqueue. */
export function createHandlers(deps: HandlerDeps): JobHandlers {
  const forChannel =
    (handle: (job: ChannelJob) => Promise<JobResult | undefined>): JobHandler =>
    async (payload, { signal }) =>
      handle({ deps, channel: channelOf(deps.config, payload), payload, signal })
  return {
    'poll-listings': forChannel((job) => runAndLog(job, 'listings', () => deps.pollListings(contextOf(job)))),
    'poll-rfqs': forChannel((job) =>
      runAndLog(job, 'rfqs', async () => deps.pollRfqs(contextOf(job), await rfqPollOptions(job))),
    ),
    'close-expired': forChannel(closeExpired),
    'channel-report': forChannel(channelReport),
    'rfq-report': forChannel(rfqReport),
  }
}

function channelOf(config: Config, { channel }: JobPayload): ChannelConfig {
  const found = config.channels.find(({ key }) => key === channel)
  if (found) return found
  throw new RefusedJobError(
    `channel ${channel} is not in the configuration of this worker; all workers need the same channels`,
  )
}

const contextOf = ({ deps, channel, payload, signal }: ChannelJob): PollContext => ({
  ...pollContext(deps, channel, signal),
  byHand: !isScheduled(payload),
})

/** A scheduled poll plans its requests; one that a person started reads everything open. */
async function rfqPollOptions({ deps, channel, payload }: ChannelJob): Promise<PollRfqsOptions> {
  const options = pollOptions(deps.config)
  if (!isScheduled(payload)) return options
  const planning = await planPoll(deps.config, deps.store, { channel: channel.key, now: deps.now() })
  return planning === undefined ? options : { ...options, planning }
}

async function closeExpired(job: ChannelJob): Promise<undefined> {
  const { deps, channel, signal } = job
  const { rfqId } = job.payload
  const startedBy = requestedBy(job.payload)
  const configured = closingPolicy(deps.config.closing, channel)
  if (configured === null) {
    if (startedBy === null) return undefined
    // The process that enqueued the job may have another configuration.
    throw new RefusedJobError(
      `${channel.key} has autoClose: off in the configuration of this worker; nothing was closed`,
    )
  }
  const policy = {
    ...configured,
    ...(startedBy !== null && { byHand: true, startedBy }),
    ...(rfqId !== undefined && { only: [rfqId] }),
  }
  return runAndLog(job, 'close', async () => {
    const onDecision = (decision: DecisionRecord) => logDecision(decision, deps.log)
    const context = { ...closingContext(deps, channel, signal), byHand: startedBy !== null, onDecision }
    const result = await deps.closeExpired(context, policy)
    if (deps.config.closing.reportOnClose) await enqueueMissingReports(deps, channel.key)
    return result
  })
}

/**
 * Runs the work and logs its outcome. The schedule skips the work while another run of the kind is in progress; nobody does it while the
 * marketplace asked for a pause.
 * @throws RunFailedError if the run failed, was aborted by shutdown, or was skipped although a user requested it
 */
async function runAndLog(
  { deps, channel, payload, signal }: ChannelJob,
  kind: RunKind,
  work: () => Promise<PollResult | ClosingResult>,
): Promise<undefined> {
  const { store, now, log } = deps
  const about = { channel: channel.key, kind }
  const { rfqId } = payload
  const cause = requestedBy(payload)
  const skip = (reason: string, facts: object = {}): undefined => {
    log.info({ ...about, ...facts }, `skipped: ${reason}`)
    if (cause !== null) throw new RunFailedError(`skipped: ${reason}`)
  }
  const until = await pausedUntil(store, about, now())
  if (until !== null) return skip('the marketplace asked for a pause', { until })
  const previous = kind === 'rfqs' ? await newestPlanned(store, channel.key) : await store.newestRun(about)
  try {
    const result = await observeRun(deps.observer, about, work)
    logRunSummary(result, log, { previous, ...(cause !== null && { cause }), ...(rfqId && { rfq: rfqId }) })
    const { outcome, error } = result.run
    if (outcome === 'failed' || (signal.aborted && outcome !== 'complete'))
      throw new RunFailedError(error ?? 'the run failed')
  } catch (error) {
    if (error instanceof RunBusyError) return skip(error.message)
    throw error
  }
}

async function observeRun<T extends PollResult | ClosingResult>(
  observer: JobObserver | undefined,
  run: { channel: string; kind: RunKind },
  work: () => Promise<T>,
): Promise<T> {
  try {
    const result = await work()
    observer?.runEnded(result)
    return result
  } catch (error) {
    if (!(error instanceof RunBusyError)) observer?.runFailed(run)
    throw error
  }
}

async function rfqReport(job: ChannelJob): Promise<JobResult> {
  const { rfqId } = job.payload
  if (rfqId === undefined) throw new RefusedJobError('rfq-report without rfqId')
  return report(job, 'rfq', (options) => job.deps.rfqReport(job.channel, rfqId, options))
}

const channelReport = (job: ChannelJob): Promise<JobResult> =>
  report(job, 'channel', (options) => job.deps.channelReport(job.channel, options))

async function report(
  { deps, channel: { key: channel }, payload, signal }: ChannelJob,
  kind: 'rfq' | 'channel',
  make: (options: ReportJobOptions) => Promise<string>,
): Promise<JobResult> {
  const { cause, rfqId, asOf } = payload
  const options = { madeBy: requesterOf(payload), signal, ...(asOf !== undefined && { asOf: new Date(asOf) }) }
  const file = await observeReport(deps.observer, kind, () => make(options))
  const name = reportName(deps.config.reports.directory, file)
  deps.log.info({ channel, rfq: rfqId, cause, file }, 'report written')
  await recordReport(deps, { channel, rfqId }, { name: name ?? basename(file), by: options.madeBy })
  return { report: name }
}
