import type { PollKind, RunQueries } from '../store/contract.js'

/** The channels of which no poll that counts as complete had finished by a moment: what they showed then may lack documents. */
export async function channelsWithoutCompletePoll(
  store: Pick<RunQueries, 'hadCompleteRun'>,
  { channels, kind, asOf }: { channels: readonly string[]; kind: PollKind; asOf: Date },
): Promise<string[]> {
  const polled = await Promise.all(channels.map((channel) => store.hadCompleteRun({ channel, kind, asOf })))
  return channels.filter((_, index) => !polled[index])
}
