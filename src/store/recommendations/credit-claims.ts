import type { CreditClaim } from '../../core/decision/credit-claim.js'
import { comparableId } from '../../core/documents/identifier.js'
import { plausibleOrNull } from '../../core/numbers.js'
import { isCalendarDate } from '../../core/time/calendar-days.js'
import { fromStoredText, toStoredText } from '../documents/stored-text.js'
import type { Dialect, Queries } from '../sql/sql-database.js'
import type { RecommendationQueries } from './recommendation-contract.js'

interface ClaimRow {
  channel: string
  rfq_id: string
  number: number | null
  offer_id: string
  kind: CreditClaim['kind']
  listing_id: string
  reporting_period_start: unknown
  reporting_period_end: unknown
  volume: unknown
}

const standing = (rfq: string) => `a.channel = ${rfq}.channel and a.rfq_id = ${rfq}.rfq_id and ${STANDS}`
const STANDS = 'a.withdraws is null and not exists (select 1 from awards w where w.withdraws = a.id)'
/** Whether an RFQ has an offer for one of the listings. The expression keeps engines from reading all RFQs of a listing for each. */
const shares = (channel: string, rfqId: string) => `exists (select 1 from rfq_listings l
  where l.channel = ${channel} and l.rfq_id = ${rfqId} and l.listing_id || '' in (select listing_id from mine))`

/**
 * Starts from open RFQs, closed ones that are undecided, and standing awards, which are few, not from all RFQs ever. An accepted offer is
 * found by its status, in RFQs of which something accepted is at stake.
 */
const claims = ({ anyOf, elementsOf, joinOne }: Dialect) => `
with mine as (
  select distinct listing_id from rfq_listings where channel = @channel and ${anyOf('rfq_id', '@ids')}
), undecided as (
  select e.channel, e.id as rfq_id from documents e
  where e.kind = 'rfq' and e.channel in (select channel from channels) and e.state = 'open' and e.missing_since is null
    and ${shares('e.channel', 'e.id')}
  union
  select q.channel, q.rfq_id from rfq_rows q
  where q.attention > 0 and q.channel in (select channel from channels) and q.figures like '%"undecided":true%'
    and ${shares('q.channel', 'q.rfq_id')}
), claimed as (
  select u.channel, u.rfq_id, 'recommended' as kind, o.value ->> 'id' as id from undecided u
  ${joinOne('recommendations', 'r', 'r.channel = u.channel and r.rfq_id = u.rfq_id and r.superseded_at is null')}
  cross join ${elementsOf('r.offers')} o
  where not exists (select 1 from awards a where ${standing('u')})
  union all
  select a.channel, a.rfq_id, 'awarded', o.value ->> 'id' from awards a
  cross join ${elementsOf('a.offers')} o
  where ${STANDS} and ${shares('a.channel', 'a.rfq_id')}
  union all
  select u.channel, u.rfq_id, 'accepted', d.id from undecided u
  ${joinOne('rfq_rows', 'q', `q.channel = u.channel and q.rfq_id = u.rfq_id and q.stakes like '%"accepted"%'`)}
  ${joinOne('documents', 'd', `d.channel = u.channel and d.kind = 'response' and d.rfq_id = u.rfq_id`)}
)
select c.channel, c.rfq_id, q.number, c.id as offer_id, c.kind, o.listing_id,
  v.reporting_period_start, v.reporting_period_end, v.volume
from claimed c
${joinOne('offers', 'o', 'o.channel = c.channel and o.rfq_id = c.rfq_id and o.id = c.id')}
${joinOne('offer_vintages', 'v', 'v.channel = c.channel and v.rfq_id = c.rfq_id and v.response_id = c.id')}
${joinOne('rfq_rows', 'q', 'q.channel = c.channel and q.rfq_id = c.rfq_id')}
where (c.kind = 'accepted') = (coalesce(o.status, '') = 'accepted') and coalesce(o.status, '') <> 'rejected'
  and lower(o.listing_id) in (select lower(listing_id) from mine)
order by c.channel, q.number, c.rfq_id, c.id, v.delivery, v.vintage`

/** Reads claims on credits, all of them for each call: nothing is kept. */
export const createCreditClaims =
  (queries: Queries): RecommendationQueries['creditClaims'] =>
  async (channel, rfqIds) => {
    const rows = await queries.all<ClaimRow>(claims(queries.dialect), { channel, ids: rfqIds.map(toStoredText) })
    return rows.map((row) => ({
      ...{ listingId: comparableId(row.listing_id), channel: row.channel, rfqId: fromStoredText(row.rfq_id) },
      ...{ rfqNumber: row.number, offerId: fromStoredText(row.offer_id), kind: row.kind },
      ...{ periodStart: dateOrNull(row.reporting_period_start), periodEnd: dateOrNull(row.reporting_period_end) },
      volume: typeof row.volume === 'number' ? plausibleOrNull(row.volume) : null,
    }))
  }

const dateOrNull = (text: unknown) => (typeof text === 'string' && isCalendarDate(text) ? text : null)
