import { RFQ_STATES } from '../../core/documents/documents.js'
import { nameById } from '../../core/text/rfq-name.js'
import { addDays } from '../../core/time/calendar-days.js'
import { EARLIEST_DUE_DATE } from '../../core/time/expiry.js'
import { NO_FACTS, type RfqFacts } from '../../recommendations/rfq-facts.js'
import { NO_FIGURES } from '../../recommendations/rfq-figures.js'
import type { Queries } from '../../store/contract.js'
import type { Dialect } from '../../store/sql/sql-database.js'
import { createDayStarts, dueOf } from '../channels/channel-rules.js'
import { type Column, money, type SqlRow } from '../column.js'
import { channelFilter, sinceFilter } from '../filter.js'
import { type List, type ListSource, sqlList } from '../list.js'
import { rfqPath } from '../page-paths.js'
import { beyondAvailability } from './credit-availability.js'
import { basisOf, doubtsOf, marksOf, type RfqRow, stepOf } from './rfq-row.js'

/** RFQs that are due within so many days, today included, wait for a person. */
export const DUE_WITHIN_DAYS = 7

/** Without placeholders of a due date. */
const IS_DUE = `t.state = 'open' and t.missing_since is null and t.due_date >= '${EARLIEST_DUE_DATE}'`
/** The one definition of urgency: now if due by tomorrow, overdue, or an award needs a person now; soon if due within a week, or something waits. */
export const URGENCY = `case
  when coalesce(r.attention, 0) = 2 or (${IS_DUE} and t.due_date <= c.tomorrow) then 2
  when coalesce(r.attention, 0) = 1 or (${IS_DUE} and t.due_date <= c.due_by) then 1
  else 0 end`

/** Rows of figures and the days of channels, joined with a row `t` of `documents` that is an RFQ. */
export const rfqJoins = ({ leftJoin, elementsOf }: Dialect): string =>
  `${leftJoin('rfq_rows', 'r', 'r.channel = t.channel and r.rfq_id = t.id')}
  ${leftJoin(
    `(select value ->> 'channel' as channel, value ->> 'tomorrow' as tomorrow, value ->> 'dueBy' as due_by from ${elementsOf('@days')})`,
    'c',
    'c.channel = t.channel',
  )}`

/** RFQs of channels that are stored: rows `t` of `documents`. */
export const IS_RFQ = `t.kind = 'rfq' and t.channel in (select channel from channels)`

/** The parameter `@days` of `rfqJoins`. */
export async function dayParameters({ store, rulesOf }: ListSource, now: Date) {
  const days = (await store.storedChannels()).map((channel) => {
    const today = rulesOf(channel).calendar.dateAt(now)
    return { channel, tomorrow: addDays(today, 1), dueBy: addDays(today, DUE_WITHIN_DAYS) }
  })
  return { days: JSON.stringify(days) }
}

const statesOf = async (queries: Queries): Promise<string[]> => {
  const rows = await queries.all<{ state: string }>(
    `select distinct state from documents where kind = 'rfq' and state is not null order by state`,
  )
  return [...new Set<string>([...RFQ_STATES, ...rows.map(({ state }) => state)])]
}

const decided = ({ figures }: RfqRow) => figures.decision

const pathOf = ({ channel, name }: RfqRow) => rfqPath(channel, name)

