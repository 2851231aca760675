import type { Cli, Register } from '../cli-context.js'
import { type House, inHouse } from '../compose.js'
import { withExamples } from '../options.js'
import { serve } from '../run-service.js'

/** `start`: the service. */
export const register: Register = (command, cli) => {
  command.action(() => start(cli))
  withExamples(
    command,
    ['quotekeeper start', 'poll, close and report by the schedule until Ctrl-C'],
    ['quotekeeper --log-level debug start', 'and tell more about it'],
  )
}

const start = (cli: Cli) =>
  inHouse(cli, { secrets: 'required', logTo: 'stdout', usualLevel: 'info', createDatabase: true }, (house: House) =>
    serve(cli, house, { work: true, schedule: true, web: true }),
  )
