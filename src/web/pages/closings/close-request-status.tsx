import type { CloseOutcome, DecisionRecord } from '../../../core/records.js'
import { fullStop } from '../../../tables/closings/closing-outlook.js'
import type { RfqClosing } from '../../../tables/closings/closings.js'
import type { Tone } from '../../components/format.js'
import { RELOAD_NOTICE, type RequestedJobStatus } from '../operation/job-status.js'
import type { Parameters } from '../page.js'

/** The status of a close that a user requested on the page. */
export interface CloseRequestStatus {
  tone: Tone
  message: string
  /** The closing round has not decided yet. */
  isInProgress: boolean
}

/** The job of a requested close and the time of the request, both from the URL of the page. */
export interface RequestedClose {
  job: string
  at: string
}

/** The query string of the page that shows the status of a requested close. */
export const closeRequestParameters = ({ job, at }: RequestedClose): string =>
  new URLSearchParams({ job, asked: at }).toString()

/** Null if the URL names none. */
export function readRequestedClose({ job, asked }: Parameters): RequestedClose | null {
  const at = new Date(asked ?? Number.NaN)
  return job === undefined || Number.isNaN(at.getTime()) ? null : { job, at: at.toISOString() }
}

/**
 * Combines the job of a requested close with the closing decisions since the request.
 * @returns null if the job is not a close of this RFQ
 */
export function closeRequestStatus(
  { channel, id, decisions, outlook }: Pick<RfqClosing, 'channel' | 'id' | 'decisions' | 'outlook'>,
  { at }: RequestedClose,
  status: RequestedJobStatus,
): CloseRequestStatus | null {
  const job = status === 'unreachable' ? null : status
  const isOther = job !== null && (job.name !== 'close-expired' || job.channel !== channel || job.rfqId !== id)
  if (isOther) return null
  if (job?.state === 'waiting' || job?.state === 'active') return inProgress(PROGRESS_MESSAGES[job.state])
  const decision = decisions.find((each) => (each.repeatedUntil ?? each.decidedAt) >= at)
  if (decision !== undefined) return { ...describeDecision(decision), isInProgress: false }
  if (status === 'unreachable')
    return inProgress('The queue does not answer, so the status of the closing round is unknown.')
  const ended =
    job?.state === 'failed'
      ? `No decision was made: ${fullStop(job.error ?? 'the job failed')}`
      : `${job === null ? 'The job is no longer in the queue; it' : 'The closing round'} ended without a closing decision on this RFQ.`
  // An earlier close may still have no recorded outcome.
  const unsettled = outlook.close?.outcome === 'open' ? ` ${outlook.why}` : ''
  return { tone: 'bad', message: `${ended}${unsettled}`, isInProgress: false }
}

const PROGRESS_MESSAGES = {
  waiting: 'The closing round is waiting for a worker.',
  active: 'The closing round is running: it reads the RFQ, closes it and verifies the close.',
}

const inProgress = (message: string): CloseRequestStatus => ({
  ...{ tone: 'warn', message: `${message} ${RELOAD_NOTICE}`, isInProgress: true },
})

const OUTCOME_MESSAGES: Record<CloseOutcome, Pick<CloseRequestStatus, 'tone' | 'message'>> = {
  closed: { tone: 'good', message: 'The RFQ was closed and verified' },
  'already-closed': { tone: 'good', message: 'The RFQ is closed; somebody else closed it' },
  refused: { tone: 'bad', message: 'The marketplace refused to close it' },
  failed: { tone: 'bad', message: 'The marketplace confirmed the close, but the RFQ is still open' },
  unknown: { tone: 'bad', message: 'It is unknown whether the close took effect' },
}

function describeDecision({ id, decision, outcome, reason, evidence }: DecisionRecord) {
  const { tone, message } =
    outcome === null
      ? { tone: 'warn' as const, message: decision === 'blocked' ? 'Nothing was sent' : 'It was not closed' }
      : OUTCOME_MESSAGES[outcome]
  // For a close that was sent, show its result; the page lists the reasons for it below.
  const why = typeof evidence.result === 'string' ? evidence.result : reason
  return { tone, message: `${message}: ${fullStop(why)} (Closing decision ${id}.)` }
}
