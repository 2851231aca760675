import { createHash } from 'node:crypto'
import type { PollCheck } from '../readiness/poll-freshness.js'
import type { PollKind } from '../store/contract.js'
import { FilterError } from './filter-error.js'
import type { ViewSource } from './source.js'

/** What each poll reads, as texts name it. */
export const POLL_SUBJECTS: Readonly<Record<PollKind, string>> = { rfqs: 'RFQs', listings: 'listings' }

/** What is wrong with a poll of a channel, in a sentence; null if nothing is. */
export function pollProblem({ kind, ok, message, lostEntriesAt }: PollCheck): string | null {
  const subject = POLL_SUBJECTS[kind]
  if (lostEntriesAt === null) return ok ? null : `The ${subject} are behind: ${message}.`
  return `The list of ${subject} may not be whole: nothing is marked as missing${kind === 'rfqs' ? ' or closed' : ''} until a poll reads a whole one, or you accept it.`
}

/** What was polled when. */
export function pollViews({ store, channels }: ViewSource) {
  const completeAt = async (channel: string, kind: PollKind) =>
    (await store.newestRun({ channel, kind, isComplete: true }))?.finishedAt ?? null
  return {
    /** When the newest complete poll of RFQs, and of listings, of each channel finished; null if none did. */
    freshness: () =>
      Promise.all(
        channels.map(async ({ key: channel }) => ({
          channel,
          rfqsAt: await completeAt(channel, 'rfqs'),
          listingsAt: await completeAt(channel, 'listings'),
        })),
      ),
    /** Whether no poll of the RFQs of a channel was complete by a moment. */
    isIncompleteAt: async (channel: string, asOf: Date): Promise<boolean> =>
      (await store.newestRun({ channel, kind: 'rfqs', isComplete: true, asOf })) === null,
    /** When the first poll began; null if there was none, or the channel is unknown. */
    firstPollAt: (filter: { channel?: string; kind?: PollKind }): Promise<string | null> => store.firstPollAt(filter),
    /** Changes when a poll, a closing round, a closing, or the figures after them were recorded. */
    async pulse(): Promise<string> {
      const runs = await store.runs({ limit: 20 })
      // Figures are recorded after the documents.
      const behind = await store.database.get(`select 1 as found from figures where key = '' limit 1`)
      const recorded = runs.map(({ id, finishedAt, changed, inserted }) => `${id} ${finishedAt} ${inserted} ${changed}`)
      return createHash('sha256')
        .update([...recorded, behind === undefined].join())
        .digest('base64url')
    },
  }
}

/** When the polls of a channel last succeeded. */
export type ChannelFreshness = Awaited<ReturnType<ReturnType<typeof pollViews>['freshness']>>[number]

/** What a moment is about: the RFQs, the listings, or both, of a channel, by default of all. */
export interface Observed {
  channel?: string
  kind?: PollKind
}

/**
 * Refuses a moment before the first poll: an empty answer would look as if there had been nothing.
 * @param option that names the moment, for messages
 * @throws FilterError unless the moment is after that poll, or there was none
 */
export async function requirePolled(
  option: string,
  asOf: Date,
  { firstPollAt, ...observed }: Observed & { firstPollAt: (observed: Observed) => Promise<string | null> },
): Promise<void> {
  const first = await firstPollAt(observed)
  if (first === null || asOf >= new Date(first)) return
  const what = observed.kind === undefined ? '' : ` of ${POLL_SUBJECTS[observed.kind]}`
  const where = observed.channel === undefined ? '' : ` in ${observed.channel}`
  const message = `nothing is known about ${asOf.toISOString()}: the first poll${what}${where} was at ${first}`
  throw new FilterError(option, `${option}: ${message}`)
}
