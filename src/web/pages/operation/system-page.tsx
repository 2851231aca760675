import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { ChannelRow } from '../../../tables/lists/channels.js'
import { type ListName, listNamed } from '../../../tables/lists/lists.js'
import { POLL_SUBJECTS } from '../../../tables/polls.js'
import { Table } from '../../../tables/print/html.js'
import { knownChannel } from '../../api/lookup.js'
import { API_PREFIX } from '../../api/problem.js'
import { Notice } from '../../components/format.js'
import { HttpError } from '../../http/errors.js'
import { readTable } from '../list-page.js'
import { addForm, addPage, type PageContent, type PageDeps, type PageRequest, type Parameters } from '../page.js'
import { autoReload, enqueueJob, readRequestedJob } from './job-status.js'

const PATH = '/system'
const SECTIONS = ['channels', 'runs', 'targets', 'problems'] as const satisfies ListName[]
/** Rows of each list on the page. */
const MAX_ROWS = 20

/** `/system`: channels, runs, targets of notifications and problems; for operators, polling now. */
export function addSystem(app: FastifyInstance, deps: PageDeps): void {
  addPage(app, deps, PATH, (page) => systemPage(page), { names: ['job'] })
  addForm(app, deps, PATH, pollNow)
}

async function pollNow(page: PageRequest, { channel = '', kind }: Parameters) {
  knownChannel(channel, page.channels)
  if (kind !== 'rfqs' && kind !== 'listings') throw new HttpError(400, 'kind: expected rfqs or listings')
  const job = await enqueueJob(page, { name: `poll-${kind}`, payload: { channel } })
  if (job !== null) return { redirect: `${PATH}?${new URLSearchParams({ job })}` }
  const notice = (
    <Notice tone="bad">{`A poll of the ${POLL_SUBJECTS[kind]} of ${channel} waits or runs already.`}</Notice>
  )
  return { status: 409, ...(await systemPage(page, notice)) }
}

async function systemPage(page: PageRequest, refusal?: ComponentChildren): Promise<PageContent> {
  // Before the lists: the run of a poll that has ended is then among them.
  const job = await readRequestedJob(page)
  const lists = await Promise.all(SECTIONS.map((name) => readTable(page, name, { limit: MAX_ROWS })))
  const isOperator = page.request.user?.role === 'operator'
  return {
    title: 'System',
    current: PATH,
    ...(job?.isRunning && autoReload),
    tables: lists.map(({ file }) => file),
    body: (
      <>
        <h1>System</h1>
        {job?.notice}
        {refusal}
        {lists.map(({ table }, at) => {
          const name = SECTIONS[at] as (typeof SECTIONS)[number]
          const action = isOperator ? ACTIONS[name] : undefined
          return (
            <>
              <h2>{listNamed(name).title}</h2>
              <Table {...table} action={action && ((row) => action(row as never))} />
            </>
          )
        })}
        <p class="small muted">
          Other programs can read what these pages show, and ask for reports, polls and closing rounds:{' '}
          <a href={`${API_PREFIX}/openapi.json`}>OpenAPI document</a>.
        </p>
      </>
    ),
  }
}

/** What operators can do about the rows of a list. */
const ACTIONS: Partial<Record<ListName, (row: never) => ComponentChildren>> = {
  channels: ({ channel }: ChannelRow) => (
    <form method="post" action={PATH} class="noprint">
      <input type="hidden" name="channel" value={channel} />
      {(['rfqs', 'listings'] as const).map((kind) => (
        <button
          key={kind}
          type="submit"
          name="kind"
          value={kind}
          aria-label={`Poll ${POLL_SUBJECTS[kind]} of ${channel}`}
        >
          {`Poll ${POLL_SUBJECTS[kind]}`}
        </button>
      ))}
    </form>
  ),
}
