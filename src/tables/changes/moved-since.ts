import { allOf } from '../../store/sql/sql-database.js'
import type { ListSource } from '../list.js'

/** What awards of RFQs amounted to at a moment and amount to now, in one currency. */
export interface Moved {
  currency: string
  /** RFQs that are awarded otherwise than at that moment. */
  rfqs: number
  before: Amount
  after: Amount
}

interface Amount {
  tonnes: number
  total: number
}

interface MovedRow {
  before_currency: string | null
  before_tonnes: number | null
  before_total: number | null
  after_currency: string | null
  after_tonnes: number | null
  after_total: number | null
}

/** The award of an RFQ `t` that stood at a moment, or else what was recommended, or else what was recommended first. */
const termsAt = (name: 'before' | 'after', moment: string) => ({
  joins: `
  left join awards ${name}_a on ${name}_a.id = (
    select max(a.id) from awards a where a.channel = t.channel and a.rfq_id = t.rfq_id and a.withdraws is null and a.at <= ${moment}
      and not exists (select 1 from awards w where w.withdraws = a.id and w.at <= ${moment}))
  left join recommendations ${name}_r on ${name}_r.number = (
    select coalesce(max(case when r.at <= ${moment} then r.number end), min(r.number))
    from recommendations r where r.channel = t.channel and r.rfq_id = t.rfq_id)`,
  columns: [
    ['currency', 'currency'],
    ['tonnes', 'tonnes'],
    ['total', 'cost'],
  ]
    .map(
      ([of, recommended]) =>
        `case when ${name}_a.id is null then ${name}_r.${recommended} else ${name}_a.${of} end as ${name}_${of}`,
    )
    .join(', '),
})

/**
 * How awards on record and recommendations moved since a moment, by currency: the sums of the RFQs that are awarded otherwise than then.
 * What was accepted is no longer recommended, but did not move.
 */
export async function movedSince(
  { store: { queries } }: ListSource,
  { since, now, channel }: { since: Date; now: Date; channel?: string | undefined },
): Promise<Moved[]> {
  const [before, after] = [termsAt('before', '@since'), termsAt('after', '@now')]
  const where = allOf('at > @since and at <= @now', channel !== undefined && 'channel = @channel')
  const rows = await queries.all<MovedRow>(
    `select ${before.columns}, ${after.columns}
    from (
      select channel, rfq_id from recommendations where ${where}
      union
      select channel, rfq_id from awards where ${where}
    ) t ${before.joins} ${after.joins}
    where (before_a.id is not null or before_r.status <> 'accepted') and (after_a.id is not null or after_r.status <> 'accepted')
    order by t.channel, t.rfq_id`,
    { since: since.toISOString(), now: now.toISOString(), channel: channel ?? null },
  )
  const moved = new Map<string, Moved>()
  for (const row of rows) {
    if (row.before_currency === row.after_currency && row.before_total === row.after_total) continue
    for (const at of ['before', 'after'] as const) {
      const currency = row[`${at}_currency`]
      if (currency === null) continue
      const none = { currency, rfqs: 0, before: { tonnes: 0, total: 0 }, after: { tonnes: 0, total: 0 } }
      const sums = moved.get(currency) ?? none
      sums[at].tonnes += row[`${at}_tonnes`] ?? 0
      sums[at].total += row[`${at}_total`] ?? 0
      if (at === 'before' || row.before_currency !== currency) sums.rfqs++
      moved.set(currency, sums)
    }
  }
  return [...moved.values()].sort(
    (a, b) => Math.abs(b.after.total - b.before.total) - Math.abs(a.after.total - a.before.total),
  )
}
