import { type RfqFacts, rfqFacts } from '../../compare/rfq/rfq-terms.js'
import { RFQ_STATES } from '../../core/documents/documents.js'
import { nameById } from '../../core/text/rfq-name.js'
import { addDays } from '../../core/time/calendar-days.js'
import { EARLIEST_DUE_DATE, startOfDate } from '../../core/time/expiry.js'
import { NO_FIGURES } from '../../figures/rfq-figures.js'
import type { Queries } from '../../store/contract.js'
import { SETTLED } from '../../store/figures/figure-contract.js'
import type { Dialect } from '../../store/sql/sql-database.js'
import { dueOf } from '../channels/channel-rules.js'
import { type Column, column, money, type SqlRow } from '../column.js'
import { channelFilter, choiceFilter, sinceFilter } from '../filter.js'
import { sqlList } from '../list.js'
import { rfqPath } from '../page-paths.js'
import type { ViewSource } from '../source.js'
import { beyondAvailability } from './credit-availability.js'
import { basisOf, doubtsOf, type KnownRfq, marksOf, type RfqRow, stepOf } from './rfq-row.js'

/** RFQs that are due within so many days, today included, wait for a person. */
export const DUE_WITHIN_DAYS = 7

/** Without placeholders of a due date, and without RFQs that are decided, until they are overdue. */
const IS_DUE = `t.state = 'open' and t.missing_since is null and t.due_date >= '${EARLIEST_DUE_DATE}'
  and (t.due_date < c.today or coalesce(r.award_status, '') not in ('accepted', 'no-award'))`
/** The one definition of urgency: now if due by tomorrow, overdue, or an award needs a person now; soon if due within a week, or something waits. */
export const URGENCY = `case
  when coalesce(r.attention, 0) = 2 or (${IS_DUE} and t.due_date <= c.tomorrow) then 2
  when coalesce(r.attention, 0) = 1 or (${IS_DUE} and t.due_date <= c.due_by) then 1
  else 0 end`

/** Rows of figures and the days of channels, joined with a row `t` of `documents` that is an RFQ. */
export const rfqJoins = ({ leftJoin, elementsOf }: Dialect): string =>
  `${leftJoin('figures', 'r', 'r.channel = t.channel and r.rfq_id = t.id')}
  ${leftJoin(
    `(select value ->> 'channel' as channel, value ->> 'today' as today, value ->> 'tomorrow' as tomorrow, value ->> 'dueBy' as due_by, value ->> 'start' as start from ${elementsOf('@days')})`,
    'c',
    'c.channel = t.channel',
  )}`

/** RFQs of channels that are stored: rows `t` of `documents`. */
export const IS_RFQ = `t.kind = 'rfq' and t.channel in (select channel from channels)`

