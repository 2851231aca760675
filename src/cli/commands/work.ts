import { type App, withApp } from '../app.js'
import type { Cli, RegisterCommand } from '../cli-context.js'
import { UsageError } from '../cli-error.js'
import { withExamples } from '../options.js'
import { runService } from '../run-service.js'

/** `work`: workers only, for a second process or machine. */
export const register: RegisterCommand = (command, cli) => {
  command.action(() => work(cli))
  withExamples(command, ['quotekeeper work', 'take jobs that another process schedules, until Ctrl-C'])
}

const work = (cli: Cli) =>
  withApp(
    cli,
    { secrets: 'required', logTo: 'stdout', defaultLevel: 'info', createDatabase: true },
    async (app: App) => {
      refuseInProcess(app)
      await runService(cli, app, { work: true, schedule: false, web: false })
    },
  )

/** Jobs that wait in another process's memory cannot be taken from there. */
function refuseInProcess({ config }: App): void {
  if (config.queue.kind !== 'in-process') return
  throw new UsageError(
    `work takes jobs from a queue that processes share, and ${config.file} has queue: in-process; ` +
      'set queue: redis://… or postgres://…, or run quotekeeper start alone',
  )
}
