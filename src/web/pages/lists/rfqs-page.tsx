import type { ComponentChildren } from 'preact'
import type { AcceptedSummary, AwardSummary } from '../../../compare/awards/award-summary.js'
import { READ_STATE_TEXT } from '../../../compare/input/stored-documents.js'
import { RFQ_STATES } from '../../../core/documents/documents.js'
import { NO_FIGURES, type RfqFigures } from '../../../recommendations/rfq-figures.js'
import { rfqPath } from '../../../tables/page-paths.js'
import type { RfqItem, RfqSortKey } from '../../../tables/rfqs/rfqs.js'
import { channelColumn, withUnit } from '../../components/columns.js'
import { amount, Badge, DueDay, percent, plain, price, range, UNKNOWN } from '../../components/format.js'
import { defined } from '../../http/request-values.js'
import { type Column, parseSorting, type Table } from '../../tables/table.js'
import { type PageContent, type PageRequest, pagesOf, rangeOf, readChannel, readChoice, readSearch } from '../page.js'
import { listPage } from './list-page.js'

type Row = RfqItem & { figures: RfqFigures }

/** `/rfqs`: all RFQs, with the figures of their offers. */
export async function rfqsPage(request: PageRequest): Promise<PageContent> {
  const { query, queries, now, suggest, channels } = request
  const sorting = parseSorting(query.sort, COLUMNS, suggest)
  const channel = await readChannel(request)
  const { items, total, states } = await queries.rfqs({
    now,
    ...channel,
    ...defined({ state: query.state, search: readSearch(query) }),
    ...(sorting && { sort: { key: sorting.key as RfqSortKey, descending: sorting.descending } }),
    page: rangeOf(query),
    figures: true,
  })
  await refuseUnknownState(request, states)
  const table: Table<Row> = {
    name: 'rfqs',
    caption: 'RFQs, open ones first, due soonest first',
    narrow: 'lines',
    columns: COLUMNS.map((column) => {
      if (column.key === 'number') return { ...column, cell: RfqLink }
      if (column.key === 'channel') return channelColumn(channels)
      return column.key === 'bestPricePerTonne' ? { ...column, ...priceCell(items) } : column
    }),
    rows: items.map((item) => ({ ...item, figures: item.figures ?? NO_FIGURES })),
    empty: (
      <>
        No RFQs match. <a href="/rfqs">Show all</a>
      </>
    ),
  }
  return listPage(request, {
    path: '/rfqs',
    title: 'RFQs',
    search: { name: 'q', title: 'Search', hint: 'Number, title, developer' },
    choices: [
      { name: 'state', title: 'State', values: states },
      { name: 'channel', title: 'Channel', values: channels },
    ],
    shown: { table, sorting, pages: pagesOf(query, total) },
  })
}

/** A state that is neither documented nor that of any RFQ is treated as a typo, not as a filter without matches. */
async function refuseUnknownState(request: PageRequest, listed: readonly string[]): Promise<void> {
  const { query, queries, now } = request
  const known = [...new Set<string>([...RFQ_STATES, ...listed])]
  if (query.state === undefined || known.includes(query.state)) return
  readChoice(request, 'state', [...new Set([...known, ...(await queries.rfqStates(now))])])
}

const RfqLink = ({ channel, name, number, title }: Row) => (
  <>
    <span class="muted">{number ?? ''}</span> <a href={rfqPath(channel, name)}>{plain(title ?? name)}</a>
  </>
)

