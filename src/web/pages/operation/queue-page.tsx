import type { QueueLoad } from '../../../core/queue-load.js'
import { formatCount } from '../../../core/text/number-format.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { rfqPath } from '../../../views/page-paths.js'
import { momentColumn } from '../../components/columns.js'
import { Badge, Command, plain, type Tone } from '../../components/format.js'
import type { Column } from '../../tables/table.js'
import { listPage } from '../lists/list-page.js'
import { type PageContent, type PageRequest, pageOf, readChoice } from '../page.js'

/** One job of the queue. */
export interface QueueJob {
  id: string
  name: string
  channel: string | null
  rfqId: string | null
  /** Why it was added, or by whom. */
  cause: string | null
  state: 'waiting' | 'active' | 'completed' | 'failed'
  addedAt: string
  finishedAt: string | null
  error: string | null
}

export interface QueueDeps {
  kind: 'in-process' | 'redis'
  /** Jobs of all processes: running, waiting, and finished ones, which are kept for a while. */
  jobs: () => Promise<{ jobs: QueueJob[]; load: QueueLoad }>
}

const STATES = ['active', 'waiting', 'completed', 'failed'] as const

/** `/queue/jobs`, and `/queue` without bull-board: what runs, waits and has ended. */
export async function queuePage(page: PageRequest, queue: QueueDeps): Promise<PageContent> {
  const state = readChoice(page, 'state', STATES)
  const { jobs, load } = await queue.jobs()
  return listPage(page, {
    path: '/queue',
    title: 'Queue',
    lead: (
      <>
        {KINDS[queue.kind]} {formatCount(load.active, 'job')} running, {load.waiting} waiting
        {load.delayed > 0 && `, ${load.delayed} delayed`}
        {load.waiting > 0 && `; the oldest has waited ${Math.round(load.oldestWaitingSeconds)} s`}.{' '}
        {queue.kind === 'redis' && <a href="/queue">More about each job, in bull-board</a>}
      </>
    ),
    choices: [{ name: 'state', title: 'State', values: STATES }],
    shown: pageOf(page, {
      name: 'jobs',
      caption: 'Jobs: those that run, those that wait, then those that ended, newest first',
      columns: COLUMNS,
      rows: state === null ? jobs : jobs.filter((job) => job.state === state),
      empty: (
        <>
          No jobs match. The schedule adds jobs; <Command text="quotekeeper sync" /> works without the queue.
        </>
      ),
    }),
  })
}

const KINDS: Record<QueueDeps['kind'], string> = {
  'in-process': 'Jobs run in this process (queue: in-process); it forgets them when it stops.',
  redis: 'Jobs are on BullMQ with Redis.',
}

const TONES: Record<QueueJob['state'], Tone> = { active: 'warn', waiting: 'neutral', completed: 'good', failed: 'bad' }

const COLUMNS: readonly Column<QueueJob>[] = [
  {
    key: 'state',
    title: 'State',
    value: ({ state }) => state,
    cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge>,
  },
  { key: 'job', title: 'Job', width: 'line', value: ({ name }) => name },
  { key: 'channel', title: 'Channel', value: ({ channel }) => channel },
  {
    key: 'rfqId',
    title: 'RFQ id',
    value: ({ rfqId }) => rfqId,
    cell: ({ channel, rfqId }) =>
      channel === null || rfqId === null ? (
        plain(rfqId)
      ) : (
        <a href={rfqPath(channel, nameById(rfqId))}>{plain(rfqId)}</a>
      ),
  },
  { key: 'cause', title: 'Added by', value: ({ cause }) => cause },
  momentColumn('addedAt', 'Added (UTC)', ({ addedAt }) => addedAt),
  momentColumn('finishedAt', 'Ended (UTC)', ({ finishedAt }) => finishedAt),
  { key: 'error', title: 'Error', width: 'wide', value: ({ error }) => error, cell: ({ error }) => plain(error) },
  { key: 'id', title: 'Id', fileOnly: true, value: ({ id }) => id },
]
