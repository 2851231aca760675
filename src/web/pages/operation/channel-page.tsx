import type { FastifyInstance } from 'fastify'
import { formatCount } from '../../../core/text/number-format.js'
import { nameById } from '../../../core/text/rfq-name.js'
import type { ChannelView } from '../../../views/channels/channels.js'
import { channelPath, closingPath, listPath } from '../../../views/page-paths.js'
import type { ActionDeps } from '../../api/actions.js'
import { ChartFigure } from '../../components/chart.js'
import { momentColumn } from '../../components/columns.js'
import { Moment, Notice, plain } from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import { HttpError } from '../../http/errors.js'
import { type Column, parseSorting, type Table } from '../../tables/table.js'
import { downloadOf } from '../../tables/table-file.js'
import { runColumns } from '../lists/runs-page.js'
import {
  addForm,
  addPage,
  type PageContent,
  type PageDeps,
  type PageRequest,
  type Parameters,
  pageOf,
  readChoice,
} from '../page.js'
import { autoReload, jobCause, readJobStatus } from './job-status.js'
import { POLLS, PollForm, type PollKind, pollState } from './poll-now.js'

/** The queue that polls. */
type PollDeps = Pick<ActionDeps, 'queue'>

/** `/channels/ORG/SLUG`: one channel at a glance, and polling it now. */
export function addChannel(app: FastifyInstance, deps: PageDeps, polls: PollDeps): void {
  const path = '/channels/:org/:channel'
  addPage(
    app,
    deps,
    path,
    async (page) => {
      const { job } = page.query
      // Before the model: the run of a poll that has ended is then in it.
      const status = job === undefined ? undefined : await readJobStatus(job, polls)
      const asked = status === undefined ? null : pollState(keyOf(page), status)
      return channelPage(page, await readChannelModel(page), { asked })
    },
    { names: ['job'] },
  )
  addForm(app, deps, path, (page, fields) => pollNow(page, fields, polls))
}

const keyOf = ({ path }: PageRequest) => `${path.org}/${path.channel}`

async function readChannelModel(page: PageRequest): Promise<ChannelView> {
  const channel = keyOf(page)
  const found = await page.queries.channel({ channel, now: page.now })
  if (found === null) throw new HttpError(404, `${channel} is not a configured channel`)
  return found
}

async function pollNow(page: PageRequest, fields: Parameters, { queue }: PollDeps) {
  const kind = readChoice({ ...page, query: fields }, 'kind', Object.keys(POLLS) as PollKind[]) ?? 'rfqs'
  const model = await readChannelModel(page)
  const { channel } = model
  const order = { name: `poll-${kind}`, payload: { channel, cause: jobCause(page.request.user) } } as const
  const job = queue.newId(order)
  if (await queue.enqueue(order, job)) return { redirect: `${channelPath(channel)}?${new URLSearchParams({ job })}` }
  const mistake = `A poll of the ${POLLS[kind]} waits already; it does what this one would.`
  return { status: 409, ...channelPage(page, model, { mistake }) }
}

interface Shown {
  /** A poll that a user requested. */
  asked?: ReturnType<typeof pollState>
  /** Why a requested poll was not added to the queue. */
  mistake?: string
}

