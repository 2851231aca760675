import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import {
  formatCount,
  formatNearDay,
  formatPricePerTonne,
  formatTonnes,
  formatTotal,
} from '../../core/text/number-format.js'
import { nameById } from '../../core/text/rfq-name.js'
import { rfqPath } from '../../tables/page-paths.js'
import {
  DOUBTS,
  type Today,
  type TodayDoubt,
  type TodayItem,
  type TodayKind,
  type TodayRfq,
} from '../../tables/today/today-view.js'
import { channelNames } from '../components/columns.js'
import { amount, Badge, DueDay, Moment, percent, plain, price, type Tone, UNKNOWN } from '../components/format.js'
import { TableView } from '../components/table-view.js'
import type { Column, Table } from '../tables/table.js'
import { downloadOf } from '../tables/table-file.js'
import { type PageContent, type PageRequest, pagesOf, rangeOf, readMoment } from './page.js'

/** RFQs in a downloaded file at most. */
const MAX_IN_FILE = 10_000

/** `/`: what needs attention, one row for each RFQ, most urgent first; closings and the system apart. */
export async function todayPage(page: PageRequest): Promise<PageContent> {
  const { query, queries, now, link, request } = page
  const visit = lastVisit(request, now)
  const given = readMoment(page, 'since', 'start')
  const since = given ?? visit.since
  const today = await queries.today({ now, since, page: rangeOf(query, MAX_IN_FILE) })
  const table: Table<TodayRfq> = {
    name: 'today',
    caption: 'RFQs that need attention, most urgent first',
    columns: COLUMNS.map((column) => (column.key === 'rfq' ? rfqColumn(column, page.channels) : column)),
    rows: today.rfqs,
    empty: (
      <>
        No RFQ needs attention. <a href="/rfqs">All RFQs</a>
      </>
    ),
  }
  const groups = [
    { title: 'Closings', path: '/closings', table: itemTable('closings', 'Closings', today.closings) },
    { title: 'System', path: '/system', table: itemTable('system', 'System', today.system) },
  ]
  return {
    title: 'Today',
    current: '/',
    tables: [downloadOf(table), ...groups.map((group) => downloadOf(group.table))],
    onSend: (reply) => rememberVisit(request, reply, now),
    body: (
      <>
        <div class="listhead">
          <h1>Today</h1>
          <p class="lead">
            {given === undefined ? visit.text : 'Changes since'} <Moment at={since.toISOString()} now={now} />
          </p>
        </div>
        <Summary today={today} />
        <TableView table={table} link={link} pages={pagesOf(query, today.totalRfqs)} />
        {groups.map((group) => (
          <Group key={group.title} {...group} link={link} />
        ))}
      </>
    ),
  }
}

const Summary = ({ today: { summary, dueWithinDays } }: { today: Today }) => (
  <dl class="stats">
    <Figure title="Open RFQs">{amount(summary.open)}</Figure>
    <Figure title="At stake" hint="Tonnes × price of the recorded or else recommended awards of the open RFQs">
      {summary.values.length === 0
        ? UNKNOWN
        : summary.values.map(({ currency, total }, at) => [
            at > 0 && ' + ',
            <span key={currency}>{plain(formatTotal(total, currency))}</span>,
          ])}
    </Figure>
    <Figure title={`Due within ${formatCount(dueWithinDays, 'day')}`}>
      {amount(summary.due)} {summary.overdue > 0 && <small>{`and ${amount(summary.overdue)} overdue`}</small>}
    </Figure>
    <Figure title="Waiting for a person">{amount(summary.waiting)}</Figure>
  </dl>
)

const Figure = ({ title, hint, children }: { title: string; hint?: string; children: ComponentChildren }) => (
  <div title={hint}>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
)

/** Matters that are not about one RFQ alone: open if one waits for a person. */
const Group = ({
  title,
  path,
  table,
  link,
}: { title: string; path: string; table: Table<TodayItem> } & Pick<PageRequest, 'link'>) => {
  const waiting = table.rows.filter(({ severity }) => severity !== 'low').length
  return (
    <details class="group" open={waiting > 0}>
      <summary>
        <h2>{title}</h2>{' '}
        {waiting > 0 ? <span class="count">{waiting}</span> : <span class="muted small">nothing waits</span>}
      </summary>
      {table.rows.length === 0 ? (
        <p class="muted">
          <a href={path}>{title === 'System' ? 'Channels and runs' : 'All closings'}</a>
        </p>
      ) : (
        <TableView table={table} link={link} />
      )}
    </details>
  )
}

const TONES: Record<TodayItem['severity'], Tone> = { high: 'bad', medium: 'warn', low: 'neutral' }
const DOUBT_TONES: Partial<Record<TodayDoubt, Tone>> = { awarded: 'good', accepted: 'good', loud: 'bad' }

