import { serveMcp } from '../../../mcp/serve-stdio.js'
import type { McpDeps } from '../../../mcp/tools.js'
import { createPollChecks } from '../../../readiness/poll-freshness.js'
import type { Store } from '../../../store/contract.js'
import { viewConfigOf } from '../../../tables/source.js'
import { createViews } from '../../../tables/views.js'
import { createApiReader } from '../../../web/api/read.js'
import { type App, withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { withExamples } from '../../input/options.js'

/** `mcp`: lets an assistant read the record (docs/MCP.md). stdout is the protocol, logs go to stderr. */
export const register: RegisterCommand = (command, cli) => {
  command.action(() =>
    withStore(cli, (store, app) => serveMcp(createMcpDeps(cli, app, store), cli.io.streams, cli.io.stop)),
  )
  withExamples(command, ['quotekeeper mcp', 'serve until stdin is closed; an assistant starts this'])
}

/** What the MCP server answers from: the HTTP API's queries over a connection that can only read. */
export function createMcpDeps(
  { io }: Pick<Cli, 'io'>,
  { config, log }: Pick<App, 'config' | 'log'>,
  store: Store,
): McpDeps {
  const viewConfig = viewConfigOf(config)
  const views = createViews(store, viewConfig)
  const pollChecks = createPollChecks(config, store)
  return {
    reader: createApiReader(views, viewConfig),
    channels: viewConfig.channels.map(({ key }) => key),
    now: io.now,
    async freshness(now) {
      const checks = (await pollChecks(now)).filter(({ kind }) => kind === 'rfqs')
      return (await views.freshness()).map(({ channel, rfqsAt }) => {
        const check = checks.find((each) => each.channel === channel)
        return { channel, polledAt: rfqsAt, behind: check === undefined ? null : !check.ok, message: check?.message }
      })
    },
    onError: (error) => log.error({ err: error }, 'MCP request failed'),
  }
}
