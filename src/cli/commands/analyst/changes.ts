import type { RegisterCommand } from '../../cli-context.js'
import { withExamples } from '../../input/options.js'
import { registerList } from '../list-command.js'

/** `changes`: lists what changed in all RFQs, or in one. */
export const register: RegisterCommand = (command, cli) => {
  registerList(command, cli, 'changes', { freshness: 'rfqs' })
  withExamples(
    command,
    ['quotekeeper changes --since yesterday', 'what changed in all RFQs since yesterday'],
    ['quotekeeper changes --since "3 hours ago" --channel acme/forest', 'in one channel, in the last three hours'],
    ['quotekeeper changes --rfq 1012', 'everything that changed in RFQ 1012 and its offers, and when'],
  )
}
