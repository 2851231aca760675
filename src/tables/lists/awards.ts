import type { AwardRecord } from '../../core/decision/award-record.js'
import { nameById } from '../../core/text/rfq-name.js'
import type { AwardBrief } from '../../figures/rfq-figures.js'
import { column, field, money, type SqlRow } from '../column.js'
import { channelFilter, choiceFilter, RFQ_FILTER, sinceFilter } from '../filter.js'
import { sqlList } from '../list.js'
import { awardPath } from '../page-paths.js'

/** What the marketplace shows of an award; those about which a person has to do something come first. */
const AWARD_STATES = ['differs', 'waiting', 'accepted', 'no-award', 'withdrawn'] as const

const STATE = `case when w.id is not null then 'withdrawn' when t.offers = '[]' then coalesce(r.award_status, 'no-award')
  else coalesce(r.award_status, 'waiting') end`
const ORDER = `case ${STATE} when 'differs' then 0 when 'waiting' then 1 else 2 end`

const offersOf = ({ offers }: SqlRow) => offers as AwardRecord['offers']
const briefOf = ({ brief, state }: SqlRow) => (state === 'withdrawn' ? null : (brief as AwardBrief | null))

/** The awards that the desk put on record. */
export const awards = sqlList({
  name: 'awards',
  title: 'Awards',
  about:
    'Awards on record, those that differ from the marketplace or wait for acceptance first, then the newest first.',
  empty: 'No award is on record. `quotekeeper award` records one.',
  columns: [
    field('id', 'Award', 'id', 6, 't.id'),
    field('at', 'Recorded', 'moment', 8, 't.at'),
    field('rfq', 'RFQ', 'id', 9, 't.rfq_number', {
      value: ({ rfq, rfqId }) => rfq ?? rfqId,
      link: ({ channel, rfqId }) => awardPath(channel, nameById(rfqId)),
    }),
    field('title', 'Title', 'text', 7, 'r.title', {
      value: ({ facts }) => facts?.title ?? null,
    }),
    field('channel', 'Channel', 'text', 7, 't.channel'),
    field('state', 'State', 'state', 9, STATE),
    column('offers', 'Offers', 'text', 9, (row: SqlRow) => offersOf(row).map(({ name }) => name)),
    field('tonnes', 'Tonnes', 'tonnes', 7, 't.tonnes'),
    field('price', 'Price', 'price', 8, 't.price_per_tonne', { value: (row) => money(row.price, row.currency) }),
    field('total', 'Total', 'money', 8, 't.total', { value: (row) => money(row.total, row.currency) }),
    field('followed', 'As recommended', 'text', 5, 't.followed', { value: ({ followed }) => followed === 1 }),
    field('because', 'Because', 'text', 4, 't.because'),
    field('by', 'By', 'text', 6, 't.by_whom'),
    column('acceptBy', 'Accept by', 'date', 7, (row: SqlRow) =>
      row.state === 'waiting'
        ? (offersOf(row)
            .flatMap(({ expiryDate }) => expiryDate ?? [])
            .sort()[0] ?? null)
        : null,
    ),
    column(
      'shows',
      'What the marketplace shows',
      'text',
      5,
      (row: SqlRow) =>
        briefOf(row)
          ?.findings.map(({ message }) => message)
          .join(' ') || null,
    ),
    column('next', 'Next step', 'text', 6, (row: SqlRow) => briefOf(row)?.next ?? null),
    field('asOf', 'As of', 'moment', 0, 't.as_of'),
    field('withdrawnAt', 'Withdrawn', 'moment', 3, 'w.at'),
    field('withdrawnBy', 'Withdrawn by', 'text', 3, 'w.by_whom'),
    field('withdrawnBecause', 'Withdrawn because', 'text', 3, 'w.because'),
    field('rfqId', 'Id of the RFQ', 'id', 0, 't.rfq_id'),
    field('workbookSha256', 'SHA-256 of the workbook', 'id', 0, 't.workbook_sha256'),
    field('hash', 'Hash', 'id', 0, 't.hash'),
  ],
  filters: [
    channelFilter(),
    RFQ_FILTER,
    choiceFilter('state', 'State', AWARD_STATES, 'Only awards in this state.', `${STATE} = @state`),
    sinceFilter('(t.at > @since or w.at > @since)', 'Only awards that were recorded or withdrawn since'),
  ],
  query: {
    table: 'awards',
    key: ['id'],
    where: 't.withdraws is null',
    joins: ({ leftJoin }) =>
      `${leftJoin('awards', 'w', 'w.withdraws = t.id')} ${leftJoin('figures', 'r', 'r.channel = t.channel and r.rfq_id = t.rfq_id')}`,
    select: { currency: 't.currency' },
    json: { offers: 't.offers', brief: 'r.award', facts: 'r.facts' },
    order: [{ expression: ORDER }, { expression: 't.id', descending: true }],
  },
})
