import { RUN_KINDS, RUN_OUTCOMES, type RunOutcome, type RunRecord } from '../../../core/records.js'
import { momentColumn } from '../../components/columns.js'
import { Badge, Command, type Tone, UNKNOWN } from '../../components/format.js'
import type { Column } from '../../tables/table.js'
import { type PageContent, type PageRequest, pageOf, readChannel, readChoice } from '../page.js'
import { listPage } from './list-page.js'

/** Runs that the page reads, newest first. */
const MAX_RUNS = 2_000

/** `/runs`: polls and closing rounds. */
export async function runsPage(page: PageRequest): Promise<PageContent> {
  const { queries, channels } = page
  const kind = readChoice(page, 'kind', RUN_KINDS)
  const outcome = readChoice(page, 'outcome', RUN_OUTCOMES)
  const filter = { ...(await readChannel(page)), ...(kind && { kind }), ...(outcome && { outcome }) }
  return listPage(page, {
    path: '/runs',
    title: 'Runs',
    lead: <>Each poll and each closing round of a channel, with what it found.</>,
    choices: [
      { name: 'channel', title: 'Channel', values: channels },
      { name: 'kind', title: 'Kind', values: RUN_KINDS },
      { name: 'outcome', title: 'Outcome', values: RUN_OUTCOMES },
    ],
    shown: pageOf(page, {
      name: 'runs',
      caption: 'Polls and closing rounds, newest first',
      columns: RUN_COLUMNS,
      rows: await queries.runs({ ...filter, limit: MAX_RUNS }),
      maxRows: MAX_RUNS,
      empty: (
        <>
          No runs match. The service polls on its schedule; <Command text="quotekeeper sync" /> polls now.
        </>
      ),
    }),
  })
}

const TONES: Record<RunOutcome, Tone> = { complete: 'good', partial: 'warn', failed: 'bad', interrupted: 'warn' }

export const RUN_COLUMNS: readonly Column<RunRecord>[] = [
  { key: 'run', title: 'Run', value: ({ id }) => id, align: 'right' },
  { key: 'channel', title: 'Channel', value: ({ channel }) => channel },
  { key: 'kind', title: 'Kind', value: ({ kind }) => kind },
  momentColumn('startedAt', 'Started (UTC)', ({ startedAt }) => startedAt),
  {
    key: 'seconds',
    title: 'Duration',
    align: 'right',
    value: seconds,
    cell: (run) => {
      const took = seconds(run)
      return took === null ? UNKNOWN : `${took.toFixed(1)} s`
    },
  },
  {
    key: 'outcome',
    title: 'Outcome',
    value: ({ outcome }) => outcome ?? 'running',
    cell: ({ outcome, times }) => (
      <>
        <Badge tone={outcome === null ? 'neutral' : TONES[outcome]}>{outcome ?? 'running'}</Badge>
        {times > 1 && ` ${times} runs, nothing changed`}
      </>
    ),
  },
  { key: 'requests', title: 'Requests', value: ({ requests }) => requests, align: 'right' },
  { key: 'seen', title: 'Seen', value: ({ seen }) => seen, align: 'right' },
  { key: 'new', title: 'New', value: ({ inserted }) => inserted, align: 'right' },
  { key: 'changed', title: 'Changed', value: ({ changed }) => changed, align: 'right' },
  { key: 'missing', title: 'Missing', value: ({ missing }) => missing, align: 'right' },
  { key: 'invalid', title: 'Invalid', value: ({ invalid }) => invalid, align: 'right' },
  { key: 'postponed', title: 'Postponed', value: ({ postponed }) => postponed, align: 'right' },
  { key: 'error', title: 'Error', value: ({ error }) => error },
]

function seconds({ startedAt, finishedAt, times }: RunRecord): number | null {
  return finishedAt === null || times > 1 ? null : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
}
