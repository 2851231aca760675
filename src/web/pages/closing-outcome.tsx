import type { CloseOutcome, DecisionRecord } from '../../domain/records.js'
import { listPath } from '../../read-models/page-paths.js'
import type { JobStatusView } from '../api/schemas/index.js'
import type { ClosingPage } from '../page-queries.js'
import { plain, type Tone } from '../views/format.js'
import type { Parameters } from './page.js'

/** What became of a close that somebody asked for on the page. */
export interface ClosingOutcome {
  tone: Tone
  words: string
  /** It is not decided yet. */
  isRunning: boolean
  /** Whether the run of the closing round says more. */
  seeRun?: boolean
}

/** When a close was asked for, and its job, as the address of the page says. */
export interface AskedClose {
  job: string
  at: string
}

/** The parameters of the page that shows what became of a close. */
export const askedParameters = ({ job, at }: AskedClose): string => new URLSearchParams({ job, asked: at }).toString()

/** Null if the address names none. */
export function askedClose({ job, asked }: Parameters): AskedClose | null {
  const at = new Date(asked ?? Number.NaN)
  return job === undefined || Number.isNaN(at.getTime()) ? null : { job, at: at.toISOString() }
}

/**
 * What became of a close that was asked for.
 * @param status of its job; null if the queue does not know it any more
 * @returns null if the job is about something else
 */
export function closingOutcome(
  { channel, id, decisions, unsettled }: Pick<ClosingPage, 'channel' | 'id' | 'decisions' | 'unsettled'>,
  { at }: AskedClose,
  status: JobStatusView | null,
): ClosingOutcome | null {
  const isOther =
    status !== null && (status.name !== 'close-expired' || status.channel !== channel || status.rfqId !== id)
  if (isOther) return null
  if (status?.state === 'waiting' || status?.state === 'active') {
    const words = status.state === 'waiting' ? 'waits for a worker' : 'runs: the RFQ is read, closed and read again'
    return { tone: 'warn', words: `The closing round ${words}. This page loads itself again.`, isRunning: true }
  }
  const decision = decisions.map(({ record }) => record).find((each) => (each.repeatedUntil ?? each.decidedAt) >= at)
  if (decision !== undefined) return { ...ofDecision(decision), isRunning: false }
  const open = unsettled === null ? '' : ` But ${sentence(unsettled)}`
  if (status?.state === 'failed')
    return {
      tone: 'bad',
      words: `Nothing was decided: ${sentence(status.error ?? 'the job failed')}${open}`,
      isRunning: false,
    }
  const ended = status === null ? 'What became of the job is not known any more' : 'The closing round ended'
  const words = `${ended}, and there is no decision about this RFQ.${open}`
  return { tone: 'bad', words, isRunning: false, seeRun: true }
}

const OUTCOMES: Record<CloseOutcome, Pick<ClosingOutcome, 'tone' | 'words'>> = {
  closed: { tone: 'good', words: 'The RFQ was closed, and a read confirms it' },
  'already-closed': { tone: 'good', words: 'The RFQ is closed; somebody else closed it' },
  refused: { tone: 'bad', words: 'The marketplace refused to close it' },
  failed: { tone: 'bad', words: 'The marketplace confirmed the close, but a read shows that it had no effect' },
  unknown: { tone: 'bad', words: 'It is not known whether the close had an effect' },
}

function ofDecision({
  id,
  decision,
  outcome,
  reason,
  evidence,
}: DecisionRecord): Pick<ClosingOutcome, 'tone' | 'words'> {
  const { tone, words } =
    outcome === null
      ? { tone: 'warn' as const, words: decision === 'held' ? 'Nothing was sent' : 'It was not closed' }
      : OUTCOMES[outcome]
  // Of a close that was sent, what came of it; the reasons for it are below.
  const why = typeof evidence.result === 'string' ? evidence.result : reason
  return { tone, words: `${words}: ${sentence(why)} (Decision ${id}.)` }
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)

/** What became of the close, above the rest of the page. */
export const OutcomeNotice = ({ outcome, channel }: { outcome: ClosingOutcome; channel: string }) => (
  <p class={`notice ${outcome.tone}`} role={outcome.tone === 'bad' ? 'alert' : 'status'}>
    {plain(outcome.words)}
    {outcome.seeRun && (
      <>
        {' '}
        <a href={`${listPath('runs', channel)}&kind=close`}>Closing rounds of the channel</a>
      </>
    )}
  </p>
)
