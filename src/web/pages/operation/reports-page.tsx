import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { parametersOf } from '../../../tables/list.js'
import { reports } from '../../../tables/lists/reports.js'
import { findSubject } from '../../api/actions.js'
import { Notice } from '../../components/format.js'
import { HttpError } from '../../http/errors.js'
import { listPage } from '../list-page.js'
import { addForm, addPage, type PageContent, type PageDeps, type PageRequest, type Parameters } from '../page.js'
import { sendWorkbook } from '../table-file.js'
import { autoReload, enqueueJob, readRequestedJob } from './job-status.js'

/** `/reports`: the list of reports with downloads, and a form that makes one. */
export function addReports(app: FastifyInstance, deps: PageDeps): void {
  addPage(app, deps, '/reports', (page) => reportsPage(page), { names: ['job', ...parametersOf(reports)] })
  addForm(app, deps, '/reports', makeReport)
  for (const path of ['/reports/:name', '/reports/:folder/:name']) {
    app.get(path, async (request, reply) => {
      const { folder, name = '' } = request.params as { folder?: string; name?: string }
      const found = await deps.findReport(folder === undefined ? name : `${folder}/${name}`)
      if (found === null)
        throw new HttpError(404, 'there is no such report here; it was made on another machine, or deleted')
      return sendWorkbook(reply, basename(found).replace(/[^\w.-]/g, '_'), createReadStream(found))
    })
  }
}

async function makeReport(page: PageRequest, { channel = '', rfq, as_of }: Parameters) {
  const { queries: reader, channels, now } = page
  const { asOf, ...subject } = await findSubject({ channel, rfq, as_of }, { channels, now: () => now, reader })
  const payload = { ...subject, ...(asOf && { asOf: asOf.toISOString() }) }
  const job = await enqueueJob(page, { name: rfq === undefined ? 'channel-report' : 'rfq-report', payload })
  if (job !== null) return { redirect: `/reports?${new URLSearchParams({ job })}` }
  return { status: 409, ...(await reportsPage(page, true)) }
}

/** @param isRefused the report that was asked for is being made already */
async function reportsPage(page: PageRequest, isRefused = false): Promise<PageContent> {
  // Before the list: the report of a job that has ended is then in it.
  const job = await readRequestedJob(page)
  const content = await listPage(
    page,
    'reports',
    <>
      {job?.notice}
      {isRefused && <Notice tone="warn">This report is being made already; it will be in the list.</Notice>}
      {page.request.user?.role === 'operator' && <MakeReport page={page} />}
    </>,
  )
  return { ...content, live: 'notice', ...(job?.isRunning && autoReload) }
}

const MakeReport = ({ page: { channels } }: { page: PageRequest }) => (
  <form class="filters noprint" method="post" action="/reports">
    <label class="field">
      Channel
      <select name="channel">
        {channels.map((channel) => (
          <option key={channel}>{channel}</option>
        ))}
      </select>
    </label>
    <label class="field">
      RFQ (empty: overview of the channel)
      <input name="rfq" />
    </label>
    <button type="submit" class="primary">
      Make the report
    </button>
  </form>
)
