import { fromStoredText, toStoredText } from '../documents/stored-text.js'
import { allOf, type Dialect, type Queries, type Transaction } from '../sql-database.js'
import type { ListedRfq, ListedRfqFilter, RecommendationQueries, RfqRow } from './recommendation-contract.js'

/** Replaces the row of an RFQ, and the listings that its offers name. */
export async function recordRow(tx: Transaction, row: RfqRow, listings: readonly string[]): Promise<void> {
  const key = { channel: row.channel, rfqId: toStoredText(row.rfqId) }
  await tx.run('delete from rfq_rows where channel = @channel and rfq_id = @rfqId', key)
  await tx.run(
    `insert into rfq_rows (channel, rfq_id, version, valid, offers, facts, figures, award, computed_at, engine_version)
    values (@channel, @rfqId, @version, @valid, @offers, @facts, @figures, @award, @computedAt, @engineVersion)`,
    { ...row, ...key, valid: row.valid ? 1 : 0 },
  )
  await tx.run('delete from offer_listings where channel = @channel and rfq_id = @rfqId', key)
  for (const listingId of new Set(listings.map(toStoredText)))
    await tx.run('insert into offer_listings (channel, listing_id, rfq_id) values (@channel, @listingId, @rfqId)', {
      ...key,
      listingId,
    })
}

interface ListedRow {
  channel: string
  id: string
  version: number
  changed_at: string
  missing_since: string | null
  read_at: string | null
  is_dirty: number
  /** This and the following: null without a row. */
  valid: number | null
  offers: number
  facts: string
  computed_at: string
}

const toListed = (row: ListedRow): ListedRfq => ({
  channel: row.channel,
  rfqId: fromStoredText(row.id),
  version: row.version,
  changedAt: row.changed_at,
  missingSince: row.missing_since,
  readAt: row.read_at,
  row:
    row.valid === null
      ? null
      : {
          valid: row.valid === 1,
          offers: row.offers,
          facts: row.facts,
          computedAt: row.computed_at,
        },
  isDirty: row.is_dirty === 1,
})

const selectListed = ({ leftJoin }: Dialect, where: string) => `
select e.channel, e.id, e.version, e.changed_at, e.missing_since, e.full_read_at as read_at,
  case when d.rfq_id is null then 0 else 1 end as is_dirty,
  r.valid, r.offers, r.facts, r.computed_at
from documents e
${leftJoin('rfq_rows', 'r', 'r.channel = e.channel and r.rfq_id = e.id')}
${leftJoin('dirty_rfqs', 'd', 'd.channel = e.channel and d.rfq_id = e.id')}
where e.kind = 'rfq' and e.rfq_id = '' and ${where}
order by e.channel, e.id`

export const createRfqRowQueries = (
  queries: Queries,
): Pick<RecommendationQueries, 'listedRfqs' | 'rfqFigures' | 'rfqRow' | 'awardStates'> => ({
  async listedRfqs({ channel, ids }: ListedRfqFilter) {
    const where = allOf(
      channel === undefined ? 'e.channel in (select channel from channels)' : 'e.channel = @channel',
      ids !== undefined && queries.dialect.anyOf('e.id', '@ids'),
    )
    const parameters = { channel: channel ?? null, ids: ids?.map(toStoredText) ?? [] }
    return (await queries.all<ListedRow>(selectListed(queries.dialect, where), parameters)).map(toListed)
  },
  async rfqRow(channel, rfqId) {
    const row = await queries.get<{ computed_at: string }>(
      'select computed_at from rfq_rows where channel = @channel and rfq_id = @rfqId',
      { channel, rfqId: toStoredText(rfqId) },
    )
    return row ? { computedAt: row.computed_at } : null
  },
  async awardStates(channel) {
    const rows = await queries.all<{ channel: string; rfq_id: string; award: string; computed_at: string }>(
      `select r.channel, r.rfq_id, r.award, r.computed_at from rfq_rows r
      where r.award is not null and ${allOf(channel !== undefined && 'r.channel = @channel')}
        and not exists (select 1 from dirty_rfqs d where d.channel = r.channel and d.rfq_id = r.rfq_id)`,
      { channel: channel ?? null },
    )
    return rows.map(({ rfq_id, computed_at, ...row }) => ({
      ...{ channel: row.channel, rfqId: fromStoredText(rfq_id), award: row.award, computedAt: computed_at },
    }))
  },
  async rfqFigures(channel, rfqIds) {
    const rows = await queries.all<{ rfq_id: string; figures: string }>(
      `select rfq_id, figures from rfq_rows where channel = @channel and ${queries.dialect.anyOf('rfq_id', '@ids')}`,
      { channel, ids: rfqIds.map(toStoredText) },
    )
    return new Map(rows.map(({ rfq_id, figures }) => [fromStoredText(rfq_id), figures]))
  },
})
