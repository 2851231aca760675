import type { RegisterCommand } from '../../cli-context.js'
import { withExamples } from '../../input/options.js'
import { registerList } from '../list-command.js'

/** `runs`: lists polls and closing rounds. */
export const register: RegisterCommand = (command, cli) => {
  registerList(command, cli, 'runs')
  withExamples(
    command,
    ['quotekeeper runs --kind rfqs --limit 5', 'the last five polls of RFQs'],
    ['quotekeeper runs --outcome failed', 'polls and closing rounds that failed'],
  )
}
