import { plural } from '../../../tables/print/terminal-text.js'
import { withApp } from '../../app.js'
import type { RegisterCommand } from '../../cli-context.js'
import { type JsonOption, jsonOption, withExamples } from '../../input/options.js'
import { printJson } from '../../output/output.js'
import { pruneBefore } from '../../service/maintenance-jobs.js'

/** `prune`: deletes what `history.keepDays` does not keep. */
export const register: RegisterCommand = (command, cli) => {
  command.addOption(jsonOption()).action((options: JsonOption) =>
    withApp(cli, { secrets: 'if-set' }, async ({ config, store }) => {
      const before = pruneBefore(config.history, cli.io.now())
      const pruned =
        before === null ? { runs: 0, events: 0 } : await (await store()).prune({ before, signal: cli.io.stop })
      if (options.json) printJson(cli.io, pruned)
      else cli.io.out(`Deleted ${plural(pruned.runs, 'idle run')} and ${plural(pruned.events, 'old event')}.\n`)
    }),
  )
  withExamples(command, ['quotekeeper prune', 'what the service does every day'])
}
