import type { AwardTerms } from '../../core/events/events.js'
import { nameById } from '../../core/text/rfq-name.js'
import { type Column, column, type Money, money, type SqlRow } from '../column.js'
import { channelFilter, choiceFilter, RFQ_FILTER, sinceFilter } from '../filter.js'
import { sqlList } from '../list.js'
import { rfqPath } from '../page-paths.js'

const LABELS = { rfq: 'RFQ', offer: 'Offer', recommendation: 'Recommendation', award: 'Award' }

/** What can change an award, and what cannot. */
const MONEY_KINDS = `'award.recorded', 'award.withdrawn', 'recommendation.changed'`
const OTHER_KINDS = `'rfq.new', 'rfq.changed', 'rfq.closed', 'offer.new', 'offer.late', 'offer.changed', 'offer.withdrawn'`
/** As the index events_by_weight has it. */
const IS_MONEY = `case when t.kind in (${MONEY_KINDS}) then 1 else 0 end`

/** The last observation before it; null for what was not observed, and for a first version. */
const NOT_BEFORE = `(select v.not_before from versions v where v.channel = t.channel and v.version = t.version
  and v.kind = case when t.offer_id is null then 'rfq' else 'response' end
  and v.rfq_id = case when t.offer_id is null then '' else t.rfq_id end and v.id = coalesce(t.offer_id, t.rfq_id))`

const aboutOf = ({ kind }: SqlRow): keyof typeof LABELS => kind.slice(0, kind.indexOf('.'))

/** `RFQ`, `Recommendation`, `Award`, or developer and project of the offer. */
const labelOf = (row: SqlRow): string => {
  const { projectDeveloperName, projectName } = row.data.offer ?? {}
  return [projectDeveloperName, projectName].filter(Boolean).join(' · ') || LABELS[aboutOf(row)]
}

/** The events of RFQs: awards on record and recommended ones, then the documents. */
export const changes = sqlList<SqlRow>({
  name: 'changes',
  title: 'Changes',
  about: 'What changed: first the awards and recommendations, then RFQs and offers; each newest first.',
  empty: 'Nothing changed in this period.',
  columns: [
    column('observedAt', 'Seen', 'moment', 9, ({ at }) => at, {
      link: ({ channel, rfqId, at }) => `${rfqPath(channel, nameById(rfqId))}?as_of=${at}`,
    }),
    column('notBefore', 'After', 'moment', 0, ({ notBefore }) => notBefore),
    column('rfq', 'RFQ', 'id', 9, ({ data, rfqId }) => data.rfq?.number ?? rfqId, {
      link: ({ channel, rfqId }) => rfqPath(channel, nameById(rfqId)),
    }),
    column('rfqId', 'Id of the RFQ', 'id', 0, ({ rfqId }) => rfqId),
    column('of', 'Of', 'text', 8, labelOf),
    column('changes', 'What changed', 'text', 9, ({ data }) => (data.messages ?? []).join(' ')),
    ...termsColumns('after', '', 5),
    column('moved', 'Difference', 'money', 8, movedBy),
    column('title', 'Title', 'text', 4, ({ data }) => data.rfq?.title ?? null),
    column('channel', 'Channel', 'text', 7, ({ channel }) => channel),
    column('kind', 'Kind', 'text', 0, aboutOf),
    column('id', 'Id', 'id', 0, ({ offerId, rfqId }) => offerId ?? rfqId),
    column('version', 'Version', 'id', 0, ({ version }) => version),
    column('sequence', 'Sequence', 'id', 0, ({ sequence }) => sequence),
    ...termsColumns('before', ' before', 0),
  ],
  filters: [
    // An expression, so that events are read in their order, not by the index of RFQs.
    channelFilter(`t.channel || ''`),
    RFQ_FILTER,
    choiceFilter(
      'kind',
      'About',
      ['money', ...Object.keys(LABELS)],
      'Only changes of offers, recommendations, awards, or RFQs; `money`: recommendations and awards.',
      `(t.kind like @kind || '.%' or (@kind = 'money' and ${IS_MONEY} = 1))`,
    ),
    sinceFilter('t.at >= @since', 'Only what was seen since'),
  ],
  query: {
    table: 'events',
    key: ['sequence'],
    where: `t.kind in (${MONEY_KINDS}, ${OTHER_KINDS})`,
    select: {
      ...{ sequence: 't.sequence', kind: 't.kind', at: 't.at', channel: 't.channel', rfqId: 't.rfq_id' },
      ...{ offerId: 't.offer_id', version: 't.version', notBefore: NOT_BEFORE },
    },
    json: { data: 't.data' },
    order: [IS_MONEY, 't.at', 't.sequence'].map((expression) => ({ expression, descending: true })),
  },
})

/** What an RFQ was to be awarded by before, or from then on; null if that did not move, or there was no award. */
export const termsOf = ({ data }: SqlRow, at: 'before' | 'after'): AwardTerms | null => data.moved?.[at] ?? null

function termsColumns(at: 'before' | 'after', word: string, weight: number): Column<SqlRow>[] {
  return [
    column(`${at}Offers`, `Awarded offers${word}`, 'text', 0, (row) => termsOf(row, at)?.offers ?? null),
    column(`${at}Tonnes`, `Tonnes${word}`, 'tonnes', weight, (row) => termsOf(row, at)?.tonnes ?? null),
    column(`${at}Total`, `Total${word}`, 'money', weight, (row) =>
      money(termsOf(row, at)?.total, termsOf(row, at)?.currency),
    ),
  ]
}

/** By how much the total moved; null if nothing moved, or the currencies differ. */
function movedBy(row: SqlRow): Money | null {
  const [before, after] = [termsOf(row, 'before'), termsOf(row, 'after')]
  const currency = (after ?? before)?.currency
  if (currency === undefined || (before ?? after)?.currency !== currency) return null
  return money((after?.total ?? 0) - (before?.total ?? 0) || null, currency)
}
