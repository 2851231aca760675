import type { Tone } from '../../components/format.js'
import { RELOAD_NOTICE, type RequestedJobStatus } from './job-status.js'

/** The polls that an operator can start on the page of a channel. */
export const POLLS = { rfqs: 'RFQs', listings: 'listings' } as const
export type PollKind = keyof typeof POLLS

interface PollState {
  tone: Tone
  message: string
  isRunning: boolean
}

/**
 * The status of a requested poll.
 * @returns null if the job is about something else
 */
export function pollState(channel: string, status: RequestedJobStatus): PollState | null {
  if (status === 'unreachable')
    return running(`The queue does not answer, so the status of the poll is unknown. ${RELOAD_NOTICE}`)
  if (status === null)
    return { tone: 'neutral', message: 'The requested poll is no longer in the queue.', isRunning: false }
  const kind = (Object.keys(POLLS) as PollKind[]).find((each) => status.name === `poll-${each}`)
  if (kind === undefined || status.channel !== channel) return null
  const poll = `The poll of ${POLLS[kind]}`
  switch (status.state) {
    case 'waiting':
      return running(`${poll} is waiting for a worker. ${RELOAD_NOTICE}`)
    case 'active':
      return running(`${poll} is running. ${RELOAD_NOTICE}`)
    case 'completed':
      return { tone: 'good', message: `${poll} has ended; its result is in the list of runs.`, isRunning: false }
    case 'failed':
      return { tone: 'bad', message: `${poll} failed: ${status.error ?? 'unknown error'}`, isRunning: false }
  }
}

const running = (message: string): PollState => ({ tone: 'warn', message, isRunning: true })

/** Buttons that poll the channel now, for operators. */
export const PollForm = ({ csrfToken }: { csrfToken: string }) => (
  <form method="post" class="buttons noprint">
    <input type="hidden" name="_csrf" value={csrfToken} />
    {(Object.keys(POLLS) as PollKind[]).map((kind) => (
      <button type="submit" name="kind" value={kind}>
        {`Poll the ${POLLS[kind]} now`}
      </button>
    ))}
  </form>
)
