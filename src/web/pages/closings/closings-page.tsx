import {
  CLOSE_OUTCOMES,
  type CloseOutcome,
  type DecisionKind,
  type DecisionSortKey,
  type ListedDecision,
} from '../../../core/records.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { closingPath } from '../../../views/page-paths.js'
import { channelColumn } from '../../components/columns.js'
import { Badge, Command, Moment, plain, type Tone, UNKNOWN } from '../../components/format.js'
import { type Column, parseSorting } from '../../tables/table.js'
import { listPage } from '../lists/list-page.js'
import { type PageContent, type PageRequest, pagesOf, rangeOf, readChannel, readChoice } from '../page.js'

/** Closings in a file. */
const MAX_IN_FILE = 100_000

/** `/closings`: what closing rounds decided, and why. */
export async function closingsPage(page: PageRequest): Promise<PageContent> {
  const { query, queries, suggest, channels } = page
  const outcome = readChoice(page, 'outcome', CLOSE_OUTCOMES)
  const filter = { ...(await readChannel(page)), ...(outcome && { outcome }) }
  const columns = closingColumns(channels)
  const sorting = parseSorting(query.sort, columns, suggest)
  const { rows, total } = await queries.closingRows({
    ...filter,
    ...(sorting && { sort: { key: sorting.key as DecisionSortKey, descending: sorting.descending } }),
    ...rangeOf(query, MAX_IN_FILE),
  })
  const table = {
    name: 'closings',
    caption: 'Closings, newest first',
    columns,
    rows,
    empty: <>No closings match. A closing round evaluates every open RFQ of a channel with autoClose on or dry-run.</>,
  }
  return listPage(page, {
    path: '/closings',
    title: 'Closings',
    lead: (
      <>
        What closing rounds decided about each RFQ, and why. The log cannot be changed unnoticed:{' '}
        <Command text="quotekeeper closings --verify" /> checks it.
      </>
    ),
    choices: [
      { name: 'channel', title: 'Channel', values: channels },
      { name: 'outcome', title: 'Outcome of the close', values: CLOSE_OUTCOMES },
    ],
    shown: { table, sorting, pages: pagesOf(query, total) },
  })
}

const DECISION_TONES: Record<DecisionKind, Tone> = {
  close: 'good',
  'would-close': 'neutral',
  keep: 'neutral',
  blocked: 'warn',
}
const OUTCOME_TONES: Record<CloseOutcome, Tone> = {
  closed: 'good',
  'already-closed': 'good',
  refused: 'bad',
  failed: 'bad',
  unknown: 'warn',
}

const DECISION_TEXTS: Record<DecisionKind, string> = {
  close: 'close',
  'would-close': 'would close',
  keep: 'keep open',
  blocked: 'blocked',
}

/** What every list of closings shows. */
export const closingColumns = (channels: readonly string[]): readonly Column<ListedDecision>[] => [
  { key: 'closing', fileOnly: true, title: 'No.', value: ({ id }) => id },
  {
    key: 'decidedAt',
    title: 'Decided',
    value: ({ decidedAt }) => decidedAt,
    cell: ({ decidedAt, times, repeatedUntil }) => (
      <>
        <Moment at={decidedAt} />
        {times > 1 && repeatedUntil !== null && (
          <span class="muted small">
            {' '}
            and {times - 1} more, until <Moment at={repeatedUntil} />
          </span>
        )}
      </>
    ),
  },
  channelColumn(channels),
  {
    key: 'rfq',
    title: 'RFQ',
    value: ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId,
    cell: ({ channel, rfqNumber, rfqId }) => (
      <a href={closingPath(channel, nameById(rfqId))}>{plain(String(rfqNumber ?? rfqId))}</a>
    ),
  },
  { key: 'dueDate', width: 'line', title: 'Due', value: ({ dueDate }) => dueDate },
  {
    key: 'verdict',
    title: 'Decision',
    value: ({ decision }) => decision,
    cell: ({ decision }) => <Badge tone={DECISION_TONES[decision]}>{DECISION_TEXTS[decision]}</Badge>,
  },
  {
    key: 'outcome',
    title: 'Outcome',
    value: ({ outcome }) => outcome,
    cell: ({ outcome }) => (outcome === null ? UNKNOWN : <Badge tone={OUTCOME_TONES[outcome]}>{outcome}</Badge>),
  },
  {
    key: 'reason',
    width: 'wide',
    title: 'Reason',
    sortable: false,
    value: reasonOf,
    cell: (decision) => <span class="small">{plain(reasonOf(decision))}</span>,
  },
  {
    key: 'approvedBy',
    title: 'Approved by',
    value: ({ approvedBy }) => approvedBy,
    shared: ({ approvedBy }) =>
      approvedBy === null ? 'none was approved by a person' : `all were approved by ${plain(approvedBy)}`,
  },
  { key: 'run', title: 'Run', value: ({ runId }) => runId, align: 'right', isSecondary: true },
]

const reasonOf = ({ reason, message }: ListedDecision): string => (message ? `${reason} (${message})` : reason)
