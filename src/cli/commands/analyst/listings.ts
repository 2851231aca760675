import type { RegisterCommand } from '../../cli-context.js'
import { withExamples } from '../../input/options.js'
import { registerList } from '../list-command.js'

/** `listings`: lists project listings. */
export const register: RegisterCommand = (command, cli) => {
  registerList(command, cli, 'listings', { freshness: 'listings' })
  withExamples(command, ['quotekeeper listings --channel acme/forest', 'the listings of one channel'])
}
