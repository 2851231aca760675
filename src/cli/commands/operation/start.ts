import { withApp } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { withExamples } from '../../input/options.js'
import { runService } from '../../service/run-service.js'

/** `start`: runs the service. */
export const register: RegisterCommand = (command, cli) => {
  command.action(() => start(cli))
  withExamples(
    command,
    ['quotekeeper start', 'poll, close and report on schedule until Ctrl-C'],
    ['quotekeeper --log-level debug start', 'with debug logging'],
  )
}

const start = (cli: Cli) =>
  withApp(cli, { secrets: 'required', logTo: 'stdout', createDatabase: true, servesPages: true }, (app) =>
    runService(cli, app, { schedule: true, port: app.config.web.port, pages: true }),
  )
