import { withApp } from '../../app.js'
import type { RegisterCommand } from '../../cli-context.js'
import { withExamples } from '../../input/options.js'

/** `mcp`: lets an assistant read the record (docs/MCP.md). stdout is the protocol, logs go to stderr. */
export const register: RegisterCommand = (command, cli) => {
  command.action(() =>
    withApp(cli, { secrets: 'if-set' }, async (app) => {
      const [{ serveMcp }, { createMcpDeps }, { openDatabaseReader }] = await Promise.all([
        import('../../../mcp/serve-stdio.js'),
        import('../../runs/mcp-deps.js'),
        import('../../../store/open-database.js'),
      ])
      const store = await openDatabaseReader(app.config.database)
      app.onClose(() => store.close())
      await serveMcp(createMcpDeps(cli, app, store), cli.io.streams, cli.io.stop)
    }),
  )
  withExamples(command, ['quotekeeper mcp', 'serve until stdin is closed; an assistant starts this'])
}
