import type { RegisterCommand } from '../../cli-context.js'
import { runDemo } from '../../demo/run-demo.js'
import { withExamples } from '../../input/options.js'

/** `demo`: runs the service on a sample marketplace. */
export const register: RegisterCommand = (command, cli) => {
  command
    .option('--once', 'stop after one poll, closing round and report')
    .action((options: { once?: boolean }) => runDemo(cli, options.once ?? false))
  withExamples(
    command,
    ['quotekeeper demo', 'run until Ctrl-C'],
    ['quotekeeper demo --once', 'stop after one poll, closing round and report'],
  )
}
