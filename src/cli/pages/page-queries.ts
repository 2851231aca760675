import type { Config } from '../../config.js'
import type { Reader } from '../../store/contract.js'
import type { PageQueries } from '../../web/page-queries.js'

/** The part of the configuration that pages use; contains no secret, so that it can be sent to a thread. */
export type PageConfig = {
  channels: Pick<Config['channels'][number], 'key' | 'timeZone' | 'graceHours' | 'autoClose'>[]
}

export const pageConfigOf = ({ channels }: Config): PageConfig => ({
  channels: channels.map(({ key, timeZone, graceHours, autoClose }) => ({ key, timeZone, graceHours, autoClose })),
})

/** What pages show, read from an open store. */
export function createPageQueries({
  store,
  config,
}: {
  store: Pick<Reader, 'newestRun' | 'runs' | 'decisions' | 'problems'>
  config: PageConfig
}): PageQueries {
  const completeAt = async (channel: string, kind: 'rfqs' | 'listings') =>
    (await store.newestRun({ channel, kind, outcome: 'complete' }))?.finishedAt ?? null
  return {
    freshness: () =>
      Promise.all(
        config.channels.map(async ({ key: channel }) => ({
          channel,
          rfqsAt: await completeAt(channel, 'rfqs'),
          listingsAt: await completeAt(channel, 'listings'),
        })),
      ),
    channels: async () => config.channels.map(({ key }) => key),
    runs: (filter) => store.runs(filter),
    decisions: (filter) => store.decisions(filter),
    problems: (filter) => store.problems(filter),
  }
}
