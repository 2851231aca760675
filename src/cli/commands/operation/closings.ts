import type { Store } from '../../../store/contract.js'
import { explainDecision } from '../../../tables/closings/explain-decision.js'
import { withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError, UsageError } from '../../cli-error.js'
import { wholeNumber, withExamples } from '../../input/options.js'
import { printJson } from '../../output/output.js'
import { addListOptions, type ListContext, type ListOptions, printList } from '../list-command.js'

type Options = ListOptions & { explain?: number; verify?: boolean; head?: string }

/** `closings`: lists closing decisions, explains one, or verifies the hash chain. */
export const register: RegisterCommand = (command, cli) => {
  addListOptions(command, 'closings')
    .option(
      '--explain <id>',
      'show one closing decision in full: what was evaluated, sent and read',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option('--verify', 'check that no closing decision and no award was changed or removed after it was written')
    .option(
      '--head <hash>',
      'with --verify: check also that the log has this hash, which a notification of a close carried',
    )
    .action((options: Options) => withStore(cli, (store, app) => run({ cli, store, app }, options)))
  withExamples(
    command,
    ['quotekeeper closings --rfq 1012', 'why RFQ 1012 was or was not closed'],
    ['quotekeeper closings --explain 3', 'the evidence for closing decision 3'],
    ['quotekeeper closings --verify', 'check that no closing or award was changed'],
    ['quotekeeper closings --verify --head 3f1c…', 'and that nothing before a hash kept elsewhere was rewritten'],
  )
}

async function run(context: ListContext, options: Options): Promise<void> {
  const { cli, store } = context
  const { explain: id, json, verify, head } = options
  if (head !== undefined && !(verify && /^[0-9a-f]{64}$/i.test(head)))
    throw new UsageError('--head needs --verify, and the hash of 64 digits that a notification or the log has')
  if (verify) return verifyChain(cli, store, options)
  if (id !== undefined) return explain(cli, store, id, json)
  return printList(context, 'closings', options, { freshness: 'close' })
}

/** Exit status 1 if a row of the chain was changed or removed, or the chain does not have the hash. */
async function verifyChain(cli: Cli, store: Store, { json, head }: Options): Promise<void> {
  const chain = await store.verifyDecisions()
  const decision = head === undefined ? undefined : await store.decisionWithHash(head.toLowerCase())
  cli.status = chain.brokenAt === null && decision !== null ? 0 : 1
  if (json) return printJson(cli.io, { ...chain, ...(head !== undefined && { head: { hash: head, decision } }) })
  cli.io.out(`${chain.message}\n${decision === undefined ? '' : `${headLine(decision)}\n`}`)
}

/** Whether the log has the hash that was kept elsewhere. @param decision that has it, or null */
const headLine = (decision: number | null): string =>
  decision === null
    ? 'No decision has this hash: the chain was rewritten since it was noted, or an older backup was restored.'
    : `The hash is that of decision ${decision}: nothing up to it was changed since it was noted.`

async function explain({ io }: Cli, store: Store, id: number, json: boolean | undefined): Promise<void> {
  const [decision] = await store.decisions({ id })
  if (decision === undefined)
    throw new FailedError(`closing decision ${id} does not exist; \`quotekeeper closings\` lists all of them`)
  if (json) printJson(io, decision)
  else io.out(explainDecision(decision))
}
