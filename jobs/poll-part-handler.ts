import type { ChannelConfig, Config } from '../src/config.js'
import { ChannelError } from '../src/marketplace/errors.js'
import type { PollContext, PollRfqsOptions } from '../src/sync/contract.js'
import { pollContext, pollOptions } from '../src/sync/poll-inputs.js'
import type { JobPayload, Log } from './contract.js'
import { PostponedJobError, RefusedJobError } from './errors.js'

/** Reads a part of a poll, and resolves to how many documents it recorded; null if it did not finish the part. */
export type ReadPollPart = (
  context: PollContext,
  part: { run: number; number: number },
  options: Pick<PollRfqsOptions, 'concurrency'>,
) => Promise<number | null>

interface PartJob {
  deps: Parameters<typeof pollContext>[0] & { config: Config; readPollPart: ReadPollPart; log: Log }
  channel: ChannelConfig
  payload: JobPayload
  signal: AbortSignal
}

/** Parts that one process reads at the same time: fewer than its jobs, so that closing rounds, polls and reports need not wait. */
const MAX_PARTS = 2

/**
 * Helps with polls that other workers began, a few parts at the same time; their outcome is that of the poll, which those workers
 * log. If the marketplace refuses this process, others help: a key may be wrong on one machine only.
 */
export function createPartHandler(): (job: PartJob) => Promise<undefined> {
  let reading = 0
  const refusedRuns = new Set<number>()

  return async ({ deps, channel, payload, signal }) => {
    const { part } = payload
    if (part === undefined) throw new RefusedJobError('poll-part without a part')
    const facts = { channel: channel.key, ...part }
    if (refusedRuns.has(part.run)) {
      const { unfinished } = await deps.store.pollPartsLeft(part.run)
      if (unfinished > 0) throw refused()
      refusedRuns.delete(part.run)
      return
    }
    if (reading >= MAX_PARTS) throw new PostponedJobError(`this process reads ${reading} parts of polls already`)
    reading++
    try {
      const documents = await deps.readPollPart(pollContext(deps, channel, signal), part, pollOptions(deps.config))
      if (documents !== null) deps.log.debug({ ...facts, documents }, 'read a part of a poll')
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error
      if (!refusedRuns.has(part.run))
        deps.log.warn(
          { ...facts, err: error },
          'the marketplace refuses this process, which does not help with this poll',
        )
      refusedRuns.add(part.run)
      throw refused()
    } finally {
      reading--
    }
  }
}

const refused = () => new PostponedJobError('the marketplace refuses this process')
