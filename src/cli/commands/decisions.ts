import type { DecisionRecord } from '../../store/contract.js'
import type { Register } from '../cli.js'
import { reading } from '../compose.js'
import { filterOf } from '../filter.js'
import {
  type ChannelOption,
  channelOption,
  type JsonOption,
  jsonOption,
  limitOption,
  withExamples,
} from '../options.js'
import { printJson, printRows, shortTime } from '../print.js'
import type { Column } from '../table.js'

type Options = ChannelOption & JsonOption & { rfq?: string; limit: number; verify?: boolean }

/** `decisions`: what was closed, what was not, and why. */
export const register: Register = (command, cli) => {
  command
    .addOption(channelOption())
    .option('--rfq <rfq>', 'on this RFQ only: its number or id')
    .addOption(limitOption(50))
    .option('--verify', 'check that no decision was altered or removed since it was written')
    .addOption(jsonOption())
    .action((options: Options) =>
      reading(cli, async (store, house) => {
        const filter = await filterOf(cli, { store, house }, options)
        if (options.verify) {
          const verdict = await store.verifyDecisions()
          if (options.json) printJson(cli.io, verdict)
          else cli.io.out(`${verdict.message}\n`)
          cli.status = verdict.brokenAt === null ? 0 : 1
          return
        }
        const { rfq, limit } = options
        const rows = await store.decisions({ ...filter, ...(rfq === undefined ? {} : { rfq }), limit })
        printRows(
          cli.io,
          options.json,
          DECISION_COLUMNS,
          rows,
          'No decision is recorded. `quotekeeper close-expired --dry-run` makes some.',
        )
      }),
    )
  withExamples(
    command,
    ['quotekeeper decisions --rfq 1042', 'why RFQ 1042 was or was not closed'],
    ['quotekeeper decisions --verify', 'whether the log is untouched'],
  )
}

export const DECISION_COLUMNS: Column<DecisionRecord>[] = [
  { header: 'Decided (UTC)', cell: ({ decidedAt }) => shortTime(decidedAt), drop: 1 },
  { header: 'RFQ', cell: ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId, align: 'right' },
  { header: 'Due', cell: ({ dueDate }) => dueDate },
  { header: 'Decision', cell: ({ decision }) => decision },
  { header: 'Outcome', cell: ({ outcome }) => outcome },
  {
    header: 'Reason',
    cell: ({ reason, message }) => (message ? `${reason} (${message})` : reason),
    min: 32,
    overflow: 'wrap',
  },
  { header: 'Run', cell: ({ runId }) => runId, align: 'right', drop: 2 },
  { header: 'Channel', cell: ({ channel }) => channel },
]
