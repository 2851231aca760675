import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { TargetState } from '../../../core/events/deliveries.js'
import { scrubError } from '../../../core/text/secret-scrubber.js'
import type { ActionDeps } from '../../api/actions.js'
import { API_PREFIX } from '../../api/problem.js'
import { Command, Notice } from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import { HttpError } from '../../http/errors.js'
import { parseSorting, type Table } from '../../tables/table.js'
import { downloadOf } from '../../tables/table-file.js'
import { addForm, addPage, type PageContent, type PageDeps, type PageRequest, type Parameters } from '../page.js'
import { autoReload, enqueueJob, readRequestedJob } from './job-status.js'
import {
  type ChannelRow,
  channelColumns,
  deliveryColumns,
  POLLS,
  problemColumns,
  runColumns,
  targetColumns,
} from './system-columns.js'

/** What an operator can do on the page. */
export interface SystemDeps extends Pick<ActionDeps, 'queue' | 'retryDeliveries'> {
  /** Removes secrets from an error: that of a target may quote its address. */
  scrub: (text: string) => string
}

const PATH = '/system'
/** Rows of each table on the page, the newest ones. */
const MAX_ROWS = 20
/** Rows of each table in a file. */
const MAX_ROWS_IN_FILE = 5_000

/** `/system`: channels, runs, notifications and problems; for operators, polling now and sending notifications again. */
export function addSystem(app: FastifyInstance, deps: PageDeps, system: SystemDeps): void {
  addPage(app, deps, PATH, (page) => systemPage(page, system), { names: ['job'] })
  addForm(app, deps, PATH, (page, fields) =>
    fields.target === undefined ? pollNow(page, fields, system) : sendAgain(fields.target, system),
  )
}

async function sendAgain(target: string, { retryDeliveries }: SystemDeps) {
  if ((await retryDeliveries({ target })).length > 0) return { redirect: `${PATH}#targets` }
  throw new HttpError(404, `there is no notification for ${JSON.stringify(target.slice(0, 60))} to send again`)
}

async function pollNow(page: PageRequest, { channel = '', kind }: Parameters, system: SystemDeps) {
  if (!page.channels.includes(channel)) throw new HttpError(400, 'channel: expected a configured channel')
  if (kind !== 'rfqs' && kind !== 'listings') throw new HttpError(400, 'kind: expected rfqs or listings')
  const job = await enqueueJob(page, system, { name: `poll-${kind}`, payload: { channel } })
  if (job !== null) return { redirect: `${PATH}?${new URLSearchParams({ job })}` }
  const notice = <Notice tone="bad">{`A poll of the ${POLLS[kind]} of ${channel} waits or runs already.`}</Notice>
  return { status: 409, ...(await systemPage(page, system, notice)) }
}

async function systemPage(page: PageRequest, system: SystemDeps, refusal?: ComponentChildren): Promise<PageContent> {
  const { query, queries, channels, now, request, suggest, link } = page
  parseSorting(query.sort, [], suggest)
  // Before the runs: that of a poll that has ended is then among them.
  const asked = await readRequestedJob(page, system)
  const limit = query.format === undefined ? MAX_ROWS : MAX_ROWS_IN_FILE
  const csrfToken = request.user?.role === 'operator' ? request.csrfToken : null
  const [items, freshness, runs, targets, deliveries, problems] = await Promise.all([
    queries.channels(now),
    queries.freshness(),
    queries.runs({ limit }),
    queries.targetStates(),
    queries.deliveries({ limit, order: 'newest-first' }),
    queries.problems({ limit }),
  ])
  const rfqs = problems.flatMap(({ channel, kind, entityId }) => (kind === 'rfq' ? { channel, rfqId: entityId } : []))
  const names = rfqs.length === 0 ? [] : await queries.rfqNames({ rfqs, now })
  const channelTable: Table<ChannelRow> = {
    name: 'channels',
    caption: 'The configured channels',
    columns: channelColumns(csrfToken),
    rows: items.map((item) => ({
      rfqsAt: null,
      listingsAt: null,
      ...freshness.find(({ channel }) => channel === item.channel),
      ...item,
    })),
    empty: <>No channel is configured.</>,
  }
  const runTable: Table<(typeof runs)[number]> = {
    name: 'runs',
    caption: 'Polls and closing rounds, newest first',
    columns: runColumns(channels),
    narrow: 'lines',
    rows: runs,
    empty: (
      <>
        No runs yet. The service polls on its schedule; <Command text="quotekeeper sync" /> polls now.
      </>
    ),
  }
  const targetTable: Table<TargetState> = {
    name: 'targets',
    caption: 'Targets of notifications',
    columns: targetColumns(csrfToken),
    rows: targets.map((target) => scrubError(target, system.scrub)),
    empty: (
      <>
        The service was started without targets: see <code>notify:</code> in the configuration.{' '}
        <Command text="quotekeeper notify --test" /> sends a test.
      </>
    ),
  }
  const deliveryTable: Table<(typeof deliveries)[number]> = {
    name: 'notifications',
    caption: 'Notifications that were not delivered, newest first',
    columns: deliveryColumns(channels),
    rows: deliveries.map((delivery) => scrubError(delivery, system.scrub)),
    empty: <>Nothing waits to be sent, and nothing was given up.</>,
  }
  const problemTable: Table<(typeof problems)[number]> = {
    name: 'problems',
    caption: 'Deviations from the API description, last seen first',
    columns: problemColumns(channels, names),
    rows: problems,
    empty: <>No document deviates from the API description.</>,
  }
  const tables = [channelTable, runTable, targetTable, deliveryTable, problemTable]
  return {
    title: 'System',
    current: PATH,
    ...(asked?.isRunning && autoReload),
    tables: tables.map((table) => downloadOf(table as Table<unknown>)),
    body: (
      <>
        <h1>System</h1>
        {asked?.notice}
        {refusal}
        <h2>Channels</h2>
        <TableView table={channelTable} link={link} />
        <h2>{newest('Runs', runs)}</h2>
        <TableView table={runTable} link={link} />
        <h2>Notifications</h2>
        <TableView table={targetTable} link={link} />
        <h3>{newest('Not delivered', deliveries)}</h3>
        <TableView table={deliveryTable} link={link} />
        <h2>{newest('Problems', problems)}</h2>
        <p>
          Where documents of the marketplace deviate from its API description. A value that cannot be used counts as
          unknown; nothing closes an RFQ with one.
        </p>
        <TableView table={problemTable} link={link} />
        <h2>API</h2>
        <p>
          Other programs can read what these pages show, and ask for reports, polls and closing rounds: see the{' '}
          <a href={`${API_PREFIX}/openapi.json`}>OpenAPI document</a>.
        </p>
      </>
    ),
  }
}

/** A heading that says whether the table has only the newest rows. */
const newest = (title: string, { length }: readonly unknown[]): string =>
  length < MAX_ROWS ? title : `${title}: the newest ${length}`
