import type { Cli, Register } from '../cli-context.js'
import { UsageError } from '../cli-error.js'
import { type House, inHouse } from '../compose.js'
import { withExamples } from '../options.js'
import { serve } from '../run-service.js'

/** `work`: workers only, for a second process or machine. */
export const register: Register = (command, cli) => {
  command.action(() => work(cli))
  withExamples(command, ['quotekeeper work', 'take jobs that another process schedules, until Ctrl-C'])
}

const work = (cli: Cli) =>
  inHouse(
    cli,
    { secrets: 'required', logTo: 'stdout', usualLevel: 'info', createDatabase: true },
    async (house: House) => {
      refuseInProcess(house)
      await serve(cli, house, { work: true, schedule: false, web: false })
    },
  )

/** Jobs that wait in another process's memory cannot be taken from there. */
function refuseInProcess({ config }: House): void {
  if (config.queue.kind !== 'in-process') return
  throw new UsageError(
    `work takes jobs from a queue that processes share, and ${config.file} has queue: in-process; ` +
      'set queue: redis://… or postgres://…, or run quotekeeper start alone',
  )
}
