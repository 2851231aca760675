import type { JobRunner, Log } from './contract.js'
import { jobId } from './job-id.js'

interface Poll {
  channel: string
  run: number
  /** How many parts it has. Its own process begins with the first. */
  parts: number
  now: Date
}

/** Enqueues a job for each part of a poll that others may read. Never rejects: without help, the poll reads all parts itself. */
export async function askForHelp(
  { enqueue, log }: { enqueue: JobRunner['enqueue']; log: Log },
  { channel, run, parts, now }: Poll,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (let number = 1; number < parts && !signal.aborted; number++) {
      const payload = { channel, cause: 'poll', part: { run, number } }
      await enqueue('poll-part', payload, jobId('poll-part', payload, now))
    }
  } catch (error) {
    if (!signal.aborted) log.warn({ channel, run, err: error }, 'cannot ask other workers for help with a poll')
  }
}
