import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { QueueLoad } from '../../../core/queue-load.js'
import { formatCount } from '../../../core/text/number-format.js'
import { rfqPath } from '../../../views/page-paths.js'
import type { RfqNames } from '../../../views/rfqs/rfqs.js'
import type { ActionDeps } from '../../api/actions.js'
import { momentColumn, numberColumn } from '../../components/columns.js'
import { Command, decimal, Moment, Notice, plain } from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import { HttpError } from '../../http/errors.js'
import { type Column, parseSorting, type Table } from '../../tables/table.js'
import { downloadOf } from '../../tables/table-file.js'
import {
  addForm,
  addPage,
  type PageContent,
  type PageDeps,
  type PageRequest,
  type Parameters,
  pagesOf,
  type Redirect,
  rangeOf,
  readChoice,
} from '../page.js'
import { autoReload, jobCause, RELOAD_NOTICE, readJobStatus } from './job-status.js'

/** The states of jobs, in the order in which the page shows them. */
const STATES = ['failed', 'active', 'waiting', 'delayed', 'completed'] as const
export type QueueState = (typeof STATES)[number]

/** One job of the queue. */
export interface QueueJob {
  id: string
  name: string
  channel: string | null
  rfqId: string | null
  /** Of a report: the moment it is about. */
  asOf: string | null
  /** Why it was added, or by whom: `tick`, `page ana`, … */
  cause: string | null
  /** Who retried it, as in `cause`. */
  retriedBy: string | null
  state: QueueState
  addedAt: string
  startedAt: string | null
  finishedAt: string | null
  /** How often it was started. */
  attempts: number
  error: string | null
  /** The report that it made. */
  reportHref: string | null
}

/**
 * Why a job was not retried. `not-failed`: it waits, runs or has succeeded. `same-work`: another job for its work waits or runs.
 * `refused`: it belongs to another database, or another program added it.
 */
const REFUSALS = ['unknown', 'not-failed', 'same-work', 'refused'] as const
type Refusal = (typeof REFUSALS)[number]

/** The jobs of all processes. Its functions throw an error named `QueueUnavailableError` if the queue does not answer. */
export interface QueueJobs {
  load: () => Promise<QueueLoad>
  /** Those in one state: those that wait or run oldest first, finished ones newest first. */
  jobs: (state: QueueState, range: { from: number; to: number }) => Promise<QueueJob[]>
  /** Enqueues a failed job again. @param by the person, as in `cause` */
  retry: (id: string, by: string) => Promise<'retried' | Refusal>
  /** Enqueues the newest failed job for each work again, and counts those that were not. */
  retryAll: (by: string) => Promise<{ retried: number; left: number }>
}

export interface QueueDeps extends QueueJobs, Pick<ActionDeps, 'queue'> {
  kind: 'in-process' | 'redis'
}

const PATH = '/queue'
/** Jobs of each state on the page of all; the rest is on the page of that state. */
const MAX_PER_GROUP = 10
/** Jobs of each state in a file. */
const MAX_IN_FILE = 5_000

/** `/queue`: what failed, runs, waits and has ended; for operators, retrying what failed. */
export function addQueue(app: FastifyInstance, deps: PageDeps, queue: QueueDeps): void {
  const names = ['state', 'job', 'refused', 'retried', 'left']
  addPage(app, deps, PATH, (page) => queuePage(page, queue), { names })
  addForm(app, deps, PATH, (page, fields) => retry(page, fields, queue))
}

async function retry({ request }: PageRequest, fields: Parameters, queue: QueueDeps): Promise<Redirect> {
  const { job, all } = fields
  if ((job === undefined) === (all === undefined)) throw new HttpError(400, 'expected the id of a job, or all')
  const by = jobCause(request.user)
  const outcome = job === undefined ? await queue.retryAll(by) : { job, ...refusalOf(await queue.retry(job, by)) }
  return {
    redirect: `${PATH}?${new URLSearchParams(Object.entries(outcome).map(([key, value]) => [key, `${value}`]))}`,
  }
}

const refusalOf = (outcome: 'retried' | Refusal) => (outcome === 'retried' ? {} : { refused: outcome })

/** The jobs of one state. */
interface Group {
  state: QueueState
  table: Table<QueueJob>
  /** Jobs in this state, also those that the table does not show. */
  total: number
}

