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
 * Whether a requested poll waits, runs or has ended.
 * @returns null if the job is about something else
 */
export function pollState(channel: string, status: RequestedJobStatus): PollState | null {
  if (status === 'unreachable')
    return running(`The queue does not answer, so it is not known whether the poll runs. ${RELOAD_NOTICE}`)
  if (status === null)
    return { tone: 'neutral', message: 'The queue no longer knows the poll that was asked for.', isRunning: false }
  const kind = (Object.keys(POLLS) as PollKind[]).find((each) => status.name === `poll-${each}`)
  if (kind === undefined || status.channel !== channel) return null
  const poll = `The poll of ${POLLS[kind]}`
  switch (status.state) {
    case 'waiting':
      return running(`${poll} waits for a worker. ${RELOAD_NOTICE}`)
    case 'active':
      return running(`${poll} runs. ${RELOAD_NOTICE}`)
    case 'completed':
      return { tone: 'good', message: `${poll} has ended; the newest runs say what it found.`, isRunning: false }
    case 'failed':
      return { tone: 'bad', message: `${poll} failed: ${status.error ?? 'no reason is known'}`, isRunning: false }
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