/** What the due date means: `overdue`, `today in Paris`, or the state of an RFQ that is not open; empty for later days. */
function dueText({ daysToDue, state, timeZone }: TodayRfq): string {
  if (daysToDue === null || state !== 'open') return plain(state)
  return daysToDue < 0 ? 'overdue' : (formatNearDay(daysToDue, timeZone) ?? '')
}

const isPastDue = ({ daysToDue, state }: TodayRfq) => daysToDue !== null && daysToDue < 0 && state === 'open'

const nameOf = ({ rfqNumber, rfqId, rfqTitle }: TodayRfq) => plain(`${rfqNumber ?? rfqId} ${rfqTitle ?? ''}`)

/** `Katari and 1 more`. */
const offersText = ([first, ...others]: readonly string[]) =>
  `${plain(first)}${others.length === 0 ? '' : ` and ${others.length} more`}`

/** The award, or why there is none, above what is unsure about it. */
function AwardCell({ award, noAward, doubts }: TodayRfq) {
  const text = award === null ? plain(noAward ?? '') : offersText(award.offers)
  if (text === '' && doubts.length === 0) return UNKNOWN
  return (
    <>
      {text !== '' && (
        <div class={award === null ? 'small why' : 'name'} title={text}>
          {text}
        </div>
      )}
      {doubts.length > 0 && (
        <div class="tags">
          {doubts.map((doubt) => (
            <Badge key={doubt} tone={DOUBT_TONES[doubt] ?? 'warn'}>
              {DOUBTS[doubt]}
            </Badge>
          ))}
        </div>
      )}
    </>
  )
}

function PriceCell({ award, maxPricePerTonne, maxPriceCurrency }: TodayRfq) {
  if (award === null) return UNKNOWN
  const { tonnes, pricePerTonne, currency } = award
  const unit = maxPriceCurrency === currency ? '' : ` ${plain(maxPriceCurrency)}/t`
  return (
    <>
      <div>{pricePerTonne === null ? formatTonnes(tonnes) : plain(formatPricePerTonne(pricePerTonne, currency))}</div>
      {maxPricePerTonne !== null && <div class="muted small">{`limit ${price(maxPricePerTonne)}${unit}`}</div>}
    </>
  )
}

const changesOf = ({ note, changes, moreChanges }: TodayRfq): string[] => [
  ...(note === null ? [] : [note]),
  ...changes,
  ...(moreChanges === 0 ? [] : [`and ${moreChanges} more`]),
]

function ChangesCell(row: TodayRfq) {
  const all = changesOf(row)
  if (all.length === 0) return UNKNOWN
  const text = plain(all.join('; '))
  return (
    <div class="small two" title={text}>
      {text}
    </div>
  )
}

const StepButton = ({ row: { action, rfqNumber, rfqId } }: { row: TodayRfq | TodayItem }) => (
  <a class="button" href={action.path}>
    {action.message}
    {rfqId !== null && <span class="visually-hidden">{`, RFQ ${plain(String(rfqNumber ?? rfqId))}`}</span>}
  </a>
)

/** The title of an RFQ above the name of its channel. @param channels those that are configured */
function rfqColumn(column: Column<TodayRfq>, channels: readonly string[]): Column<TodayRfq> {
  const channelName = channelNames(channels)
  return {
    ...column,
    cell: (row) => (
      <>
        <div title={nameOf(row)}>
          <a href={rfqPath(row.channel, nameById(row.rfqId))}>{nameOf(row)}</a>
        </div>
        <div class="muted small" title={row.channel}>
          {channelName(row.channel)}
        </div>
      </>
    ),
  }
}

