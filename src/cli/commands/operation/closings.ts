import { createFindClockSkewBlock } from '../../../closing/closing-blockers.js'
import { CLOSE_OUTCOMES, type CloseOutcome, type DecisionRecord } from '../../../core/records.js'
import type { Store } from '../../../store/contract.js'
import { explainDecision } from '../../../tables/closings/explain-decision.js'
import { plural } from '../../../tables/print/terminal-text.js'
import { type App, withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError, UsageError } from '../../cli-error.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  channelOption,
  choiceOption,
  jsonOption,
  limitOption,
  rfqOption,
  type SinceOption,
  sinceOption,
  wholeNumber,
  withExamples,
} from '../../input/options.js'
import { parseReadFilter, type ReadFilter } from '../../input/read-filter.js'
import { requireRfq } from '../../input/require-rfq.js'
import { shownChannels } from '../../input/select-channels.js'
import { keepSince } from '../../input/since.js'
import { describeFreshness } from '../../output/freshness.js'
import { addListOptions, type ListColumn, type ListOptions, printList, rowsToRead } from '../../output/list.js'
import { formatMinute, printJson } from '../../output/output.js'

type Options = ChannelOption &
  AsOfOption &
  SinceOption &
  ListOptions & {
    all?: boolean
    rfq?: string
    outcome?: CloseOutcome
    explain?: number
    verify?: boolean
    head?: string
  }

/** `closings`: lists closing decisions, explains one, or verifies the hash chain. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .addOption(rfqOption())
    .addOption(choiceOption('--outcome <outcome>', 'only closings whose close had this outcome', CLOSE_OUTCOMES))
    .option('--all', 'also list earlier decisions to keep an RFQ open, which are otherwise counted in the newest one')
    .addOption(sinceOption('closings that were decided'))
    .addOption(asOfOption())
    .addOption(limitOption(50))
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
    .addOption(jsonOption())
    .action((options: Options) => withStore(cli, (store, app) => run(cli, { store, app }, options)))
  addListOptions(command, listedColumns)
  withExamples(
    command,
    ['quotekeeper closings --rfq 1012', 'why RFQ 1012 was or was not closed'],
    ['quotekeeper closings --explain 3', 'the evidence for closing decision 3'],
    ['quotekeeper closings --verify', 'check that the closing log is unchanged'],
    ['quotekeeper closings --verify --head 3f1c…', 'and that nothing before a hash kept elsewhere was rewritten'],
  )
}

async function run(cli: Cli, { store, app }: { store: Store; app: App }, options: Options): Promise<void> {
  const filter = await parseReadFilter(cli, { store, app }, options)
  const { rfq, outcome, explain, json } = options
  if (options.head !== undefined && !(options.verify && /^[0-9a-f]{64}$/i.test(options.head)))
    throw new UsageError('--head needs --verify, and the hash of 64 digits that a notification or the log has')
  if (options.verify) return verifyDecisions(cli, store, options)
  if (explain !== undefined) return printDecision(cli, await getDecision(store, explain), json)
  const about = rfq === undefined ? filter : await findDecidedRfq(store, filter, rfq)
  const wanted = { ...about, ...(outcome && { outcome }) }
  const isFolded = !json && !options.all
  const limit = rowsToRead(options) * (isFolded ? READ_TO_FOLD : 1)
  const newest = await listDecisions(store, { ...wanted, limit }, cli.io.now())
  const all = await keepSince(cli, store, newest, options, (row) => row.repeatedUntil ?? row.decidedAt)
  const rows = isFolded ? foldKeeps(all) : all
  const channels = shownChannels(app.config, about.channel)
  const freshness = await describeFreshness(cli, store, { channels, kind: 'close', asOf: filter.asOf })
  const emptyText = rows.length > 0 ? '' : await describeNone(store, outcome === undefined ? channels : [])
  const toJson = ({ folded: _folded, ...row }: ListedDecision) => row
  printList(cli, { columns: listedColumns, rows, emptyText, freshness, toJson }, options)
  const folded = rows.reduce((sum, row) => sum + row.folded, 0)
  if (folded > 0) cli.io.err(`${plural(folded, 'earlier decision')} to keep an RFQ open not shown; --all lists them.\n`)
}

/** A round that the clocks stopped is no less stopped if it is a dry run. */
async function describeNone(store: Store, channels: readonly string[]): Promise<string> {
  const stops = await Promise.all(channels.map(createFindClockSkewBlock(store)))
  return stops.every((stop) => stop === null)
    ? 'No closings found. `quotekeeper close-expired --dry-run` evaluates the open RFQs.'
    : 'No closings found: the last closing round ended early because of the clocks. `quotekeeper check` compares them.'
}

/** The RFQ that `--rfq` names. */
async function findDecidedRfq(store: Store, filter: ReadFilter, name: string) {
  const { rfq } = await requireRfq(store, { ...filter, name, withoutResponses: true })
  return { ...filter, channel: rfq.channel, rfqId: rfq.id }
}

/** A decision as listed. */
interface ListedDecision extends DecisionRecord {
  /** It is the newest close of its RFQ, and needs attention. */
  standing: boolean
  /** Earlier decisions to keep the RFQ open that this one stands for. */
  folded: number
}

