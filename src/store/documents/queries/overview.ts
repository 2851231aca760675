import type { AwardTerms, RevisedAward, Revision, RevisionKind } from '../../../core/records.js'
import type { Overview, RevisionFilter, RfqCount } from '../../contract.js'
import { InvalidCursorError } from '../../errors.js'
import { allOf, type Queries } from '../../sql/sql-database.js'
import { sameDocument, VERSION_COLUMNS } from '../document-rows.js'
import { fromStoredText, isStorable, toStoredText } from '../stored-text.js'
import { MAX_TIMESTAMP, type StoredVersion, toVersion, versionsOfRfq } from './history.js'

/** Queries across all RFQs, which read only the documents that they return. */
export function createOverview(queries: Queries): Overview {
  return {
    storedChannels: () => storedChannels(queries),
    async revisions({ before, limit, ...filter }) {
      const [beforeAt, beforeKey] = parseCursor(before)
      const parameters = { ...periodOf(filter), rfqId: storedOrNull(filter.rfqId), beforeAt, beforeKey, limit }
      return toRevisions(await queries.all<RevisionRow>(revisionsQuery(filter), parameters))
    },
    rfqCounts: (channel) =>
      queries.all<RfqCount>(
        `select state, due_date as "dueDate", count(*) as count from documents
        where channel = @channel and kind = 'rfq' and missing_since is null group by state, due_date`,
        { channel },
      ),
  }
}

async function storedChannels(queries: Queries): Promise<string[]> {
  const rows = await queries.all<{ channel: string }>('select channel from channels order by channel')
  return rows.map(({ channel }) => channel)
}

const MIN_TIMESTAMP = ''
const storedOrNull = (id: string | undefined) => (id === undefined ? null : toStoredText(id))
const periodOf = ({ channel, after, asOf }: Omit<RevisionFilter, 'rfqId' | 'kinds'>) => ({
  channel: channel ?? null,
  after: after?.toISOString() ?? MIN_TIMESTAMP,
  asOf: asOf?.toISOString() ?? MAX_TIMESTAMP,
})

// --- revisions ------------------------------------------------------------------------------------------------------

/** A revision joined with its version or the previous one, or with recommendations and an award. */
interface RevisionRow
  extends StoredVersion,
    Record<`${Terms}_${'offers' | 'currency'}`, string | null>,
    Record<`${Terms}_${'tonnes' | 'total' | 'price_per_tonne'}`, number | null> {
  event: Revision['event']
  of_channel: string
  of_kind: Revision['kind']
  of_rfq_id: string
  of_id: string
  of_version: number | null
  reason: string | null
  since: string | null
  at: string
  key: string
  closed_by_us: number
  followed: number | null
  /** Whether an award stood or an offer was accepted, so that another recommendation moves nothing. */
  is_decided: number | null
  withdraws: number | null
  by_whom: string | null
  because: string | null
}

/** The order of revisions of one moment: by channel and RFQ, the RFQ itself first, because the order is descending. */
const keyOf = (event: string) =>
  `t.channel || '\t' || case t.kind when 'response' then t.rfq_id || '\ta' else t.id || '\tz' end
    || '\t' || t.id || '\t' || ${event} || substr(cast(10000000000 + t.version as text), 2)`

/** The period of a filter, and what follows the cursor. @param at the moment of a row of `t` */
const periodCondition = (at: string, key: string): string =>
  `${at} >= @after and ${at} <= @asOf and ${at} <= @beforeAt and (${at} < @beforeAt or ${key} < @beforeKey)`

const includes = ({ kinds }: RevisionFilter, kind: RevisionKind) => kinds === undefined || kinds.includes(kind)

