import type { PollKind, RunQueries } from '../store/contract.js'
import type { PageQueries } from '../web/page-queries.js'

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
  (store: Pick<RunQueries, 'hadCompleteRun'>, channels: readonly { key: string }[]): PageQueries['incompleteAt'] =>
  ({ channel, kind }, asOf) => {
    const keys = channel === undefined ? channels.map(({ key }) => key) : [channel]
    return channelsWithoutCompletePoll(store, { channels: keys, kind, asOf })
  }
