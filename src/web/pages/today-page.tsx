import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatCount } from '../../core/text/number-format.js'
import { nameById } from '../../core/text/rfq-name.js'
import { rfqPath } from '../../views/page-paths.js'
import type { TodayItem, TodayKind } from '../../views/today/today-view.js'
import { Badge, Command, Moment, plain, type Tone } from '../components/format.js'
import { TableView } from '../components/table-view.js'
import type { Column } from '../tables/table.js'
import { downloadOf } from '../tables/table-file.js'
import { type PageContent, type PageRequest, pageOf, readMoment } from './page.js'

/** `/`: what needs attention, most urgent first. */
export async function todayPage(page: PageRequest): Promise<PageContent> {
  const { query, queries, now, link, request } = page
  const since = readMoment(page, 'since', 'start') ?? lastVisit(request, now)
  const { items } = await queries.today({ now, since })
  const urgent = items.filter(({ severity }) => severity === 'high').length
  const shown = pageOf(page, {
    name: 'today',
    caption: 'What needs attention, most urgent first',
    columns: COLUMNS,
    rows: items,
    empty: (
      <>
        Nothing needs attention. <a href="/rfqs">All RFQs</a>
      </>
    ),
  })
  return {
    title: 'Today',
    current: '/',
    tables: [downloadOf(shown.table)],
    onSend: (reply) => rememberVisit(request, reply, now),
    body: (
      <>
        <h1>Today</h1>
        <p class="lead">
          {items.length === 0
            ? 'Nothing needs attention.'
            : `${formatCount(items.length, 'item')}, ${urgent === 0 ? 'none urgent' : `${urgent} urgent`}. `}
          RFQs and offers that are new or changed since <Moment at={since.toISOString()} /> UTC{' '}
          {query.since === undefined ? '(your last visit, or yesterday)' : ''} are included.
        </p>
        <TableView {...shown} link={link} />
      </>
    ),
  }
}

const KINDS: Record<TodayKind, string> = {
  refused: 'Close refused',
  unknown: 'Close uncertain',
  failed: 'Close failed',
  unsettled: 'Close not settled',
  blocked: 'Round blocked',
  overdue: 'Overdue',
  behind: 'Channel behind',
  undelivered: 'Notifications',
  award: 'Award',
  due: 'Due soon',
  listed: 'List differs',
  offers: 'Offers',
  rfqs: 'RFQs',
  recommendation: 'Recommendation',
  problems: 'Data problems',
}
const TONES: Record<TodayItem['severity'], Tone> = { high: 'bad', medium: 'warn', low: 'neutral' }

const COLUMNS: readonly Column<TodayItem>[] = [
  {
    key: 'kind',
    title: 'What',
    value: ({ kind }) => kind,
    cell: ({ kind, severity }) => <Badge tone={TONES[severity]}>{KINDS[kind]}</Badge>,
  },
  {
    key: 'rfq',
    width: 'wide',
    title: 'RFQ, channel',
    value: ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId,
    cell: ({ channel, rfqId, rfqNumber, rfqTitle }) => (
      <>
        {rfqId !== null && (
          <a href={rfqPath(channel, nameById(rfqId))}>{plain(`${rfqNumber ?? rfqId} ${rfqTitle ?? ''}`)}</a>
        )}
        <div class="muted small">{channel}</div>
      </>
    ),
  },
  { key: 'channel', fileOnly: true, title: 'Channel', value: ({ channel }) => channel },
  { key: 'message', width: 'wide', title: 'Why', value: ({ message }) => message, sortable: false },
  { key: 'due', width: 'line', title: 'Due', value: ({ dueDate }) => dueDate },
  { key: 'since', fileOnly: true, title: 'Since (UTC)', value: ({ since }) => since },
  {
    key: 'action',
    width: 'wide',
    title: 'Next step',
    sortable: false,
    value: ({ action }) => action.command,
    cell: ({ action }) => (
      <>
        <a href={action.path}>{plain(action.message)}</a>
        <div>
          <Command text={action.command} quiet />
        </div>
      </>
    ),
  },
]

/** A visit ends after this time without a request, in milliseconds. */
const VISIT_MS = 30 * 60_000
const DEFAULT_SINCE_MS = 24 * 3_600_000
const VISIT_COOKIE = 'quotekeeper_visit'

/** When the visit before this one was last active; a day ago on the first. The cookie holds it and the newest activity. */
function lastVisit(request: FastifyRequest, now: Date): Date {
  const [since = Number.NaN, active = Number.NaN] = (request.cookies[VISIT_COOKIE] ?? '').split('.').map(Number)
  if (Number.isFinite(active) && now.getTime() - active > VISIT_MS && active <= now.getTime()) return new Date(active)
  const known = Number.isFinite(since) && since > 0 && since <= now.getTime()
  return new Date(known ? since : now.getTime() - DEFAULT_SINCE_MS)
}

/** Remembers this visit. */
function rememberVisit(request: FastifyRequest, reply: FastifyReply, now: Date): void {
  const value = `${lastVisit(request, now).getTime()}.${now.getTime()}`
  reply.setCookie(VISIT_COOKIE, value, { ...request.server.access.cookie.attributes, maxAge: 30 * 86_400 })
}