/** So many decisions are read for each that is listed, because most of them are usually folded. */
const READ_TO_FOLD = 20

/** Leaves out decisions to keep an RFQ open that are older than another one listed, and counts them there. */
function foldKeeps(newestFirst: readonly ListedDecision[]): ListedDecision[] {
  const newest = new Map<string, ListedDecision>()
  return newestFirst.flatMap((row) => {
    if (row.decision !== 'keep' || row.standing) return [row]
    const key = `${row.channel} ${row.rfqId}`
    const kept = newest.get(key)
    if (kept !== undefined) {
      kept.folded++
      return []
    }
    const copy = { ...row }
    newest.set(key, copy)
    return [copy]
  })
}

/** The decisions that need attention now, whatever their age, then the others; both newest first. */
async function listDecisions(
  store: Store,
  filter: ReadFilter & { rfqId?: string; outcome?: CloseOutcome; limit: number },
  now: Date,
): Promise<ListedDecision[]> {
  const { channel, rfqId, outcome, asOf } = filter
  const unsettled =
    asOf === undefined ? await store.unsettledCloses({ ...(channel === undefined ? {} : { channel }), now }) : []
  const wanted = unsettled.filter(
    (each) => (rfqId === undefined || each.rfqId === rfqId) && (outcome === undefined || each.outcome === outcome),
  )
  const ids = wanted.flatMap(({ decisionId }) => decisionId ?? []).sort((a, b) => b - a)
  const standing = (await Promise.all(ids.map((id) => store.decision(id)))).filter((each) => each !== null)
  const others = (await store.decisions(filter)).filter(({ id }) => !ids.includes(id))
  return [
    ...standing.map((decision) => ({ ...decision, standing: true, folded: 0 })),
    ...others.map((decision) => ({ ...decision, standing: false, folded: 0 })),
  ]
}

async function verifyDecisions(cli: Cli, store: Store, { json, head }: Options): Promise<void> {
  const chain = await store.verifyDecisions()
  const awards = await store.verifyAwards()
  const found = head === undefined ? undefined : await store.decisionWithHash(head.toLowerCase())
  if (json)
    printJson(cli.io, { ...chain, awards, ...(head !== undefined && { head: { hash: head, decision: found } }) })
  else {
    const hasAwards = awards.rows > 0 || awards.brokenAt !== null
    const lines = [
      chain.message,
      ...(hasAwards ? [awards.message] : []),
      ...(found === undefined ? [] : [headLine(found)]),
    ]
    cli.io.out(lines.map((line) => `${line}\n`).join(''))
  }
  cli.status = chain.brokenAt === null && awards.brokenAt === null && found !== null ? 0 : 1
}

/** Whether the log has the hash that was kept elsewhere. @param decision that has it, or null */
const headLine = (decision: number | null): string =>
  decision === null
    ? 'No closing decision has this hash: the log was rewritten since it was noted, or an older backup was restored.'
    : `The hash is that of closing decision ${decision}: nothing up to it was changed since it was noted.`

async function getDecision(store: Pick<Store, 'decision'>, id: number): Promise<DecisionRecord> {
  const decision = await store.decision(id)
  if (decision) return decision
  throw new FailedError(`closing decision ${id} does not exist; \`quotekeeper closings\` lists all of them`)
}

function printDecision({ io }: Cli, decision: DecisionRecord, json: boolean | undefined): void {
  if (json) printJson(io, decision)
  else io.out(explainDecision(decision))
}

export const closingColumns: readonly ListColumn<DecisionRecord>[] = [
  { header: 'Id', cell: ({ id }) => id, align: 'right' },
  { header: 'Decided (UTC)', cell: ({ decidedAt }) => formatMinute(decidedAt), value: ({ decidedAt }) => decidedAt },
  { header: 'RFQ', cell: ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId, align: 'right' },
  { header: 'Due', cell: ({ dueDate }) => dueDate },
  { header: 'Decision', cell: ({ decision }) => decision },
  { header: 'Outcome', cell: ({ outcome }) => outcome, hideIfEmpty: true },
  {
    header: 'Reason',
    cell: ({ reason, message }) => (message ? `${reason} (${message})` : reason),
    below: true,
  },
  { header: 'Run', cell: ({ runId }) => runId, align: 'right', drop: 2 },
  { header: 'Channel', cell: ({ channel }) => channel, dropIfUniform: 1 },
]

const listedColumns = closingColumns.map((column): ListColumn<ListedDecision> => {
  if (column.header === 'Outcome')
    return { ...column, cell: ({ outcome, standing }) => (standing ? `${outcome} (standing)` : outcome) }
  if (column.header.startsWith('Decided')) return { ...column, cell: decidedText, min: 16 }
  return column
})

function decidedText({ decidedAt, repeatedUntil, times, folded }: ListedDecision): string {
  const period = repeatedUntil === null ? '' : ` to ${formatMinute(repeatedUntil)}, ${times} times`
  return `${formatMinute(decidedAt)}${period}${folded === 0 ? '' : ` (and ${folded} earlier)`}`
}
