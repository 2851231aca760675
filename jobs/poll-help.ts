import type { JobRunner, Log } from './contract.js'
import { jobId } from './job-id.js'

interface PartsOfPoll {
  channel: string
  run: number
  /** The first part to read. */
  from: number
  /** The part after the last one. */
  to: number
  now: Date
}

/** Enqueues jobs for parts of a poll, which others may read. Never rejects: without help, the poll reads all parts itself. */
export async function askForHelp(
  { enqueue, log }: { enqueue: JobRunner['enqueue']; log: Log },
  { channel, run, from, to, now }: PartsOfPoll,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (let number = from; number < to && !signal.aborted; number++) {
      const payload = { channel, cause: 'poll', part: { run, number } }
      await enqueue('poll-part', payload, jobId('poll-part', payload, now))
    }
  } catch (error) {
    if (!signal.aborted) log.warn({ channel, run, err: error }, 'cannot ask other workers for help with a poll')
  }
}
