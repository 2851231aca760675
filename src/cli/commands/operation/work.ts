import { type App, withApp } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { UsageError } from '../../cli-error.js'
import { wholeNumber, withExamples } from '../../input/options.js'
import { runService } from '../../service/run-service.js'

/** `work`: runs workers only; another process schedules the jobs. */
export const register: RegisterCommand = (command, cli) => {
  command
    .option(
      '--port <number>',
      'answer /healthz, /readyz and /metrics on this port of web.host; 0 for any free port; without it, nothing listens',
      wholeNumber(0, 65_535),
    )
    .action((options: Options) => work(cli, options))
  withExamples(
    command,
    ['quotekeeper work', 'run jobs that another process schedules, until Ctrl-C'],
    ['quotekeeper work --port 4781', 'the same, with health endpoints for monitoring'],
  )
}

interface Options {
  port?: number
}

const work = (cli: Cli, { port }: Options) =>
  withApp(cli, { secrets: 'required', logTo: 'stdout', createDatabase: true }, async (app) => {
    requireSharedQueue(app)
    await runService(cli, app, { schedule: false, port: port ?? null, pages: false })
  })

/** The jobs of an in-process queue exist only in the memory of the process that made them. */
function requireSharedQueue({ config }: App): void {
  if (config.queue.kind !== 'in-process') return
  throw new UsageError(
    `work needs a queue that processes share, but ${config.file} has queue: in-process; ` +
      'set queue: redis://…, or run only `quotekeeper start`',
  )
}
