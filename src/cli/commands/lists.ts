import type { Cli, RegisterCommand } from '../cli-context.js'
import { withExamples } from '../input/options.js'
import { noteOtherSettings } from '../service/keep-figures.js'
import { type ListContext, registerList } from './list-command.js'

/** The commands that are a list and nothing else, by their names. */
export const LIST_COMMANDS: Record<string, RegisterCommand> = {
  rfqs: (command, cli) => {
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
  },
  changes: (command, cli) => {
    registerList(command, cli, 'changes', { freshness: 'rfqs' })
    withExamples(
      command,
      ['quotekeeper changes --since yesterday', 'what changed in all RFQs since yesterday'],
      ['quotekeeper changes --since "3 hours ago" --channel acme/forest', 'in one channel, in the last three hours'],
      ['quotekeeper changes --rfq 1012', 'everything that changed in RFQ 1012 and its offers, and when'],
    )
  },
  listings: (command, cli) => {
    registerList(command, cli, 'listings', { freshness: 'listings' })
    withExamples(command, ['quotekeeper listings --channel acme/forest', 'the listings of one channel'])
  },
  runs: (command, cli) => {
    registerList(command, cli, 'runs')
    withExamples(
      command,
      ['quotekeeper runs --kind rfqs --limit 5', 'the last five polls of RFQs'],
      ['quotekeeper runs --outcome failed', 'polls and closing rounds that failed'],
    )
  },
  problems: (command, cli) => {
    command.option('--replay', 'first validate all stored documents again with this version of Quotekeeper')
    registerList(command, cli, 'problems', {
      freshness: 'rfqs',
      records: true,
      prepare: async ({ store }, { replay }) => {
        if (replay) await revalidate(cli, store)
      },
    })
    withExamples(
      command,
      ['quotekeeper problems --channel acme/forest', 'the problems of one channel'],
      ['quotekeeper problems --replay', 'validate again after an update'],
    )
  },
}

async function revalidate({ io }: Cli, store: ListContext['store']): Promise<void> {
  const { versions, changes } = await store.revalidate(io.now())
  io.err(`Validated ${versions} stored versions: ${changes} changes of validity or problems.\n`)
}
