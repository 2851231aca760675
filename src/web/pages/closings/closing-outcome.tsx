import type { CloseOutcome, DecisionRecord } from '../../../core/records.js'
import type { RfqClosings } from '../../../views/closings/closings.js'
import { listPath } from '../../../views/page-paths.js'
import { Notice, plain, type Tone } from '../../components/format.js'
import { RELOAD_NOTICE, type RequestedJobStatus } from '../operation/job-status.js'
import type { Parameters } from '../page.js'

/** The state of a close that a user requested on the page. */
export interface ClosingOutcome {
  tone: Tone
  message: string
  /** It is not decided yet. */
  isRunning: boolean
  /** It ended without a decision, so a close that was planned or sent may not be settled. */
  isUndecided?: boolean
  /** Whether the run of the closing round has details. */
  seeRun?: boolean
}

/** The job of a requested close, and when it was requested, from the address of the page. */
export interface RequestedClose {
  job: string
  at: string
}

/** The parameters of the page that shows the outcome of a close. */
export const closeRequestParameters = ({ job, at }: RequestedClose): string =>
  new URLSearchParams({ job, asked: at }).toString()

/** Null if the address names none. */
export function readRequestedClose({ job, asked }: Parameters): RequestedClose | null {
  const at = new Date(asked ?? Number.NaN)
  return job === undefined || Number.isNaN(at.getTime()) ? null : { job, at: at.toISOString() }
}

/**
 * Whether a requested close was decided, and how.
 * @returns null if the job is about something else
 */
export function closingOutcome(
  { channel, id, closings }: Pick<RfqClosings, 'channel' | 'id' | 'closings'>,
  { at }: RequestedClose,
  status: RequestedJobStatus,
): ClosingOutcome | null {
  const job = status === 'unreachable' ? null : status
  const isOther = job !== null && (job.name !== 'close-expired' || job.channel !== channel || job.rfqId !== id)
  if (isOther) return null
  if (job?.state === 'waiting' || job?.state === 'active') return running(RUNNING[job.state])
  const decision = closings.map(({ record }) => record).find((each) => (each.repeatedUntil ?? each.decidedAt) >= at)
  if (decision !== undefined) return { ...ofDecision(decision), isRunning: false }
  if (status === 'unreachable') return running('The queue does not answer, so it is not known whether the round runs.')
  if (job?.state === 'failed') return undecided(`Nothing was decided: ${sentence(job.error ?? 'the job failed')}`)
  const ended = job === null ? 'The queue no longer knows the job' : 'The closing round ended'
  return { ...undecided(`${ended}, and there is no closing decision about this RFQ.`), seeRun: true }
}

const RUNNING = {
  waiting: 'The closing round waits for a worker.',
  active: 'The closing round runs: the RFQ is read, closed and read again.',
}

const running = (message: string): ClosingOutcome => ({
  ...{ tone: 'warn', message: `${message} ${RELOAD_NOTICE}`, isRunning: true },
})
const undecided = (message: string): ClosingOutcome => ({ tone: 'bad', message, isRunning: false, isUndecided: true })

const OUTCOMES: Record<CloseOutcome, Pick<ClosingOutcome, 'tone' | 'message'>> = {
  closed: { tone: 'good', message: 'The RFQ was closed, and a read confirms it' },
  'already-closed': { tone: 'good', message: 'The RFQ is closed; somebody else closed it' },
  refused: { tone: 'bad', message: 'The marketplace refused to close it' },
  failed: { tone: 'bad', message: 'The marketplace confirmed the close, but a read shows that it had no effect' },
  unknown: { tone: 'bad', message: 'It is not known whether the close had an effect' },
}

function ofDecision({
  id,
  decision,
  outcome,
  reason,
  evidence,
}: DecisionRecord): Pick<ClosingOutcome, 'tone' | 'message'> {
  const { tone, message } =
    outcome === null
      ? { tone: 'warn' as const, message: decision === 'blocked' ? 'Nothing was sent' : 'It was not closed' }
      : OUTCOMES[outcome]
  // Of a close that was sent, its result; the reasons for it are below.
  const why = typeof evidence.result === 'string' ? evidence.result : reason
  return { tone, message: `${message}: ${sentence(why)} (Closing decision ${id}.)` }
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)

/** The outcome of the close, above the rest of the page. */
export const OutcomeNotice = ({
  outcome,
  channel,
  unsettled,
}: {
  outcome: ClosingOutcome
  channel: string
  /** A close that is not settled yet, or null. */
  unsettled: string | null
}) => (
  <Notice tone={outcome.tone}>
    {plain(outcome.message)}
    {outcome.isUndecided && unsettled !== null && ` ${plain(`But ${sentence(unsettled)}`)}`}
    {outcome.seeRun && (
      <>
        {' '}
        <a href={`${listPath('runs', channel)}&kind=close`}>Closing rounds of the channel</a>
      </>
    )}
  </Notice>
)