const COLUMNS: readonly Column<TodayRfq>[] = [
  { key: 'severity', fileOnly: true, title: 'Severity', value: ({ severity }) => severity },
  { key: 'kind', fileOnly: true, title: 'Why', value: ({ kinds }) => kinds.join(', ') },
  {
    key: 'due',
    width: 'line',
    title: 'Due',
    value: ({ dueDate }) => dueDate,
    cell: (row) => (
      <>
        <div>
          <DueDay dueDate={row.dueDate} daysToDue={row.daysToDue} />
        </div>
        <div class={`small ${isPastDue(row) ? 'over' : 'muted'}`}>{dueText(row)}</div>
      </>
    ),
  },
  {
    key: 'rfq',
    width: 'clip',
    title: 'RFQ, channel',
    value: ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId,
  },
  { key: 'title', fileOnly: true, title: 'Title', value: ({ rfqTitle }) => rfqTitle },
  { key: 'channel', fileOnly: true, title: 'Channel', value: ({ channel }) => channel },
  {
    key: 'award',
    width: 'clip',
    title: 'Award, unsure',
    hint: 'The award that the desk recorded, or else the recommended one; what makes it uncertain, or that it is decided',
    value: ({ award, noAward }) => award?.offers.join(', ') ?? noAward,
    cell: AwardCell,
  },
  { key: 'tonnes', fileOnly: true, title: 'Tonnes', value: ({ award }) => award?.tonnes ?? null },
  {
    key: 'pricePerTonne',
    align: 'right',
    title: 'Price, limit',
    hint: "Per tonne, and the RFQ's maximum price",
    value: ({ award }) => award?.pricePerTonne ?? null,
    cell: PriceCell,
  },
  { key: 'currency', fileOnly: true, title: 'Currency', value: ({ award }) => award?.currency ?? null },
  {
    key: 'maxPricePerTonne',
    fileOnly: true,
    title: 'Maximum price per tonne',
    value: ({ maxPricePerTonne }) => maxPricePerTonne,
  },
  {
    key: 'coverage',
    align: 'right',
    title: 'Value, covered',
    hint: 'What the award costs, and the share of the requested tonnes that it covers, at most 100 %',
    value: ({ coverage }) => coverage,
    cell: ({ award, coverage }) =>
      award === null && coverage === null ? (
        UNKNOWN
      ) : (
        <>
          <div>
            {award === null || award.pricePerTonne === null
              ? UNKNOWN
              : plain(formatTotal(award.tonnes * award.pricePerTonne, award.currency))}
          </div>
          <div class="muted small">{percent(coverage)}</div>
        </>
      ),
  },
  {
    key: 'unsure',
    fileOnly: true,
    title: 'Unsure',
    value: ({ doubts }) => doubts.map((doubt) => DOUBTS[doubt]).join(', ') || null,
  },
  {
    key: 'changes',
    width: 'clip',
    isSecondary: true,
    title: 'What changed',
    value: (row) => changesOf(row).join('; ') || null,
    cell: ChangesCell,
  },
  {
    key: 'action',
    title: 'Next step',
    value: ({ action }) => action.message,
    cell: (row) => <StepButton row={row} />,
  },
]

const KINDS: Record<TodayKind, string> = {
  refused: 'Close refused',
  unknown: 'Close uncertain',
  failed: 'Close failed',
  unsettled: 'Close not settled',
  blocked: 'Round blocked',
  behind: 'Channel behind',
  undelivered: 'Notifications',
  problems: 'Data problems',
}

const ITEM_COLUMNS: readonly Column<TodayItem>[] = [
  {
    key: 'kind',
    width: 'line',
    title: 'What',
    value: ({ kind }) => kind,
    cell: ({ kind, severity }) => <Badge tone={TONES[severity]}>{KINDS[kind]}</Badge>,
  },
  {
    key: 'about',
    title: 'About',
    value: ({ rfqNumber, rfqId, channel }) => (rfqId === null ? channel : `${rfqNumber ?? rfqId} ${channel}`),
    cell: ({ rfqNumber, rfqId, channel }) => (
      <>
        {rfqId !== null && (
          <>
            <a href={rfqPath(channel, nameById(rfqId))}>{plain(`RFQ ${rfqNumber ?? rfqId}`)}</a>{' '}
          </>
        )}
        <span class="muted">{channel}</span>
      </>
    ),
  },
  { key: 'message', width: 'wide', title: 'Why', value: ({ message }) => message },
  {
    key: 'since',
    width: 'line',
    title: 'Since',
    value: ({ since }) => since,
    cell: ({ since }) => <Moment at={since} />,
  },
  { key: 'action', title: 'Next step', value: ({ action }) => action.message, cell: (row) => <StepButton row={row} /> },
]

const itemTable = (name: string, caption: string, rows: readonly TodayItem[]): Table<TodayItem> => ({
  ...{ name, caption, rows },
  columns: ITEM_COLUMNS,
  empty: 'Nothing waits.',
})

/** A visit ends after this time without a request, in milliseconds. */
const VISIT_MS = 30 * 60_000
const DEFAULT_SINCE_MS = 24 * 3_600_000
const VISIT_COOKIE = 'quotekeeper_visit'

/** When the visit before this one was last active; a day ago on the first. The cookie holds it and the newest activity. */
function lastVisit(request: FastifyRequest, now: Date): { since: Date; text: string } {
  const [since = Number.NaN, active = Number.NaN] = (request.cookies[VISIT_COOKIE] ?? '').split('.').map(Number)
  const text = 'Changes since your last visit,'
  if (Number.isFinite(active) && now.getTime() - active > VISIT_MS && active <= now.getTime())
    return { since: new Date(active), text }
  if (Number.isFinite(since) && since > 0 && since <= now.getTime()) return { since: new Date(since), text }
  return { since: new Date(now.getTime() - DEFAULT_SINCE_MS), text: 'Changes of the last day, since' }
}

/** Remembers this visit. */
function rememberVisit(request: FastifyRequest, reply: FastifyReply, now: Date): void {
  const value = `${lastVisit(request, now).since.getTime()}.${now.getTime()}`
  reply.setCookie(VISIT_COOKIE, value, { ...request.server.access.cookie.attributes, maxAge: 30 * 86_400 })
}