/** Prices with their currency in the head, if all have the same. */
function priceCell(items: readonly RfqItem[]): Partial<Column<Row>> {
  const currencies = new Set(
    items.flatMap(({ figures }) => (figures?.bestPricePerTonne == null ? [] : figures.currency)),
  )
  const [only = null] = currencies.size === 1 ? currencies : []
  return {
    ...(only !== null && { title: `Best, ${plain(only)}/t` }),
    cell: ({ figures: { bestPricePerTonne, currency } }) =>
      bestPricePerTonne === null ? (
        UNKNOWN
      ) : (
        <>
          <span class="phone">from </span>
          {price(bestPricePerTonne)}
          {only === null ? ` ${plain(currency)}/t` : <span class="phone">{` ${plain(only)}/t`}</span>}
        </>
      ),
  }
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'number',
    width: 'clip',
    title: 'RFQ',
    value: ({ number, name }) => number ?? name,
    whole: ({ title, name }) => plain(title ?? name),
  },
  { key: 'title', fileOnly: true, title: 'Title', value: ({ title }) => title },
  { key: 'id', fileOnly: true, sortable: false, title: 'Id', value: ({ id }) => id },
  { key: 'channel', title: 'Channel', value: ({ channel }) => channel },
  { key: 'state', fileOnly: true, title: 'State', value: ({ state }) => state },
  { key: 'readState', fileOnly: true, title: 'Read', value: ({ readState }) => READ_STATE_TEXT[readState] },
  {
    key: 'due',
    width: 'line',
    title: 'Due',
    value: ({ responseDueDate }) => responseDueDate,
    cell: DueCell,
  },
  {
    key: 'wanted',
    title: 'Wanted, t',
    align: 'right',
    hint: 'The volume that the RFQ asks for',
    value: ({ figures }) => figures.wanted,
    cell: ({ minVolume, maxVolume }) => {
      const text = range(minVolume, maxVolume)
      return text === UNKNOWN ? text : withUnit(text, 't')
    },
  },
  {
    key: 'offers',
    title: 'Offers',
    align: 'right',
    value: ({ offers }) => offers,
    cell: ({ offers, unreadOffers }) =>
      unreadOffers === 0 ? withUnit(String(offers), offers === 1 ? 'offer' : 'offers') : `${unreadOffers} unread`,
  },
  {
    key: 'unreadOffers',
    fileOnly: true,
    sortable: false,
    title: 'Offers not read yet',
    value: ({ unreadOffers }) => unreadOffers,
  },
  {
    key: 'coverage',
    title: 'Coverage',
    align: 'right',
    hint: 'Share of the requested tonnes that the ranked offers cover',
    value: ({ figures }) => figures.coverage,
    cell: ({ figures: { coverage } }) => (coverage === null ? UNKNOWN : withUnit(percent(coverage), 'covered')),
  },
  {
    key: 'bestPricePerTonne',
    title: 'Best price',
    align: 'right',
    hint: 'The lowest price per tonne of the ranked offers',
    value: ({ figures }) => figures.bestPricePerTonne,
  },
  {
    key: 'currency',
    fileOnly: true,
    sortable: false,
    title: 'Currency of prices',
    value: ({ figures }) => figures.currency,
  },
  {
    key: 'recommendation',
    width: 'clip',
    title: 'Recommended award',
    value: ({ figures: { accepted, award }, awarded }) =>
      awarded?.offers.map((offer) => `${offer} (awarded)`).join(', ') ??
      ([...(accepted?.offers ?? []).map((offer) => `${offer} (accepted)`), ...(award?.offers ?? [])].join(', ') ||
        (award?.status ?? null)),
    whole: ({ figures: { accepted, award }, awarded }) =>
      [awarded ?? accepted, awarded === null ? award : null]
        .flatMap((one) =>
          one === null || one.offers.length === 0 ? [] : `${plain(one.offers.join(', '))}, ${figuresOf(one)}`,
        )
        .join('; '),
    cell: recommendationCell,
  },
]

/** The due date, and what has become of it: that it is past, or the state. */
function DueCell({ responseDueDate, daysToDue, state, overdue, missingSince, readState }: Row) {
  const note = READ_STATE_TEXT[readState]
  return (
    <>
      <DueDay dueDate={responseDueDate} daysToDue={daysToDue} />{' '}
      {overdue ? <Badge tone="bad">overdue</Badge> : state !== 'open' && <Badge tone="neutral">{plain(state)}</Badge>}{' '}
      {missingSince !== null && <Badge tone="warn">missing</Badge>}
      {note !== null && <Badge tone="warn">{note}</Badge>}
    </>
  )
}

function recommendationCell({ figures: { award, accepted }, unreadOffers, awarded }: Row) {
  if (awarded !== null) {
    const badges = (
      <>
        <Badge tone="good">awarded</Badge>
        {accepted !== null && <Badge tone="good">accepted</Badge>}
      </>
    )
    return <AwardCell {...awarded} badge={badges} />
  }
  if (accepted !== null) {
    return (
      <>
        <AwardCell {...accepted} badge={<Badge tone="good">accepted</Badge>} />
        {award !== null && award.offers.length > 0 && <AwardCell {...award} badge={<Badge tone="warn">also</Badge>} />}
      </>
    )
  }
  if (unreadOffers > 0) return <span class="muted">not read yet</span>
  if (award === null) return <span class="muted">see the RFQ</span>
  if (award.offers.length === 0) return <span class="muted">{NO_AWARD[award.status]}</span>
  return <AwardCell {...award} badge={award.status === 'partial' && <Badge tone="warn">partial</Badge>} />
}

type AwardCellProps = Pick<AcceptedSummary, 'offers' | 'tonnes' | 'pricePerTonne'> & { badge: ComponentChildren }

function AwardCell({ offers, tonnes, pricePerTonne, badge }: AwardCellProps) {
  const [first, ...others] = offers
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return (
    <>
      {badge} {plain(first)}
      {more} <span class="muted small">{figuresOf({ tonnes, pricePerTonne })}</span>{' '}
    </>
  )
}

const figuresOf = ({ tonnes, pricePerTonne }: Pick<AcceptedSummary, 'tonnes' | 'pricePerTonne'>) =>
  `${amount(tonnes)} t${pricePerTonne === null ? '' : ` at ${price(pricePerTonne)}`}`

const NO_AWARD: Record<AwardSummary['status'], string> = {
  award: UNKNOWN,
  partial: UNKNOWN,
  accepted: UNKNOWN,
  none: 'none possible',
  'no-volume': 'no volume to award',
  'no-offers': 'no offers',
}