function channelPage(page: PageRequest, model: ChannelView, { asked = null, mistake }: Shown): PageContent {
  const { link, request } = page
  const key = model.channel
  const filter = `channel=${encodeURIComponent(key)}`
  const runs = pageOf(page, {
    name: 'runs',
    caption: `The newest runs of ${key}`,
    narrow: 'lines',
    columns: runColumns([]).filter(({ key: column }) => column !== 'channel'),
    rows: model.runs,
    empty: <>The channel was not polled yet.</>,
  })
  const weeks: Table<(typeof model.weeks)[number]> = {
    name: 'weeks',
    caption: 'Offers first seen per week',
    columns: WEEK_COLUMNS,
    rows: model.weeks,
    empty: <>No weeks.</>,
  }
  return {
    title: key,
    current: '/channels',
    ...(asked?.isRunning && autoReload),
    tables: [downloadOf(runs.table), downloadOf(weeks)],
    body: (
      <>
        <h1>{key}</h1>
        <p class="lead">{`Due dates end at midnight in ${model.timeZone}${model.graceHours > 0 ? ` plus ${formatCount(model.graceHours, 'hour')}` : ''}; autoClose: ${model.autoClose}.`}</p>
        {asked !== null && <Notice tone={asked.tone}>{plain(asked.message)}</Notice>}
        {mistake !== undefined && <Notice tone="bad">{plain(mistake)}</Notice>}
        {request.user?.role === 'operator' && !asked?.isRunning && <PollForm csrfToken={request.csrfToken} />}
        <ul class="tiles">
          {openFirst(model.byState).map(({ state, rfqs }) => (
            <Tile
              key={state}
              value={rfqs}
              message={`${plain(state)} RFQs`}
              href={`/rfqs?${filter}${state === 'unknown' ? '' : `&state=${encodeURIComponent(state)}`}`}
            />
          ))}
          <Tile value={model.overdue} message="overdue" href={`/rfqs?${filter}&state=open&sort=due`} />
          <Tile value={model.missing} message="missing from the list" href={`/rfqs?${filter}`} />
          <Tile value={model.unsettled} message="closes to look at" href={listPath('closings', key)} />
          <Tile value={model.blocked} message="blocked closing rounds" href={listPath('closings', key)} />
          <Tile value={model.problems} message="data problems" href={listPath('problems', key)} />
        </ul>
        {model.lastClose !== null && (
          <p>
            Last close:{' '}
            <a href={closingPath(key, nameById(model.lastClose.rfqId))}>
              {plain(`RFQ ${model.lastClose.rfqNumber ?? model.lastClose.rfqId}`)}
            </a>
            , {plain(model.lastClose.outcome)}, <Moment at={model.lastClose.decidedAt} />. The newest decisions of
            closing rounds:{' '}
            {model.closings
              .map(({ decision, rfqs }) => `${formatCount(rfqs, 'RFQ')} ${decisionText(decision)}`)
              .join(', ')}
            .
          </p>
        )}
        <div class="charts">
          <ChartFigure
            chart={{
              title: 'Offers first seen per week',
              alt: `Offers first seen in each of the last ${model.weeks.length} weeks`,
              categories: model.weeks.map(({ from }) => from.slice(5, 10)),
              categoryTitle: 'Week from',
              valueTitle: 'Offers',
              format: '0',
              series: [{ name: 'Offers', values: model.weeks.map(({ offers }) => offers) }],
            }}
          />
        </div>
        <h2>Newest runs</h2>
        <TableView {...runs} link={link} />
        <p>
          <a href={`/changes?${filter}`}>What changed</a> · <a href={listPath('runs', key)}>All runs</a> ·{' '}
          <a href={link({ format: 'csv', table: 'weeks' })}>Offers per week as CSV</a>
        </p>
      </>
    ),
  }
}

const WEEK_COLUMNS: readonly Column<{ from: string; offers: number }>[] = [
  { key: 'from', title: 'From', value: ({ from }) => from },
  { key: 'offers', title: 'Offers', value: ({ offers }) => offers },
]

const Tile = ({ value, message, href }: { value: number; message: string; href: string }) => (
  <li>
    <a href={href}>
      <strong>{value.toLocaleString('en-US')}</strong> {message}
    </a>
  </li>
)

const openFirst = (states: ChannelView['byState']) => [
  ...states.filter(({ state }) => state === 'open'),
  ...states.filter(({ state }) => state !== 'open'),
]

const DECISIONS: Readonly<Record<string, string>> = {
  'close: closed': 'closed',
  'would-close': 'would be closed (dry run)',
  keep: 'kept open',
  blocked: 'blocked until approved',
}
/** A decision with its outcome, such as `close: refused`, in words. */
const decisionText = (decision: string) => DECISIONS[decision] ?? decision.replace(': ', ' ')

/** `/channels`: the configured channels. */
export async function channelsPage({ query, queries, now, link, suggest }: PageRequest): Promise<PageContent> {
  const [freshness, listed] = await Promise.all([queries.freshness(), queries.channels(now)])
  const counts = new Map(listed.map(({ channel, rfqs }) => [channel, rfqs]))
  const table: Table<(typeof freshness)[number]> = {
    name: 'channels',
    caption: 'The configured channels',
    columns: [
      {
        key: 'channel',
        title: 'Channel',
        value: ({ channel }) => channel,
        cell: ({ channel }) => <a href={`/channels/${channel}`}>{channel}</a>,
      },
      {
        key: 'open',
        title: 'Open RFQs',
        align: 'right',
        value: ({ channel }) => counts.get(channel)?.open ?? 0,
      },
      {
        key: 'overdue',
        title: 'Overdue',
        align: 'right',
        value: ({ channel }) => counts.get(channel)?.overdue ?? 0,
      },
      momentColumn('rfqsAt', 'RFQs polled', ({ rfqsAt }) => rfqsAt),
      momentColumn('listingsAt', 'Listings polled', ({ listingsAt }) => listingsAt),
    ],
    rows: freshness,
    empty: <>No channel is configured.</>,
  }
  parseSorting(query.sort, [], suggest)
  return {
    title: 'Channels',
    current: '/channels',
    tables: [downloadOf(table)],
    body: (
      <>
        <h1>Channels</h1>
        <TableView table={table} link={link} />
      </>
    ),
  }
}