async function queuePage(page: PageRequest, queue: QueueDeps): Promise<PageContent> {
  const { query, request } = page
  const only = readChoice(page, 'state', STATES)
  // They are sorted by the queue, which only knows their order.
  parseSorting(query.sort, [], page.suggest)
  // Before the jobs: how it ended is then among them.
  const notice = await retryNotice(page, queue)
  const load = await queue.load()
  const csrfToken = request.user?.role === 'operator' ? request.csrfToken : null
  const groups = await readGroups(page, queue, { load, only, csrfToken })
  const rows = groups.flatMap(({ table }) => table.rows)
  const all: Table<QueueJob> = { ...NO_TABLE, name: 'jobs', columns: columnsOf(null), rows }
  const link: PageRequest['link'] = (changes) =>
    page.link({ job: null, refused: null, retried: null, left: null, ...changes })
  const body = groups
    .filter(({ total }) => total > 0)
    .map((group) => <GroupView key={group.state} {...{ page, link, group, csrfToken, isOnly: only !== null }} />)
  return {
    title: 'Queue',
    current: PATH,
    tables: [all, ...groups.map(({ table }) => table)].map(downloadOf),
    ...(notice?.isPending ? autoReload : {}),
    body: (
      <>
        <h1>Queue</h1>
        <p class="lead">{KINDS[queue.kind]}</p>
        {notice && <Notice tone={notice.tone}>{notice.message}</Notice>}
        {only !== null && (
          <p>
            <a href={PATH}>Jobs in every state</a>
          </p>
        )}
        {body.length > 0 ? body : <Empty only={only} />}
      </>
    ),
  }
}

const KINDS: Record<QueueDeps['kind'], string> = {
  'in-process': 'Jobs run in this process, which forgets them when it stops.',
  redis: 'Jobs of all processes, on Redis. Those that have ended are kept for a day.',
}

const Empty = ({ only }: { only: QueueState | null }) => (
  <div class="notice empty">
    {only === null ? (
      <>
        No jobs. The schedule adds them; <Command text="quotekeeper sync" /> polls without the queue.
      </>
    ) : (
      `No ${GROUPS[only].title.toLowerCase()} jobs.`
    )}
  </div>
)

const NO_TABLE = { name: '', caption: 'Jobs', rows: [], empty: null }

/** Reads one page of the jobs of each state, or of one; for a file, the jobs that it has. */
async function readGroups(
  { query, queries, now }: PageRequest,
  queue: QueueDeps,
  { load, only, csrfToken }: { load: QueueLoad; only: QueueState | null; csrfToken: string | null },
): Promise<Group[]> {
  const isOverview = only === null && query.format === undefined
  const range = isOverview ? { from: 0, to: MAX_PER_GROUP } : rangeOf(query, MAX_IN_FILE)
  const isShown = (state: QueueState) => only === null || state === only
  const read = await Promise.all(
    STATES.filter(isShown).map(async (state) => ({
      state,
      jobs: load[state] > 0 || query.format !== undefined ? await queue.jobs(state, range) : [],
    })),
  )
  const rfqs = read.flatMap(({ jobs }) =>
    jobs.flatMap(({ channel, rfqId }) => (channel === null || rfqId === null ? [] : [{ channel, rfqId }])),
  )
  const names = rfqs.length === 0 || query.format !== undefined ? [] : await queries.rfqNames({ rfqs, now })
  return read.map(({ state, jobs }) => {
    const columns = columnsOf(state, names, csrfToken)
    return {
      state,
      total: load[state],
      table: { ...NO_TABLE, name: state, caption: GROUPS[state].caption, columns, rows: jobs },
    }
  })
}

const GROUPS: Record<QueueState, { title: string; caption: string }> = {
  failed: { title: 'Failed', caption: 'Failed jobs, newest first' },
  active: { title: 'Running', caption: 'Running jobs' },
  waiting: { title: 'Waiting', caption: 'Waiting jobs, in the order in which they run' },
  delayed: {
    title: 'Delayed',
    caption: 'Delayed jobs',
  },
  completed: { title: 'Completed', caption: 'Completed jobs, newest first' },
}

interface GroupProps {
  page: PageRequest
  link: PageRequest['link']
  group: Group
  csrfToken: string | null
  isOnly: boolean
}

/** Completed jobs are folded, because nothing is to be done about them. */
function GroupView({ page, link, group: { state, table, total }, csrfToken, isOnly }: GroupProps) {
  const { title } = GROUPS[state]
  const pages = isOnly ? { pages: pagesOf(page.query, total) } : {}
  return (
    <details class="group" open={isOnly || state !== 'completed'}>
      <summary>
        <h2>{title}</h2> <span class="muted">{total.toLocaleString('en-US')}</span>
      </summary>
      {state === 'delayed' && (
        <p class="muted">
          The workers that took them have another configuration, without their channel. After an hour they fail.
        </p>
      )}
      {state === 'failed' && total > 1 && csrfToken !== null && (
        <div class="actions noprint">
          <RetryForm csrfToken={csrfToken} field="all" value="failed">
            <button type="submit">{`Retry all ${total.toLocaleString('en-US')} failed jobs`}</button>
          </RetryForm>
        </div>
      )}
      <TableView table={table} link={link} {...pages} />
      {!isOnly && total > table.rows.length && (
        <p>
          <a href={`${PATH}?state=${state}`}>{`All ${formatCount(total, `${title.toLowerCase()} job`)}`}</a>
        </p>
      )}
    </details>
  )
}