const COLUMNS: readonly Column<RfqRow>[] = [
  {
    ...{ key: 'number', header: 'RFQ', kind: 'id', weight: 9, sort: 'r.number' },
    value: ({ number, id }) => number ?? id,
    link: pathOf,
  },
  {
    ...{ key: 'title', header: 'Title', kind: 'text', weight: 8, sort: 'r.title' },
    value: ({ title }) => title,
    link: pathOf,
  },
  { key: 'channel', header: 'Channel', kind: 'text', weight: 8, value: ({ channel }) => channel, sort: 't.channel' },
  { key: 'due', header: 'Due', kind: 'date', weight: 9, value: (row) => row.responseDueDate, sort: 't.due_date' },
  { key: 'marks', header: 'State', kind: 'state', weight: 7, value: marksOf },
  { key: 'offers', header: 'Offers', kind: 'count', weight: 5, value: ({ offers }) => offers, sort: 'r.offer_count' },
  {
    key: 'wanted',
    header: 'Wanted',
    kind: 'tonnes',
    weight: 5,
    value: ({ figures }) => figures.wanted,
    sort: 'r.wanted',
  },
  {
    key: 'award',
    header: 'Award',
    kind: 'text',
    weight: 9,
    value: (row) => decided(row)?.offers ?? null,
    sort: 'r.recommended',
  },
  { key: 'basis', header: 'Basis', kind: 'state', weight: 6, value: basisOf },
  { key: 'tonnes', header: 'Tonnes', kind: 'tonnes', weight: 5, value: (row) => decided(row)?.tonnes ?? null },
  {
    ...{ key: 'price', header: 'Price', kind: 'price', weight: 8, sort: 'r.price' },
    value: (row) => money(decided(row)?.pricePerTonne, decided(row)?.currency),
  },
  {
    ...{ key: 'limit', header: 'Limit', kind: 'price', weight: 4 },
    value: ({ figures: { limit, currency }, maxUnitPrice, currency: own }) =>
      limit === null ? money(maxUnitPrice, own) : money(limit, currency),
  },
  {
    ...{ key: 'total', header: 'Total', kind: 'money', weight: 7, sort: 'r.total' },
    value: (row) => money(decided(row)?.total, decided(row)?.currency),
  },
  {
    ...{ key: 'coverage', header: 'Covered', kind: 'percent', weight: 4, sort: 'r.coverage' },
    value: ({ figures }) => figures.coverage,
  },
  {
    ...{ key: 'savings', header: 'Savings', kind: 'money', weight: 1 },
    value: (row) => money(decided(row)?.savings, decided(row)?.currency),
  },
  { key: 'doubts', header: 'Doubts', kind: 'state', weight: 8, value: doubtsOf },
  {
    ...{ key: 'step', header: 'Next step', kind: 'text', weight: 8 },
    value: (row) => stepOf(row)?.message ?? null,
    link: (row) => stepOf(row)?.path ?? null,
  },
  {
    ...{ key: 'bestPrice', header: 'Best price', kind: 'price', weight: 0, sort: 'r.best_price' },
    value: ({ figures }) => money(figures.bestPricePerTonne, figures.currency),
  },
  { key: 'bestOffer', header: 'Best offer', kind: 'text', weight: 0, value: ({ figures }) => figures.bestPriceOffer },
  { key: 'ranked', header: 'Offers that compete', kind: 'count', weight: 0, value: ({ figures }) => figures.ranked },
  { key: 'unreadOffers', header: 'Offers not read', kind: 'count', weight: 0, value: (row) => row.unreadOffers },
  { key: 'noAward', header: 'Why no award', kind: 'text', weight: 0, value: ({ figures }) => figures.noAward },
  { key: 'command', header: 'Command', kind: 'text', weight: 0, value: (row) => stepOf(row)?.command ?? null },
  { key: 'state', header: 'State as sent', kind: 'text', weight: 0, value: ({ state }) => state, sort: 't.state' },
  { key: 'urgency', header: 'Urgency', kind: 'count', weight: 0, value: ({ urgency }) => urgency, sort: URGENCY },
  { key: 'daysToDue', header: 'Days to due', kind: 'count', weight: 0, value: ({ daysToDue }) => daysToDue },
  { key: 'reference', header: 'Reference', kind: 'text', weight: 0, value: ({ reference }) => reference },
  { key: 'fulfilment', header: 'Fulfilment', kind: 'date', weight: 0, value: (row) => row.fulfilmentDueDate },
  { key: 'minVolume', header: 'Minimum volume', kind: 'tonnes', weight: 0, value: ({ minVolume }) => minVolume },
  { key: 'maxVolume', header: 'Maximum volume', kind: 'tonnes', weight: 0, value: ({ maxVolume }) => maxVolume },
  {
    ...{ key: 'minPrice', header: 'Minimum price', kind: 'price', weight: 0 },
    value: ({ minUnitPrice, currency }) => money(minUnitPrice, currency),
  },
  {
    ...{ key: 'maxPrice', header: 'Maximum price', kind: 'price', weight: 0 },
    value: ({ maxUnitPrice, currency }) => money(maxUnitPrice, currency),
  },
  { key: 'timeZone', header: 'Time zone', kind: 'text', weight: 0, value: ({ timeZone }) => timeZone },
  {
    key: 'changedAt',
    header: 'Changed',
    kind: 'moment',
    weight: 0,
    value: (row) => row.changedAt,
    sort: 't.changed_at',
  },
  { key: 'readAt', header: 'Read', kind: 'moment', weight: 0, value: ({ readAt }) => readAt },
  { key: 'figuresAt', header: 'Figures of', kind: 'moment', weight: 0, value: ({ figuresAt }) => figuresAt },
  {
    key: 'missingSince',
    header: 'Missing since',
    kind: 'moment',
    weight: 0,
    value: ({ missingSince }) => missingSince,
  },
  { key: 'valid', header: 'Valid', kind: 'text', weight: 0, value: ({ valid }) => valid },
  { key: 'name', header: 'Name', kind: 'id', weight: 0, value: ({ name }) => name },
  { key: 'id', header: 'Id', kind: 'id', weight: 0, value: ({ id }) => id },
  { key: 'version', header: 'Version', kind: 'id', weight: 0, value: ({ version }) => version },
]

