import type { DecisionRecord } from '../../domain/records.js'
import type { Store } from '../../store/contract.js'
import { withStore } from '../app.js'
import type { Cli, RegisterCommand } from '../cli-context.js'
import { FailedError } from '../cli-error.js'
import { explainDecision } from '../explain-decision.js'
import {
  type ChannelOption,
  channelOption,
  type JsonOption,
  jsonOption,
  limitOption,
  wholeNumber,
  withExamples,
} from '../options.js'
import { formatMinute, printJson, printRows } from '../output.js'
import { parseReadFilter } from '../read-filter.js'
import type { Column } from '../terminal-table.js'

type Options = ChannelOption & JsonOption & { rfq?: string; limit: number; explain?: number; verify?: boolean }

/** `decisions`: what was closed, what was not, and why. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .option('--rfq <rfq>', 'on this RFQ only: its number or id')
    .addOption(limitOption(50))
    .option(
      '--explain <id>',
      'one decision in full: everything that was weighed, sent and read',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option('--verify', 'check that no decision was altered or removed since it was written')
    .addOption(jsonOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options)
        if (options.verify) {
          const verdict = await store.verifyDecisions()
          if (options.json) printJson(cli.io, verdict)
          else cli.io.out(`${verdict.message}\n`)
          cli.status = verdict.brokenAt === null ? 0 : 1
          return
        }
        const { rfq, limit, explain } = options
        if (explain !== undefined) {
          printDecision(cli, options.json, await decisionOf(store, explain))
          return
        }
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
    ['quotekeeper decisions --explain 17', 'all that stood behind decision 17'],
    ['quotekeeper decisions --verify', 'whether the log is untouched'],
  )
}

async function decisionOf(store: Pick<Store, 'decision'>, id: number): Promise<DecisionRecord> {
  const found = await store.decision(id)
  if (found) return found
  throw new FailedError(`There is no decision ${id}. \`quotekeeper decisions\` lists them.`)
}

function printDecision({ io }: Cli, json: boolean | undefined, decision: DecisionRecord): void {
  if (json) printJson(io, decision)
  else io.out(explainDecision(decision))
}

export const DECISION_COLUMNS: Column<DecisionRecord>[] = [
  { header: 'Id', cell: ({ id }) => id, align: 'right' },
  { header: 'Decided (UTC)', cell: ({ decidedAt }) => formatMinute(decidedAt), drop: 1 },
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
