import type { RegisterCommand } from '../../cli-context.js'
import { withExamples } from '../../input/options.js'
import { noteOtherSettings } from '../../service/keep-figures.js'
import { registerList } from '../list-command.js'

/** `rfqs`: lists RFQs, with whom to award. */
export const register: RegisterCommand = (command, cli) => {
  registerList(command, cli, 'rfqs', {
    freshness: 'rfqs',
    prepare: ({ app, store }) => noteOtherSettings(cli, app, store),
  })
  withExamples(
    command,
    ['quotekeeper rfqs --state open', 'the open RFQs, the most urgent first'],
    ['quotekeeper rfqs --due-before "in 7 days" --sort -offers', 'due within a week, most offers first'],
    ['quotekeeper rfqs --since yesterday', 'with news since yesterday'],
  )
}