const RetryForm = (form: { csrfToken: string; field: 'job' | 'all'; value: string; children: ComponentChildren }) => (
  <form method="post" action={PATH} class="noprint">
    <input type="hidden" name="_csrf" value={form.csrfToken} />
    <input type="hidden" name={form.field} value={form.value} />
    {form.children}
  </form>
)

const RetryJob = ({ job, csrfToken }: { job: QueueJob; csrfToken: string }) => (
  <RetryForm csrfToken={csrfToken} field="job" value={job.id}>
    <button type="submit" aria-label={`Retry: ${jobTitle(job)}, ${plain(job.channel)}`}>
      Retry
    </button>
  </RetryForm>
)

// --- what came of retrying -------------------------------------------------------------------------------------------

interface RetryNotice {
  tone: 'good' | 'warn' | 'bad'
  message: string
  /** Whether the retried job has not ended yet. */
  isPending?: boolean
}

/** What came of retrying, as the address says it, and what became of the job since; null if nothing was retried. */
async function retryNotice(page: PageRequest, queue: QueueDeps): Promise<RetryNotice | null> {
  const { job, retried = '', left = '' } = page.query
  const refused = readChoice(page, 'refused', REFUSALS)
  if (job !== undefined) return jobNotice(job, refused, queue)
  if (!/^\d{1,9}$/.test(retried)) return null
  const again = `${formatCount(Number(retried), 'job')} ${retried === '1' ? 'is' : 'are'} queued again.`
  if (!/^[1-9]\d{0,8}$/.test(left)) return { tone: 'good', message: again }
  const others = `${formatCount(Number(left), 'failed job')} ${left === '1' ? 'was' : 'were'} not retried, because`
  return { tone: 'warn', message: `${again} ${others} a job for the same work is queued already.` }
}

const REFUSAL_MESSAGES: Record<Exclude<Refusal, 'not-failed'>, string> = {
  unknown: 'The job was not retried: it is no longer in the queue.',
  'same-work': 'The job was not retried: another job for the same work is waiting or running.',
  refused: 'The job was not retried: it belongs to another database, or another program added it.',
}

async function jobNotice(job: string, refused: Refusal | null, queue: QueueDeps): Promise<RetryNotice> {
  if (refused !== null && refused !== 'not-failed') return { tone: 'warn', message: REFUSAL_MESSAGES[refused] }
  const status = await readJobStatus(job, queue)
  const isPending = refused === null
  if (status === 'unreachable')
    return { tone: 'warn', message: `The queue does not answer. ${RELOAD_NOTICE}`, isPending }
  if (status === null) return { tone: 'warn', message: 'The job is no longer in the queue.' }
  const title = [jobTitle(status), plain(status.channel)].join(', ')
  const before = refused === null ? '' : 'The job was retried already. '
  const reloads = refused === null ? ` ${RELOAD_NOTICE}` : ''
  switch (status.state) {
    case 'waiting':
      return { tone: 'warn', message: `${before}${title}: waiting for a worker.${reloads}`, isPending }
    case 'active':
      return { tone: 'warn', message: `${before}${title}: running.${reloads}`, isPending }
    case 'completed':
      return { tone: 'good', message: `${before}${title}: completed.` }
    case 'failed':
      return { tone: 'bad', message: `${before}${title}: failed. ${plain(status.error)}` }
  }
}

// --- one job ---------------------------------------------------------------------------------------------------------

const TITLES: Readonly<Record<string, string>> = {
  'poll-listings': 'Poll of listings',
  'poll-rfqs': 'Poll of RFQs',
  'close-expired': 'Closing round',
  'channel-report': 'Report on the channel',
  'rfq-report': 'Report on an RFQ',
}

/** What a job does, without its RFQ. */
const jobTitle = ({ name, rfqId }: Pick<QueueJob, 'name' | 'rfqId'>): string =>
  name === 'close-expired' && rfqId !== null ? 'Closing of an RFQ' : (TITLES[name] ?? plain(name))

