import { closestMatches } from '../../core/text/suggest.js'
import type { Freshness, McpDeps } from '../../mcp/contract.js'
import { openApiReader } from '../../pool/open-api-reader.js'
import { createPollChecks } from '../../readiness/poll-freshness.js'
import type { Reader } from '../../store/contract.js'
import { viewConfigOf } from '../../tables/source.js'
import { createViews } from '../../tables/views.js'
import { VERSION } from '../../version.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { databaseNow } from '../input/read-filter.js'

/** What the MCP server answers from: the HTTP API's queries over a connection that can only read. */
export function createMcpDeps(
  { io }: Pick<Cli, 'io'>,
  { config, log }: Pick<App, 'config' | 'log'>,
  store: Omit<Reader, 'close'>,
): McpDeps {
  const viewConfig = viewConfigOf(config)
  const { channels } = viewConfig
  const pollChecks = createPollChecks(config, store)
  return {
    reader: openApiReader(createViews(store, viewConfig), viewConfig),
    channels: channels.map(({ key }) => key),
    now: () => databaseNow(store, io.now()),
    async freshness(wanted, { now, asOf }) {
      const checks = asOf === undefined ? await pollChecks(now) : []
      return Promise.all(
        wanted.map(async (channel) => {
          const check = checks.find((each) => each.channel === channel && each.kind === 'rfqs')
          if (check === undefined) return newestPoll(store, channel, asOf)
          return { channel, polledAt: check.completeAt, behind: !check.ok, message: check.message }
        }),
      )
    },
    suggest: (text, candidates) => closestMatches(text, candidates),
    version: VERSION,
    onError: (error) => log.error({ err: error }, 'MCP request failed'),
  }
}

/** Without a verdict: about a past moment, or because no schedule says how often the channel is polled. */
async function newestPoll(
  store: Pick<Reader, 'newestCompleteRun'>,
  channel: string,
  asOf: Date | undefined,
): Promise<Freshness> {
  const run = await store.newestCompleteRun({ channel, kind: 'rfqs', asOf })
  const polledAt = run?.finishedAt ?? null
  const until = asOf === undefined ? '; polls are not scheduled' : ' up to that moment'
  return { channel, polledAt, behind: null, message: `${polledAt === null ? 'no' : 'newest'} complete poll${until}` }
}
