import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { reportPath } from '../../../views/page-paths.js'
import { momentColumn } from '../../components/columns.js'
import { amount, Badge, Moment, Notice, plain, type Tone, UNKNOWN } from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import { HttpError } from '../../http/errors.js'
import type { ReportJob, ReportJobs } from '../../reports/report-jobs.js'
import type { Column, Table } from '../../tables/table.js'
import { downloadOf } from '../../tables/table-file.js'
import {
  addPage,
  type PageContent,
  type PageDeps,
  type PageRequest,
  pageOf,
  readPast,
  readWhatIf,
  requireFound,
  singleValues,
} from '../page.js'
import { autoReload } from './job-status.js'

/** A report that was made. */
export interface ReportFile {
  name: string
  bytes: number
  writtenAt: string
  /** Who requested it; null if that was not recorded. */
  madeBy: string | null
  /** As recorded when it was made; null if it was not. */
  sha256: string | null
  /** Whether the file is in the report folder of this process; else it was made on another machine, or deleted. */
  isHere: boolean
}

/** Reports that were made, and making more. */
export interface ReportsDeps {
  jobs: ReportJobs
  /** Newest first. */
  files: () => Promise<ReportFile[]>
  /**
   * The path of a report in the folder of this process; null if there is none of this name.
   */
  find: (name: string) => Promise<string | null>
}

/** `/reports`: existing reports with downloads, and a form that makes one. */
export function addReports(app: FastifyInstance, deps: PageDeps, reports: ReportsDeps): void {
  addPage(app, deps, '/reports', (page) => reportsPage(page, reports))
  addPage(app, deps, '/reports/jobs/:id', (page) => jobPage(page, reports))
  app.post('/reports', async (request, reply) => {
    const now = deps.now()
    const fields = singleValues(request.body)
    const options = await parseReportOptions(fields, deps, now)
    const job = reports.jobs.enqueue({ ...options, requestedBy: request.user?.name ?? 'unknown' }, now)
    return reply.redirect(`/reports/jobs/${job.id}`, 303)
  })
  const download = async (name: string) => {
    const path = await reports.find(name)
    if (path === null)
      throw new HttpError(404, 'there is no such report here; it was made on another machine, or deleted')
    return path
  }
  for (const path of ['/reports/:name', '/reports/:folder/:name']) {
    app.get(path, async (request, reply) => {
      const { folder, name = '' } = request.params as { folder?: string; name?: string }
      const found = await download(folder === undefined ? name : `${folder}/${name}`)
      return reply
        .type(XLSX)
        .header('content-disposition', `attachment; filename="${basename(found).replace(/[^\w.-]/g, '_')}"`)
        .send(createReadStream(found))
    })
  }
}

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

async function parseReportOptions(
  fields: Readonly<Record<string, string>>,
  { queries, settings, channels }: PageDeps,
  now: Date,
) {
  const channel = fields.channel ?? ''
  if (!channels.includes(channel)) throw new HttpError(400, 'channel: expected a configured channel')
  const past = await readPast({ query: fields, now, queries }, { channel, kind: 'rfqs' })
  const found =
    fields.rfq === undefined
      ? null
      : requireFound(await queries.findRfq({ channel, name: fields.rfq, now, ...(past && { asOf: past.asOf }) }))
  const whatIf = readWhatIf(fields, settings)
  return {
    channel,
    rfq: found,
    asOf: past?.asOf ?? now,
    settings: whatIf.settings,
    isWhatIf: Object.keys(whatIf.changes).length > 0,
  }
}

