import type { RegisterCommand } from '../cli-context.js'
import { demo } from '../demo/run-demo.js'
import { withExamples } from '../options.js'

/** `demo`: the whole job on a marketplace of its own. */
export const register: RegisterCommand = (command, cli) => {
  command
    .option('--once', 'end after one full round')
    .action((options: { once?: boolean }) => demo(cli, options.once ?? false))
  withExamples(
    command,
    ['quotekeeper demo', 'see everything, and watch it go on until Ctrl-C'],
    ['quotekeeper demo --once', 'end after one full round'],
  )
}