function JobCell({ job, names }: { job: QueueJob; names: readonly RfqNames[] }) {
  const { channel, rfqId, asOf } = job
  const rfq = names.find((known) => known.channel === channel && known.rfqId === rfqId)
  const name = rfq?.number == null ? 'an RFQ' : `RFQ ${rfq.number}`
  const title = (
    <>
      {jobTitle(job).replace('an RFQ', name)}
      {asOf !== null && (
        <>
          , as of <Moment at={plain(asOf)} />
        </>
      )}
    </>
  )
  if (rfq === undefined) return title
  return (
    <a href={rfqPath(rfq.channel, rfq.name)} title={rfq.title === null ? undefined : plain(rfq.title)}>
      {title}
    </a>
  )
}

const CAUSES: Readonly<Record<string, string>> = {
  tick: 'schedule',
  start: 'start of the service',
  close: 'closing round',
}

/** The person or part of the program behind a cause, such as `page ana`. */
const causeText = (cause: string): string =>
  CAUSES[cause] ?? plain(cause.replace(/^page /, '').replace(/^api (.*)/s, '$1, over the API'))

const addedBy = ({ cause, retriedBy }: QueueJob): string =>
  [causeText(cause ?? ''), ...(retriedBy === null ? [] : [`retried by ${causeText(retriedBy)}`])].join(', ')

/** Seconds from start to end; null if it has not ended. */
const seconds = ({ startedAt, finishedAt }: QueueJob): number | null =>
  startedAt === null || finishedAt === null ? null : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000

/** Longer errors are folded. */
const MAX_ERROR_LENGTH = 90

/** An error, of which a long one opens. */
function ErrorCell({ error }: { error: string | null }) {
  const text = plain(error)
  const [beginning = ''] =
    text.length <= MAX_ERROR_LENGTH ? [] : (/^.{40,80}(?=\s)/su.exec(text) ?? [text.slice(0, 80)])
  if (beginning === '') return <>{text}</>
  return (
    <details>
      <summary>{`${beginning} …`}</summary>
      {`… ${text.slice(beginning.length).trim()}`}
    </details>
  )
}

/**
 * What the page shows of jobs in a state. Files have all columns.
 * @param state null for the table of all jobs, which is only in files
 * @param csrfToken null for viewers, who cannot retry
 */
function columnsOf(
  state: QueueState | null,
  names: readonly RfqNames[] = [],
  csrfToken: string | null = null,
): readonly Column<QueueJob>[] {
  const onlyIn = (...states: QueueState[]) => ({ fileOnly: state === null || !states.includes(state) })
  return [
    { key: 'state', title: 'State', fileOnly: true, value: (job) => job.state },
    { key: 'job', title: 'Job', value: ({ name }) => name, cell: (job) => <JobCell job={job} names={names} /> },
    {
      key: 'channel',
      title: 'Channel',
      value: ({ channel }) => channel,
      shared: ({ channel }) => `all on ${plain(channel)}`,
    },
    { key: 'rfqId', title: 'RFQ id', fileOnly: true, value: ({ rfqId }) => rfqId },
    { key: 'asOf', title: 'As of', fileOnly: true, value: ({ asOf }) => asOf },
    { key: 'cause', title: 'Added by', value: ({ cause }) => cause, cell: addedBy },
    { key: 'retriedBy', title: 'Retried by', fileOnly: true, value: ({ retriedBy }) => retriedBy },
    momentColumn('addedAt', 'Waiting since', ({ addedAt }) => addedAt, onlyIn('waiting', 'delayed')),
    momentColumn('startedAt', 'Running since', ({ startedAt }) => startedAt, onlyIn('active')),
    momentColumn('finishedAt', 'Ended', ({ finishedAt }) => finishedAt, onlyIn('failed', 'completed')),
    numberColumn('seconds', 'Took, s', seconds, decimal, onlyIn('completed')),
    numberColumn('attempts', 'Attempts', ({ attempts }) => attempts, String, {
      ...onlyIn('failed', 'active', 'delayed'),
      shared: ({ attempts }) => (attempts === 1 ? 'each was started once' : `each was started ${attempts} times`),
    }),
    {
      ...{ key: 'error', title: 'Error', width: 'wide', value: ({ error }) => error, cell: ErrorCell },
      ...onlyIn('failed'),
    },
    {
      key: 'report',
      title: 'Result',
      value: ({ reportHref }) => reportHref,
      cell: ({ reportHref }) => (reportHref === null ? '' : <a href={reportHref}>Report</a>),
      ...onlyIn('completed'),
    },
    {
      ...{ key: 'id', title: 'Next step', value: ({ id }: QueueJob) => id },
      cell: (job) => csrfToken !== null && <RetryJob job={job} csrfToken={csrfToken} />,
      fileOnly: state !== 'failed' || csrfToken === null,
    },
  ]
}