async function reportsPage(page: PageRequest, { jobs, files }: ReportsDeps): Promise<PageContent> {
  const { channels, link, request } = page
  const rows = await files()
  const shown = pageOf(page, {
    name: 'reports',
    caption: 'Reports, newest first',
    columns: FILE_COLUMNS,
    rows,
    empty: <>No report was made yet. Make one here, or on the page of an RFQ.</>,
  })
  const running: Table<ReportJob> = {
    name: 'jobs',
    caption: 'Reports requested on this page, newest first',
    columns: JOB_COLUMNS,
    rows: jobs.list(),
    empty: <>None.</>,
  }
  return {
    title: 'Reports',
    current: '/reports',
    live: 'notice',
    tables: [downloadOf(shown.table)],
    body: (
      <>
        <h1>Reports</h1>
        <p class="lead">Comparisons of RFQs and overviews of channels, as files. One that was made stays as it is.</p>
        {request.user?.role === 'operator' && (
          <form class="filters noprint" method="post" action="/reports">
            <input type="hidden" name="_csrf" value={request.csrfToken} />
            <div class="field">
              <label for="report-channel">Channel</label>
              <select id="report-channel" name="channel">
                {channels.map((channel) => (
                  <option key={channel}>{channel}</option>
                ))}
              </select>
            </div>
            <div class="field">
              <label for="report-rfq">RFQ (empty: overview of the channel)</label>
              <input id="report-rfq" name="rfq" />
            </div>
            <button type="submit" class="primary">
              Make the report
            </button>
          </form>
        )}
        {running.rows.length > 0 && (
          <>
            <h2>Requested here</h2>
            <TableView table={running} link={link} />
          </>
        )}
        <TableView {...shown} link={link} />
      </>
    ),
  }
}

const FILE_COLUMNS: readonly Column<ReportFile>[] = [
  {
    key: 'name',
    title: 'Report',
    width: 'wide',
    value: ({ name }) => name,
    cell: ({ name, isHere }) => (
      <>
        {isHere ? <a href={reportPath(name)}>{plain(name)}</a> : plain(name)}
        {!isHere && <span class="small muted"> made on another machine, or deleted here</span>}
      </>
    ),
  },
  momentColumn('writtenAt', 'Made', ({ writtenAt }) => writtenAt),
  {
    key: 'bytes',
    title: 'Size',
    align: 'right',
    value: ({ bytes }) => bytes,
    cell: ({ bytes }) => `${amount(Math.ceil(bytes / 1024))} KiB`,
  },
  {
    key: 'madeBy',
    title: 'Made by',
    value: ({ madeBy }) => madeBy,
    shared: ({ madeBy }) => (madeBy === null ? 'who made them was not recorded' : `all were made by ${plain(madeBy)}`),
  },
  {
    key: 'sha256',
    title: 'SHA-256',
    isSecondary: true,
    value: ({ sha256 }) => sha256,
    cell: ({ sha256 }) => (sha256 === null ? UNKNOWN : <code title={sha256}>{`${sha256.slice(0, 12)}…`}</code>),
  },
]

const TONES: Record<ReportJob['state'], Tone> = { waiting: 'neutral', running: 'warn', done: 'good', failed: 'bad' }

const JOB_COLUMNS: readonly Column<ReportJob>[] = [
  {
    key: 'title',
    title: 'Report',
    value: ({ title }) => title,
    cell: ({ title, id }) => <a href={`/reports/jobs/${id}`}>{plain(title)}</a>,
  },
  {
    key: 'state',
    title: 'State',
    value: ({ state }) => state,
    cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge>,
  },
  { key: 'by', title: 'By', value: ({ requestedBy }) => requestedBy },
  momentColumn('requestedAt', 'Requested', ({ requestedAt }) => requestedAt.toISOString()),
]

/** `/reports/jobs/ID`: the status of one report. */
async function jobPage({ path }: PageRequest, { jobs }: ReportsDeps): Promise<PageContent> {
  const job = jobs.find(path.id ?? '')
  if (job === undefined)
    throw new HttpError(404, 'there is no such report job; jobs are lost when the service stops, reports are kept')
  const isOver = job.state === 'done' || job.state === 'failed'
  return {
    title: job.title,
    current: '/reports',
    live: 'no',
    ...(!isOver && autoReload),
    body: (
      <div class="card narrow">
        <h1>{plain(job.title)}</h1>
        <p>
          <Badge tone={TONES[job.state]}>{job.state}</Badge>{' '}
          <span class="muted">
            requested by {plain(job.requestedBy)}, <Moment at={job.requestedAt.toISOString()} />
          </span>
        </p>
        {!isOver && (
          <p>
            <label for="progress">Progress </label>
            <progress id="progress" max={100} value={Math.round(job.progress * 100)} />
          </p>
        )}
        {job.file !== null && (
          <p>
            <a class="button primary" href={reportPath(job.file)}>
              Download
            </a>{' '}
            <span class="small muted">{plain(job.file)}</span>
          </p>
        )}
        {job.error !== null && <Notice tone="bad">{plain(job.error)}</Notice>}
        <p>
          <a href="/reports">All reports</a>
        </p>
      </div>
    ),
  }
}
