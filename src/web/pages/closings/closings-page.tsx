import {
  CLOSE_OUTCOMES,
  type CloseOutcome,
  type DecisionKind,
  type DecisionSortKey,
  type ListedDecision,
} from '../../../core/records.js'
import { truncate } from '../../../core/text/number-format.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { closingPath } from '../../../tables/page-paths.js'
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
    narrow: 'lines' as const,
    columns,
    rows,
    empty: <>No closings match. A closing round evaluates every open RFQ of a channel with autoClose on or dry-run.</>,
  }
  return listPage(page, {
    path: '/closings',
    title: 'Closings',
    lead: (
      <>
        What closing rounds decided about each RFQ, and why. <Command text="quotekeeper closings --verify" /> checks
        that nobody changed it.
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
          <div class="muted small until">
            {`${times} times, until `}
            <Moment at={repeatedUntil} />
          </div>
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
      <a href={closingPath(channel, nameById(rfqId))}>
        <span class="phone">RFQ </span>
        {plain(String(rfqNumber ?? rfqId))}
      </a>
    ),
  },
  {
    key: 'dueDate',
    width: 'line',
    title: 'Due',
    value: ({ dueDate }) => dueDate,
    cell: ({ dueDate }) =>
      dueDate === null ? (
        UNKNOWN
      ) : (
        <>
          <span class="phone">due </span>
          {plain(dueDate)}
        </>
      ),
  },
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
    cell: (decision) => <Reason decision={decision} />,
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

/** Fits into two lines beside the other columns. */
const MAX_REASON = 120

/**
 * The reason in short, which opens to all of it. The conditions that every RFQ meets before it is closed say little in a list, so of a close
 * only what came of it is shown, which follows them.
 */
function Reason({ decision }: { decision: ListedDecision }) {
  const full = plain(reasonOf(decision))
  const [, result] = decision.decision === 'close' ? splitOnce(full, '. ') : [full]
  const short = truncate(
    decision.decision === 'would-close' ? 'past due, and nothing against closing it (dry run)' : (result ?? full),
    MAX_REASON,
  )
  if (short === full) return <span class="small">{full}</span>
  return (
    <details class="reason small">
      <summary>{short}</summary>
      {full}
    </details>
  )
}

/** A text before and after the first separator; only the text if it has none. */
function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}