/** The parameter `@days` of `rfqJoins`. */
export async function dayParameters({ store, rulesOf }: ViewSource, now: Date) {
  const days = (await store.storedChannels()).map((channel) => {
    const { calendar } = rulesOf(channel)
    const today = calendar.dateAt(now)
    const start = startOfDate(today, calendar)?.toISOString()
    return { channel, today, tomorrow: addDays(today, 1), dueBy: addDays(today, DUE_WITHIN_DAYS), start }
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

const pathOf = ({ channel, name }: KnownRfq) => rfqPath(channel, name)

const NAMES: readonly Column<KnownRfq>[] = [
  column('number', 'RFQ', 'id', 9, ({ number, id }) => number ?? id, { sort: 'r.number', link: pathOf }),
  column('title', 'Title', 'text', 7, ({ title }) => title, { sort: 'r.title', link: pathOf }),
  column('channel', 'Channel', 'text', 8, ({ channel }) => channel, { sort: 't.channel' }),
  column('due', 'Due', 'date', 9, (row) => row.responseDueDate, { sort: 't.due_date' }),
]
const TERMS: readonly Column<KnownRfq>[] = [
  column('unreadOffers', 'Offers not read', 'count', 0, (row) => row.unreadOffers),
  column('state', 'State as sent', 'text', 0, ({ state }) => state, { sort: 't.state' }),
  column('daysToDue', 'Days to due', 'count', 0, ({ daysToDue }) => daysToDue),
  column('reference', 'Reference', 'text', 0, ({ reference }) => reference),
  column('fulfilment', 'Fulfilment', 'date', 0, (row) => row.fulfilmentDueDate),
  column('minVolume', 'Minimum volume', 'tonnes', 0, ({ minVolume }) => minVolume),
  column('maxVolume', 'Maximum volume', 'tonnes', 0, ({ maxVolume }) => maxVolume),
  column('minPrice', 'Minimum price', 'price', 0, ({ minUnitPrice, currency }) => money(minUnitPrice, currency)),
  column('maxPrice', 'Maximum price', 'price', 0, ({ maxUnitPrice, currency }) => money(maxUnitPrice, currency)),
  column('timeZone', 'Time zone', 'text', 0, ({ timeZone }) => timeZone),
  column('name', 'Name', 'id', 0, ({ name }) => name),
  column('id', 'Id', 'id', 0, ({ id }) => id),
]
/** What documents say of an RFQ. */
export const RFQ_FACTS: readonly Column<KnownRfq>[] = [...NAMES, ...TERMS]

const COLUMNS: readonly Column<RfqRow>[] = [
  ...NAMES,
  column('marks', 'State', 'state', 8, marksOf),
  column('offers', 'Offers', 'count', 5, ({ offers }) => offers, { sort: 'r.offers' }),
  column('wanted', 'Wanted', 'tonnes', 5, ({ figures }) => figures.wanted, { sort: 'r.wanted' }),
  column('award', 'Award', 'text', 9, (row) => decided(row)?.offers ?? null, { sort: 'r.recommended' }),
  column('basis', 'Basis', 'state', 7, basisOf),
  column('tonnes', 'Tonnes', 'tonnes', 5, (row) => decided(row)?.tonnes ?? null),
  column('price', 'Price', 'price', 8, (row) => money(decided(row)?.pricePerTonne, decided(row)?.currency), {
    sort: 'r.price',
  }),
  column('limit', 'Limit', 'price', 4, ({ figures: { limit, currency }, maxUnitPrice, currency: own }) =>
    limit === null ? money(maxUnitPrice, own) : money(limit, currency),
  ),
  column('total', 'Total', 'money', 7, (row) => money(decided(row)?.total, decided(row)?.currency), {
    sort: 'r.total',
  }),
  column('coverage', 'Covered', 'percent', 4, ({ figures }) => figures.coverage, { sort: 'r.coverage' }),
  column('savings', 'Savings', 'money', 1, (row) => money(decided(row)?.savings, decided(row)?.currency)),
  column('doubts', 'Doubts', 'state', 9, doubtsOf),
  column('step', 'Next step', 'text', 9, (row) => stepOf(row)?.message ?? null, {
    link: (row) => stepOf(row)?.path ?? null,
  }),
  column('bestPrice', 'Best price', 'price', 0, ({ figures }) => money(figures.bestPricePerTonne, figures.currency), {
    sort: 'r.best_price',
  }),
  column('bestOffer', 'Best offer', 'text', 0, ({ figures }) => figures.bestPriceOffer),
  column('ranked', 'Offers that compete', 'count', 0, ({ figures }) => figures.ranked),
  column('noAward', 'Why no award', 'text', 0, ({ figures }) => figures.noAward),
  column('command', 'Command', 'text', 0, (row) => stepOf(row)?.command ?? null),
  column('urgency', 'Urgency', 'count', 0, ({ urgency }) => urgency, { sort: URGENCY }),
  column('changedAt', 'Changed', 'moment', 0, (row) => row.changedAt, { sort: 't.changed_at' }),
  column('readAt', 'Read', 'moment', 0, ({ readAt }) => readAt),
  column('figuresAt', 'Figures of', 'moment', 0, ({ figuresAt }) => figuresAt),
  column('missingSince', 'Missing since', 'moment', 0, ({ missingSince }) => missingSince),
  column('valid', 'Valid', 'text', 0, ({ valid }) => valid),
  ...TERMS,
  column('version', 'Version', 'id', 0, ({ version }) => version),
]

/** RFQs with whom to award, the most urgent first. */
export const rfqs = sqlList<RfqRow>({
  name: 'rfqs',
  title: 'RFQs',
  about: 'RFQs with the award on record, or else what is accepted or recommended; the most urgent first.',
  empty: 'No RFQs. `quotekeeper sync` polls the marketplace.',
  columns: COLUMNS,
  filters: [
    {
      ...{ name: 'q', kind: 'words', header: 'Search', where: 'r.search' },
      describe: 'Words of number, reference, title, channel, developers and projects, all of them; or the id.',
    },
    choiceFilter('state', 'State', statesOf, 'Only RFQs in this state, such as open or closed.'),
    channelFilter(),
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
      ...{ presentOffers: 'r.offers', figuresAt: 'r.computed_at' },
      isOutdated: `case when r.key <> '${SETTLED}' and r.computed_at < c.start then 1 else 0 end`,
      shared: `case when exists (
        select 1 from figures n where n.channel = t.channel and n.number = r.number and n.rfq_id <> t.id)
        then 1 else 0 end`,
    },
    json: { facts: 'r.facts', figures: 'r.figures', standing: 'r.award', stakes: 'r.stakes' },
    order: [
      { expression: URGENCY, descending: true },
      { expression: `case when t.state = 'open' then 0 else 1 end` },
      { expression: `case when t.state = 'open' then coalesce(t.due_date, '9999') end` },
      { expression: 'r.number', descending: true },
    ],
    parameters: dayParameters,
    toRows,
  },
})

async function toRows(records: SqlRow[], source: ViewSource, now: Date): Promise<RfqRow[]> {
  const rows = records.map((record) => toRow(record, source, now))
  for (const row of await beyondAvailability(source, rows)) row.isBeyondAvailability = true
  return rows
}

function toRow(record: SqlRow, source: ViewSource, now: Date): RfqRow {
  const { channel, id, state, version, changedAt, readAt, missingSince, figuresAt, urgency, standing } = record
  const readState = readAt === null ? ('not-read' as const) : ('read' as const)
  const facts: RfqFacts = record.facts ?? rfqFacts({ document: null, shape: 'full', readState })
  const responseDueDate: string | null = record.dueDate ?? facts.responseDueDate
  return {
    ...{ ...facts, channel, id, state, responseDueDate, version, changedAt, readAt, missingSince, figuresAt, urgency },
    name: record.shared === 0 && facts.number !== null ? String(facts.number) : nameById(id),
    ...dueOf({ state: missingSince === null ? state : null, dueDate: responseDueDate }, source.rulesOf(channel), now),
    offers: record.presentOffers ?? 0,
    valid: record.valid !== 0,
    figures: record.figures ?? NO_FIGURES,
    stakes: record.stakes ?? [],
    isOutdated: record.isOutdated === 1,
    ...{ standing, isBeyondAvailability: false },
  }
}
