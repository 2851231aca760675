import {
  CLOSE_OUTCOMES,
  type CloseOutcome,
  type DecisionKind,
  type DecisionSortKey,
  type ListedDecision,
} from '../../../core/records.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { closingPath } from '../../../views/page-paths.js'
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
  const sorting = parseSorting(query.sort, CLOSING_COLUMNS, suggest)
  const { rows, total } = await queries.closingRows({
    ...filter,
    ...(sorting && { sort: { key: sorting.key as DecisionSortKey, descending: sorting.descending } }),
    ...rangeOf(query, MAX_IN_FILE),
  })
  const table = {
    name: 'closings',
    caption: 'Closings, newest first',
    columns: CLOSING_COLUMNS,
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

export const CLOSING_COLUMNS: readonly Column<ListedDecision>[] = [
  { key: 'closing', title: 'No.', value: ({ id }) => id, align: 'right' },
  {
    key: 'decidedAt',
    title: 'Decided (UTC)',
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
  { key: 'channel', title: 'Channel', value: ({ channel }) => channel },
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
    cell: ({ decision }) => <Badge tone={DECISION_TONES[decision]}>{decision}</Badge>,
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
    value: ({ reason, message }) => (message ? `${reason} (${message})` : reason),
  },
  { key: 'approvedBy', title: 'Approved by', value: ({ approvedBy }) => approvedBy },
  { key: 'run', title: 'Run', value: ({ runId }) => runId, align: 'right' },
]