/** Versions, and that an RFQ was missing or returned: versions of its list entry without a body, and those after them. */
function observedFrom(filter: RevisionFilter): string {
  const kinds = [
    ...(includes(filter, 'rfq') ? ['rfq', 'rfq-entry'] : []),
    ...(includes(filter, 'offer') ? ['response'] : []),
  ]
  const event = `case when t.kind <> 'rfq-entry' then 'version' when t.bodies = 0 then 'missing' else 'returned' end`
  const key = keyOf(event)
  const where = allOf(
    periodCondition('t.observed_at', key),
    `t.kind in (${kinds.map((kind) => `'${kind}'`).join(', ')})`,
    `(t.kind <> 'rfq-entry' or t.bodies = 0 or exists (select 1 from versions w
      where ${sameDocument('w', 't')} and w.version = t.version - 1 and w.bodies = 0))`,
    filter.channel !== undefined && 't.channel = @channel',
  )
  return `
select * from (
  select ${event} as event, t.channel, case t.kind when 'rfq-entry' then 'rfq' else t.kind end as kind, t.rfq_id, t.id,
    case when t.kind <> 'rfq-entry' then t.version end as version, t.not_before as since, t.observed_at as at,
    cast(null as text) as reason, cast(null as integer) as item, ${key} as key
  from ${filter.rfqId === undefined ? 'versions' : versionsOfRfq(`'rfq', 'rfq-entry'`)} t
  where ${where}
  order by t.observed_at desc, key desc limit @limit
) observed`
}

/** What was recorded of an RFQ rather than observed: recommendations of another award or total than before, and awards of the desk. */
function recordedFrom(event: 'recommendation' | 'award', filter: RevisionFilter): string {
  const [table, reason, item, condition] =
    event === 'recommendation'
      ? (['recommendations', 't.reason', 't.number', OTHER_TOTAL] as const)
      : (['awards', 'cast(null as text)', 't.id', false] as const)
  const number = event === 'award' ? ` || substr(cast(10000000000 + t.id as text), 2)` : ''
  const key = `t.channel || '\t' || t.rfq_id || '\tz\t' || t.rfq_id || '\t${event}'${number}`
  const where = allOf(
    condition,
    periodCondition('t.at', key),
    filter.channel !== undefined && 't.channel = @channel',
    filter.rfqId !== undefined && 't.rfq_id = @rfqId',
  )
  return `
select * from (
  select '${event}' as event, t.channel, 'rfq' as kind, '' as rfq_id, t.rfq_id as id, cast(null as integer) as version,
    cast(null as text) as since, t.at, ${reason} as reason, ${item} as item, ${key} as key
  from ${table} t
  where ${where}
  order by t.at desc, key desc limit @limit
) ${event}`
}

/** Another award than before, or the same for another total. */
const OTHER_TOTAL = `(t.reason is not null or t.cost <> (select q.cost from recommendations q
  where q.channel = t.channel and q.rfq_id = t.rfq_id and q.number < t.number order by q.number desc limit 1))`

const REVISION = `f.event, f.channel as of_channel, f.kind as of_kind, f.rfq_id as of_rfq_id, f.id as of_id,
  f.version as of_version, f.since, f.at, f.reason, f.key`
/** Aliases: the recommendation of the event, the one before it or at the time, and the award of the event. */
const TERMS = ['n', 'p', 'o'] as const
type Terms = (typeof TERMS)[number]
const AWARD_COLUMNS = [
  ...TERMS.flatMap((alias) =>
    ['offers', 'tonnes', 'total', 'price_per_tonne', 'currency'].map((name) => {
      const column = name === 'total' && (alias === 'n' || alias === 'p') ? 'cost' : name
      return [`${alias}_${name}`, `${alias}.${column}`] as const
    }),
  ),
  ...['o.followed', 'a.withdraws', 'a.by_whom', 'a.because'].map((column) => [column.slice(2), column] as const),
  [
    'is_decided',
    `case when s.id is not null or n.status = 'accepted' or p.status = 'accepted' then 1 else 0 end`,
  ] as const,
]
/** The award that stood when another one was recommended. */
const STOOD = `select max(x.id) from awards x where x.channel = f.channel and x.rfq_id = f.id and x.withdraws is null
  and x.at <= f.at and not exists (select 1 from awards w where w.withdraws = x.id and w.at <= f.at)`
const CLOSED_BY_US = `case when f.kind = 'rfq' and exists (select 1 from close_decisions d where d.channel = f.channel
  and d.rfq_id = f.id and d.outcome = 'closed' and d.version_after = f.version
  and d.decided_at <= @asOf) then 1 else 0 end as closed_by_us`

