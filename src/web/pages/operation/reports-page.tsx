import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import { reportPath } from '../../../tables/page-paths.js'
import type { ActionDeps } from '../../api/actions.js'
import { momentColumn } from '../../components/columns.js'
import { amount, Notice, plain, UNKNOWN } from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import { HttpError } from '../../http/errors.js'
import type { Column } from '../../tables/table.js'
import { downloadOf } from '../../tables/table-file.js'
import {
  addForm,
  addPage,
  type PageContent,
  type PageDeps,
  type PageRequest,
  type Parameters,
  pageOf,
  readPast,
  requireFound,
} from '../page.js'
import { autoReload, enqueueJob, readRequestedJob } from './job-status.js'

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
export interface ReportsDeps extends Pick<ActionDeps, 'queue'> {
  /** Newest first. */
  files: () => Promise<ReportFile[]>
  /** The path of a report in the folder of this process; null if there is none of this name. */
  find: (name: string) => Promise<string | null>
}

/** `/reports`: existing reports with downloads, and a form that makes one. */
export function addReports(app: FastifyInstance, deps: PageDeps, reports: ReportsDeps): void {
  addPage(app, deps, '/reports', (page) => reportsPage(page, reports), { names: ['job'] })
  addForm(app, deps, '/reports', (page, fields) => makeReport(page, fields, reports))
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

async function makeReport(page: PageRequest, fields: Parameters, reports: ReportsDeps) {
  const { queries, channels, now } = page
  const { channel = '', rfq } = fields
  if (!channels.includes(channel)) throw new HttpError(400, 'channel: expected a configured channel')
  const past = await readPast({ query: fields, now, queries }, { channel, kind: 'rfqs' })
  const payload = { channel, ...(past && { asOf: past.asOf.toISOString() }) }
  const find = async (name: string) =>
    requireFound(await queries.findRfq({ channel, name, now, ...(past && { asOf: past.asOf }) })).id
  const order =
    rfq === undefined
      ? ({ name: 'channel-report', payload } as const)
      : ({ name: 'rfq-report', payload: { ...payload, rfqId: await find(rfq) } } as const)
  const job = await enqueueJob(page, reports, order)
  if (job !== null) return { redirect: `/reports?${new URLSearchParams({ job })}` }
  const notice = <Notice tone="warn">This report is being made already; it will be in the list.</Notice>
  return { status: 409, ...(await reportsPage(page, reports, notice)) }
}

async function reportsPage(page: PageRequest, reports: ReportsDeps, refusal?: ComponentChildren): Promise<PageContent> {
  const { channels, link, request } = page
  // Before the files: that of a job that has ended is then among them.
  const asked = await readRequestedJob(page, reports)
  const rows = await reports.files()
  const shown = pageOf(page, {
    name: 'reports',
    caption: 'Reports, newest first',
    columns: FILE_COLUMNS,
    rows,
    empty: <>No report was made yet. Make one here, or on the page of an RFQ.</>,
  })
  return {
    title: 'Reports',
    current: '/reports',
    live: 'notice',
    ...(asked?.isRunning && autoReload),
    tables: [downloadOf(shown.table)],
    body: (
      <>
        <h1>Reports</h1>
        {asked?.notice}
        {refusal}
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
