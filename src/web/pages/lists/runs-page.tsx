import { RUN_KINDS, RUN_OUTCOMES, type RunKind, type RunOutcome, type RunRecord } from '../../../core/records.js'
import { channelColumn, momentColumn, withUnit } from '../../components/columns.js'
import { Badge, Command, plain, type Tone, UNKNOWN } from '../../components/format.js'
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
      { name: 'kind', title: 'Kind', values: RUN_KINDS.map((one) => [one, KIND_TEXTS[one]] as const) },
      { name: 'outcome', title: 'Outcome', values: RUN_OUTCOMES },
    ],
    shown: pageOf(page, {
      name: 'runs',
      caption: 'Polls and closing rounds, newest first',
      columns: runColumns(channels),
      narrow: 'lines',
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

const KIND_TEXTS: Record<RunKind, string> = { rfqs: 'RFQs', listings: 'listings', close: 'closing round' }

/** What every list of runs shows. */
export const runColumns = (channels: readonly string[]): readonly Column<RunRecord>[] => [
  momentColumn('startedAt', 'Started', ({ startedAt }) => startedAt),
  channelColumn(channels),
  { key: 'kind', title: 'Kind', value: ({ kind }) => kind, cell: ({ kind }) => KIND_TEXTS[kind] },
  {
    key: 'seconds',
    title: 'Duration',
    align: 'right',
    value: seconds,
    cell: (run) => {
      const took = seconds(run)
      return took === null ? UNKNOWN : took < 100 ? `${took.toFixed(1)} s` : `${Math.round(took / 60)} min`
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
  {
    ...count('requests', 'Requests', 'requests', ({ requests }) => requests),
    cell: ({ requests }) => withUnit(String(requests), requests === 1 ? 'request' : 'requests'),
  },
  count('seen', 'Seen', 'seen', ({ seen }) => seen),
  count('new', 'New', 'new', ({ inserted }) => inserted),
  count('changed', 'Changed', 'changed', ({ changed }) => changed),
  count('missing', 'Missing', 'missing', ({ missing }) => missing, 'nothing is missing'),
  count('invalid', 'Invalid', 'invalid', ({ invalid }) => invalid, 'no document is invalid'),
  count('postponed', 'Postponed', 'postponed', ({ postponed }) => postponed, 'nothing was postponed'),
  {
    key: 'error',
    title: 'Error',
    width: 'wide',
    value: ({ error }) => error,
    shared: ({ error }) => (error === null ? 'no run has an error' : `each has the error: ${plain(error)}`),
  },
  { key: 'run', title: 'Run', value: ({ id }) => id, align: 'right', isSecondary: true },
]

/** A column of counts. @param none what to say in place of the column if all are 0 */
const count = (
  key: string,
  title: string,
  unit: string,
  value: (run: RunRecord) => number,
  none?: string,
): Column<RunRecord> => ({
  ...{ key, title, value, align: 'right' },
  cell: (run) => withUnit(String(value(run)), unit),
  ...(none !== undefined && { shared: (run) => (value(run) === 0 ? none : `${value(run)} ${unit} in each run`) }),
})

function seconds({ startedAt, finishedAt, times }: RunRecord): number | null {
  return finishedAt === null || times > 1 ? null : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
}
