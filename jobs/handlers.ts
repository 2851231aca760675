import { basename } from 'node:path'
import {
  type ClosingContext,
  type ClosingPolicy,
  type ClosingResult,
  closingContext,
  closingPolicy,
} from '../src/closing/contract.js'
import type { KillSwitch } from '../src/closing/kill-switch.js'
import type { ChannelConfig, Config } from '../src/config/contract.js'
import type { DecisionRecord, RunKind } from '../src/core/records.js'
import type { Clock } from '../src/core/time/clock.js'
import type { Marketplace } from '../src/marketplace/contract.js'
import type { MakeReport } from '../src/report-files/make-report.js'
import { reportName } from '../src/report-files/report-folder.js'
import type { Store } from '../src/store/contract.js'
import { RunBusyError } from '../src/store/errors.js'
import { pausedUntil } from '../src/store/runs/with-run.js'
import type { PollContext, PollResult, PollRfqsOptions } from '../src/sync/contract.js'
import { planPoll } from '../src/sync/plan.js'
import { pollContext, pollOptions } from '../src/sync/poll.js'
import type { JobHandler, JobHandlers, JobObserver, JobPayload, JobRunner, Log } from './contract.js'
import { RefusedJobError, RunFailedError } from './errors.js'
import { requestedBy } from './job.js'
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
  makeReport: MakeReport
  observer?: JobObserver
}

/** The cause, and then the author, of the report on a closed RFQ. */
const CLOSING_ROUND = 'closing round'
/** How long after a close a missing report is still made. */
const MAX_REPORT_DELAY_MS = 7 * 24 * 3_600_000

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
    (handle: (job: ChannelJob) => Promise<string | null>): JobHandler =>
    async (payload, { signal }) =>
      handle({ deps, channel: channelOf(deps.config, payload), payload, signal })
  return {
    'poll-listings': forChannel((job) => runAndLog(job, 'listings', () => deps.pollListings(contextOf(job)))),
    'poll-rfqs': forChannel((job) =>
      runAndLog(job, 'rfqs', async () => deps.pollRfqs(contextOf(job), await rfqPollOptions(job))),
    ),
    'close-expired': forChannel(closeExpired),
    'channel-report': forChannel(report),
    'rfq-report': forChannel(report),
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
  byHand: requestedBy(payload) !== null,
})

/** A scheduled poll plans its requests; one that a person started reads everything open. */
async function rfqPollOptions({ deps, payload }: ChannelJob): Promise<PollRfqsOptions> {
  const isPlanned = requestedBy(payload) === null
  const planning = isPlanned && (await planPoll(deps.config, deps.store, deps.now()))
  return { ...pollOptions(deps.config), ...(planning && { planning }) }
}

async function closeExpired(job: ChannelJob): Promise<null> {
  const { deps, channel, signal } = job
  const { rfqId } = job.payload
  const startedBy = requestedBy(job.payload)
  const configured = closingPolicy(deps.config.closing, channel)
  if (configured === null) {
    if (startedBy === null) return null
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
    const context = { ...closingContext(deps, channel, signal), onDecision }
    const result = await deps.closeExpired(context, policy)
    if (deps.config.closing.reportOnClose) await enqueueMissingReports(deps, channel.key)
    return result
  })
}

/**
 * Enqueues a report for each RFQ of a channel that was closed within seven days and has none made since, because an earlier round was
 * stopped before it enqueued one, the queue lost it, or it failed. A failure is only logged, because the closing itself succeeded; the
 * next round retries.
 */
async function enqueueMissingReports({ store, now, enqueue, log }: HandlerDeps, channel: string): Promise<void> {
  try {
    const since = new Date(now().getTime() - MAX_REPORT_DELAY_MS)
    for (const { rfqId } of await store.unreportedCloses({ channel, madeBy: CLOSING_ROUND, since }))
      await enqueue('rfq-report', { channel, rfqId, cause: CLOSING_ROUND })
  } catch (error) {
    log.warn({ channel, err: error }, 'cannot enqueue the reports on closed RFQs; the next closing round retries')
  }
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
): Promise<null> {
  const { store, now, log, observer } = deps
  const about = { channel: channel.key, kind }
  const cause = requestedBy(payload)
  const skip = (reason: string, facts: object = {}): null => {
    log.info({ ...about, ...facts }, `skipped: ${reason}`)
    if (cause !== null) throw new RunFailedError(`skipped: ${reason}`)
    return null
  }
  const until = await pausedUntil(store, about, now())
  if (until !== null) return skip('the marketplace asked for a pause', { until })
  const previous = await store.newestRun(about)
  const result = await work().catch((error: unknown) => {
    if (error instanceof RunBusyError) return error
    observer?.runFailed(about)
    throw error
  })
  if (result instanceof RunBusyError) return skip(result.message)
  observer?.runEnded(result)
  logRunSummary(result, log, { previous, cause, rfq: payload.rfqId })
  const { outcome, error } = result.run
  if (outcome === 'failed' || (signal.aborted && outcome !== 'complete'))
    throw new RunFailedError(error ?? 'the run failed')
  return null
}

/** Makes the report on an RFQ; without one, the overview of the channel. */
async function report({ deps, channel: { key: channel }, payload, signal }: ChannelJob): Promise<string | null> {
  const { config, store, now, log, observer } = deps
  const { cause, asOf, rfqId } = payload
  const about = { channel, ...(rfqId !== undefined && { rfqId }) }
  const madeBy = requestedBy(payload)?.replace(/^(api|page) /, '') ?? 'schedule'
  const request = { ...about, now: now(), madeBy, ...(asOf !== undefined && { asOf: new Date(asOf) }) }
  const kind = rfqId === undefined ? 'channel' : 'rfq'
  const started = performance.now()
  const observe = (succeeded: boolean) =>
    observer?.reportEnded({ report: kind, seconds: (performance.now() - started) / 1_000, succeeded })
  const { path } = await deps.makeReport(request, { signal }).catch((error) => {
    observe(false)
    throw error
  })
  observe(true)
  const name = reportName(config.reports.directory, path)
  log.info({ channel, rfq: rfqId, cause, file: path }, 'report written')
  const made = { name: name ?? basename(path), by: madeBy }
  await store.recordEvents([{ kind: 'report.made', at: now().toISOString(), ...about, data: { report: made } }])
  return name
}
