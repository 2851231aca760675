import type { ComponentChildren } from 'preact'
import type { AcceptedSummary, AwardSummary } from '../../../compare/awards/award-summary.js'
import { RFQ_STATES } from '../../../core/documents/documents.js'
import { listDiffLabel } from '../../../core/sources/source-text.js'
import { formatDaysFromToday } from '../../../core/text/number-format.js'
import { NO_FIGURES, type RfqFigures } from '../../../recommendations/rfq-figures.js'
import { rfqPath } from '../../../views/page-paths.js'
import type { RfqItem, RfqSortKey } from '../../../views/rfqs/rfqs.js'
import { numberColumn } from '../../components/columns.js'
import { amount, Badge, percent, plain, price, range, UNKNOWN } from '../../components/format.js'
import { defined } from '../../http/request-values.js'
import { type Column, parseSorting, type Table } from '../../tables/table.js'
import {
  type PageContent,
  type PageRequest,
  pagesOf,
  rangeOf,
  readChannel,
  readChoice,
  readPast,
  readSearch,
  withAsOf,
} from '../page.js'
import { listPage } from './list-page.js'

type Row = RfqItem & { figures: RfqFigures }

/** `/rfqs`: all RFQs, with the figures of their offers. */
export async function rfqsPage(request: PageRequest): Promise<PageContent> {
  const { query, queries, now, suggest, channels } = request
  const sorting = parseSorting(query.sort, COLUMNS, suggest)
  const channel = await readChannel(request)
  const past = await readPast(request, { ...channel, kind: 'rfqs' })
  const { items, total, states } = await queries.rfqs({
    now,
    ...channel,
    ...defined({ asOf: past?.asOf, state: query.state, search: readSearch(query) }),
    ...(sorting && { sort: { key: sorting.key as RfqSortKey, descending: sorting.descending } }),
    page: rangeOf(query),
    figures: true,
  })
  await refuseUnknownState(request, states)
  const table: Table<Row> = {
    name: 'rfqs',
    caption: 'RFQs, open ones first, due soonest first',
    columns: COLUMNS.map((column) =>
      column.key === 'title' ? { ...column, cell: (row) => <RfqLink row={row} asOf={query.as_of} /> } : column,
    ),
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
    past,
    search: { name: 'q', title: 'Search number, reference, title' },
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

const RfqLink = ({ row, asOf }: { row: Row; asOf: string | undefined }) => (
  <>
    <a href={withAsOf(rfqPath(row.channel, row.name), asOf)}>{plain(row.title ?? row.name)}</a>
    <div class="muted small">{row.channel}</div>
  </>
)

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'number',
    title: 'Number',
    value: ({ number, name }) => number ?? name,
    cell: ({ name }) => plain(name),
    align: 'right',
  },
  { key: 'title', width: 'wide', title: 'Title, channel', value: ({ title }) => title },
  { key: 'id', fileOnly: true, sortable: false, title: 'Id', value: ({ id }) => id },
  { key: 'channel', fileOnly: true, title: 'Channel', value: ({ channel }) => channel },
  {
    key: 'state',
    title: 'State',
    value: ({ state }) => state,
    cell: (row) => (
      <>
        <Badge tone={row.overdue ? 'bad' : row.state === 'open' ? 'good' : 'neutral'}>
          {row.overdue ? 'overdue' : plain(row.state)}
        </Badge>
        {row.missingSince !== null && <Badge tone="warn">missing</Badge>}
        {row.listed !== null && (
          <div class="small">
            <Badge tone="warn">list</Badge> {plain(listDiffLabel(row.listed))}
          </div>
        )}
      </>
    ),
  },
  { key: 'listed', fileOnly: true, title: 'List says', value: ({ listed }) => listed && listDiffLabel(listed) },
  {
    key: 'due',
    width: 'line',
    title: 'Due',
    value: ({ responseDueDate }) => responseDueDate,
    cell: ({ responseDueDate, daysToDue, state }) => (
      <>
        {plain(responseDueDate)}
        {state === 'open' && daysToDue !== null && <div class="muted small">{formatDaysFromToday(daysToDue)}</div>}
      </>
    ),
  },
  {
    key: 'wanted',
    title: 'Wanted, t',
    align: 'right',
    hint: 'The volume that the RFQ asks for',
    value: ({ figures }) => figures.wanted,
    cell: ({ minVolume, maxVolume }) => range(minVolume, maxVolume),
  },
  {
    key: 'offers',
    title: 'Offers',
    align: 'right',
    value: ({ offers }) => offers,
    cell: ({ offers, unreadOffers }) => (unreadOffers === 0 ? offers : `${unreadOffers}, not read yet`),
  },
  {
    key: 'unreadOffers',
    fileOnly: true,
    sortable: false,
    title: 'Offers not read yet',
    value: ({ unreadOffers }) => unreadOffers,
  },
  numberColumn('coverage', 'Coverage', ({ figures }) => figures.coverage, percent, {
    hint: 'Share of the requested tonnes that the ranked offers cover',
  }),
  {
    key: 'bestPricePerTonne',
    title: 'Best price/t',
    align: 'right',
    hint: 'The lowest price per tonne of the ranked offers',
    value: ({ figures }) => figures.bestPricePerTonne,
    cell: ({ figures }) =>
      figures.bestPricePerTonne === null ? UNKNOWN : `${price(figures.bestPricePerTonne)} ${plain(figures.currency)}`,
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
    width: 'wide',
    title: 'Recommended award',
    value: ({ figures: { accepted, award }, awarded }) =>
      awarded?.offers.map((offer) => `${offer} (awarded)`).join(', ') ??
      ([...(accepted?.offers ?? []).map((offer) => `${offer} (accepted)`), ...(award?.offers ?? [])].join(', ') ||
        (award?.status ?? null)),
    cell: recommendationCell,
  },
]

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
      {plain(first)}
      {more}
      <div class="muted small">{`${amount(tonnes)} t${pricePerTonne === null ? '' : ` at ${price(pricePerTonne)}`}`}</div>
      {badge}
    </>
  )
}

const NO_AWARD: Record<AwardSummary['status'], string> = {
  award: UNKNOWN,
  partial: UNKNOWN,
  accepted: UNKNOWN,
  none: 'none possible',
  'no-volume': 'no volume to award',
  'no-offers': 'no offers',
}