/** One statement, so that revisions, versions and moments are consistent. */
function revisionsQuery(filter: RevisionFilter): string {
  const isObserved = includes(filter, 'rfq') || includes(filter, 'offer')
  const parts = [
    ...(isObserved ? [observedFrom(filter)] : []),
    ...(includes(filter, 'recommendation') ? [recordedFrom('recommendation', filter)] : []),
    ...(includes(filter, 'award') ? [recordedFrom('award', filter)] : []),
  ]
  return `
with found as (
  select * from (${parts.join(' union all ')}) revisions order by at desc, key desc limit @limit
)
select ${REVISION}, ${CLOSED_BY_US}, ${AWARD_COLUMNS.map(([name]) => `null as ${name}`).join(', ')},
  ${VERSION_COLUMNS.map((column) => `v.${column}`).join(', ')}
from found f
join versions v on ${sameDocument('v', 'f')} and v.version in (f.version, f.version - 1)
union all
select ${REVISION}, 0, ${AWARD_COLUMNS.map(([, column]) => column).join(', ')},
  ${VERSION_COLUMNS.map((column) => `null as ${column}`).join(', ')}
from found f
left join recommendations n on f.event = 'recommendation' and n.number = f.item
left join recommendations p on p.number = (select max(q.number) from recommendations q
  where q.channel = f.channel and q.rfq_id = f.id and q.at <= f.at and (n.number is null or q.number < n.number))
left join awards a on f.event = 'award' and a.id = f.item
left join awards o on o.id = coalesce(a.withdraws, a.id)
left join awards s on f.event = 'recommendation' and s.id = (${STOOD})
where f.version is null
order by at desc, key desc, version desc`
}

function toRevisions(rows: readonly RevisionRow[]): Revision[] {
  const revisions: Revision[] = []
  let last: RevisionRow | undefined
  for (const row of rows) {
    const revision = revisions.at(-1)
    // The row after a version is the previous version.
    if (revision && last?.key === row.key && last.at === row.at) revision.previous = toVersion(row)
    else revisions.push(toRevision(row))
    last = row
  }
  return revisions
}

const toRevision = (row: RevisionRow): Revision => ({
  channel: row.of_channel,
  rfqId: fromStoredText(row.of_kind === 'rfq' ? row.of_id : row.of_rfq_id),
  kind: row.of_kind,
  id: fromStoredText(row.of_id),
  event: row.event,
  notBefore: row.since,
  observedAt: row.at,
  version: row.of_version === null ? null : toVersion(row),
  previous: null,
  closedByUs: row.closed_by_us === 1,
  reason: row.reason === null ? null : fromStoredText(row.reason),
  award: row.event === 'award' ? toAward(row) : null,
  ...movedBy(row),
  cursor: Buffer.from(JSON.stringify([row.at, row.key])).toString('base64url'),
})

const toAward = (row: RevisionRow): RevisedAward => ({
  followed: row.followed === 1,
  withdrawn: row.withdraws !== null,
  by: fromStoredText(row.by_whom ?? ''),
  because: row.because === null ? null : fromStoredText(row.because),
})

const NOTHING = { before: null, after: null }

/** What an RFQ was to be awarded by before and after. */
function movedBy(row: RevisionRow): Pick<Revision, 'before' | 'after'> {
  const recommended = termsOf(row, 'p')
  if (row.event === 'recommendation')
    return row.is_decided === 1 ? NOTHING : { before: recommended, after: termsOf(row, 'n') }
  if (row.event !== 'award') return NOTHING
  const award = termsOf(row, 'o')
  return row.withdraws === null ? { before: recommended, after: award } : { before: award, after: recommended }
}

function termsOf(row: RevisionRow, of: Terms): AwardTerms | null {
  const offers = (JSON.parse(row[`${of}_offers`] ?? '[]') as { name: string }[]).map(({ name }) => name)
  if (offers.length === 0) return null
  return {
    ...{ offers, tonnes: row[`${of}_tonnes`] ?? 0, total: row[`${of}_total`] ?? 0 },
    ...{ pricePerTonne: row[`${of}_price_per_tonne`] ?? 0, currency: row[`${of}_currency`] ?? '' },
  }
}

/** The position of a cursor; without one, after all revisions. */
function parseCursor(cursor: string | undefined): [at: string, key: string] {
  if (cursor === undefined) return [MAX_TIMESTAMP, '']
  const parsed = parseJson(Buffer.from(cursor, 'base64url').toString())
  const [at, key] = Array.isArray(parsed) ? parsed : []
  if (typeof at === 'string' && typeof key === 'string' && isStorable(at + key)) return [at, key]
  throw new InvalidCursorError(`"${cursor}" is not a cursor of this list. Start again without one`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
