import type { PollKind, RunQueries } from '../store/contract.js'

/** The channels of which no poll that counts as complete had finished by a moment: what they showed then may lack documents. */
export async function channelsWithoutCompletePoll(
  store: Pick<RunQueries, 'hadCompleteRun'>,
  { channels, kind, asOf }: { channels: readonly string[]; kind: PollKind; asOf: Date },
): Promise<string[]> {
  const polled = await Promise.all(channels.map((channel) => store.hadCompleteRun({ channel, kind, asOf })))
  return channels.filter((_, index) => !polled[index])
}

/** Creates the function that finds them for what a page or an answer is about: a channel, or all that are configured. */
export const createIncompleteAt =
  (
    store: Pick<RunQueries, 'hadCompleteRun'>,
    channels: readonly { key: string }[],
  ): ((observed: Observed, asOf: Date) => Promise<string[]>) =>
  ({ channel, kind }, asOf) => {
    const keys = channel === undefined ? channels.map(({ key }) => key) : [channel]
    return channelsWithoutCompletePoll(store, { channels: keys, kind, asOf })
  }

/** What a moment is about: the RFQs or the listings of a channel, by default of all. */
export interface Observed {
  channel?: string
  kind: 'rfqs' | 'listings'
}

/**
 * Why nothing can be shown as of a moment before the first poll: an empty answer would look as if there had been nothing.
 * Null if it is after that poll, or there was none.
 */
export async function beforeFirstPoll(
  asOf: Date,
  observed: Observed,
  firstPollAt: (observed: Observed) => Promise<string | null>,
): Promise<string | null> {
  const first = await firstPollAt(observed)
  if (first === null || asOf >= new Date(first)) return null
  const what = observed.kind === 'rfqs' ? 'RFQs' : 'listings'
  const where = observed.channel === undefined ? '' : ` in ${observed.channel}`
  return `nothing is known about ${asOf.toISOString()}: the first poll of ${what}${where} was at ${first}`
}