const list = sqlList<RfqRow>({
  name: 'rfqs',
  title: 'RFQs',
  about: 'RFQs with the award on record, or else what is accepted or recommended; the most urgent first.',
  empty: 'No RFQs. `quotekeeper sync` polls the marketplace.',
  columns: COLUMNS,
  filters: [
    {
      ...{ name: 'q', kind: 'words', header: 'Search', where: { words: 'r.search', id: 't.id' } },
      describe: 'Words of number, reference, title, channel, developers and projects, all of them; or the id.',
    },
    {
      ...{ name: 'state', kind: 'choice', header: 'State', values: statesOf, where: 't.state = @state' },
      describe: 'Only RFQs in this state, such as open or closed.',
    },
    channelFilter('t.channel'),
    {
      ...{ name: 'waiting', kind: 'flag', header: 'Waiting', where: `${URGENCY} > 0` },
      describe: 'Only RFQs that wait for a person.',
    },
    {
      ...{ name: 'due_before', kind: 'before', header: 'Due before', where: 't.due_date < @due_before' },
      describe: 'Only RFQs due before this date: 2026-01-31, tomorrow or "in 7 days".',
    },
    {
      ...{ name: 'missing', kind: 'flag', header: 'Missing', where: 't.missing_since is not null' },
      describe: 'Whether they have disappeared from the marketplace.',
    },
    sinceFilter(
      `(t.changed_at > @since or (t.channel, t.id) in
        (select v.channel, v.rfq_id from versions v where v.observed_at > @since and v.kind = 'response'))`,
      'Only RFQs that, or offers of which, are new or changed since',
    ),
  ],
  query: {
    table: 'documents',
    key: ['channel', 'kind', 'rfq_id', 'id'],
    joins: rfqJoins,
    where: IS_RFQ,
    select: {
      ...{ id: 't.id', version: 't.version', dueDate: 't.due_date', missingSince: 't.missing_since' },
      ...{ readAt: 't.full_read_at', valid: 'r.valid' },
      ...{ presentOffers: 'r.offers', computedAt: 'r.computed_at' },
      // Nested, so that SQLite begins with the names of this RFQ, not with those of the channel.
      shared: `case when exists (select 1 from rfq_names m where m.channel = t.channel and m.rfq_id = t.id and exists (
        select 1 from rfq_names n where n.channel = m.channel and n.name = m.name and n.rfq_id <> m.rfq_id))
        then 1 else 0 end`,
    },
    json: { facts: 'r.facts', figures: 'r.figures', standing: 'r.award' },
    order: [
      { expression: URGENCY, descending: true },
      { expression: `case when t.state = 'open' then 0 else 1 end` },
      { expression: `case when t.state = 'open' then coalesce(t.due_date, '9999') end` },
      { expression: 'r.number', descending: true },
    ],
    parameters: dayParameters,
    toRow,
  },
})

/** RFQs with whom to award, the most urgent first. */
export const rfqs: List<RfqRow> = {
  ...list,
  async read(source, request) {
    const page = await list.read(source, request)
    for (const row of await beyondAvailability(source, page.rows)) row.isBeyondAvailability = true
    return page
  },
}

function toRow(record: SqlRow, { source, now }: { source: ListSource; now: Date }): RfqRow {
  const { channel, id, state } = record
  const rules = source.rulesOf(channel)
  const readState = record.readAt === null ? ('not-read' as const) : ('read' as const)
  const facts: RfqFacts = record.facts ?? { ...NO_FACTS, readState }
  const { names: _names, ...terms } = facts
  const responseDueDate: string | null = record.dueDate ?? facts.responseDueDate
  const isNamed = record.shared === 0 && facts.number !== null
  return {
    ...terms,
    ...{ channel, id, state, responseDueDate },
    name: isNamed ? String(facts.number) : nameById(id),
    ...dueOf({ state: record.missingSince === null ? state : null, dueDate: responseDueDate }, rules, now),
    offers: record.presentOffers ?? 0,
    ...{
      version: record.version,
      changedAt: record.changedAt,
      readAt: record.readAt,
      missingSince: record.missingSince,
    },
    valid: record.valid !== 0,
    figures: record.figures ?? NO_FIGURES,
    figuresAt: record.computedAt ?? null,
    isOutdated: record.computedAt != null && record.computedAt < createDayStarts(source.channels, now)(channel),
    standing: record.standing ?? null,
    urgency: record.urgency,
    isBeyondAvailability: false,
  }
}
