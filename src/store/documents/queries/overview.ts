import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { OfferRevisions, Revision, RfqEntry } from '../../../core/records.js'
import { CLOCK_TOLERANCE_MS, type FutureTimes } from '../../../core/time/clock.js'
import type { Overview, RevisionFilter } from '../../contract.js'
import { InvalidCursorError } from '../../errors.js'
import { BEGIN_OF_UNSEEN } from '../../events/event-feed.js'
import { allOf, type Dialect, type Queries } from '../../sql/sql-database.js'
import { hasWords, wordPatterns } from '../../sql/word-search.js'
import { fromStoredText, isStorable, toStoredText } from '../stored-text.js'
import {
  CURRENT_VERSION,
  entryOf,
  MAX_TIMESTAMP,
  missingSinceAsOf,
  sameDocument,
  toVersion,
  VERSION_COLUMNS,
  type VersionRow,
} from './history-queries.js'
import { offerIdsOf } from './listed-offers.js'

/** Queries across all RFQs, which read only the documents that they return. */
export function createOverview(queries: Queries): Overview {
  return {
    storedChannels: () => storedChannels(queries),
    async rfqEntries({ channel, asOf }) {
      const sql = asOf === undefined ? currentEntries(queries.dialect) : entriesAsOf(queries.dialect)
      const moment = asOf === undefined ? {} : { asOf: asOf.toISOString() }
      const channels = channel === undefined ? await storedChannels(queries) : [channel]
      const entries: RfqEntry[] = []
      for (const [at, key] of channels.entries()) {
        if (at > 0) await yieldToEventLoop()
        for (const row of await queries.all<EntryRow>(sql, { channel: key, ...moment })) entries.push(toEntry(row))
      }
      return entries
    },
    async revisions({ before, limit, ...filter }) {
      const [beforeAt, beforeKey] = parseCursor(before)
      const parameters = { ...periodOf(filter), rfqId: storedOrNull(filter.rfqId), beforeAt, beforeKey, limit }
      return toRevisions(await queries.all<RevisionRow>(revisionsQuery(filter), parameters))
    },
    async listingsWith(words, limit) {
      const rows = await queries.all<{ channel: string; id: string }>(
        `select channel, id from documents e where channel in (select channel from channels) and kind = 'listing' and rfq_id = ''
        and ${hasWords('search', words)} order by case when missing_since is null then 0 else 1 end, search, channel, id limit @limit`,
        { ...wordPatterns(words), limit },
      )
      return rows.map(({ channel, id }) => ({ channel, id: fromStoredText(id) }))
    },
    futureTimes: (now) =>
      queries.all<FutureTimes>(FUTURE_TIMES, { limit: new Date(now.getTime() + CLOCK_TOLERANCE_MS).toISOString() }),
    async offerRevisions(filter) {
      const parameters = { ...periodOf(filter), listed: await offersListedBefore(queries, filter) }
      return (await queries.all<OfferRevisionRow>(offerRevisions(filter, queries.dialect), parameters)).map(
        toOfferRevisions,
      )
    },
  }
}

const FUTURE_TIMES = `
with future as (
  select channel, newest_at as at, 0 as version from channels where newest_at > @limit
  union all
  select channel, observed_at, 1 from versions where observed_at > @limit
)
select channel, max(at) as at, sum(version) as versions from future group by channel order by channel`

async function storedChannels(queries: Queries): Promise<string[]> {
  const rows = await queries.all<{ channel: string }>('select channel from channels order by channel')
  return rows.map(({ channel }) => channel)
}

const MIN_TIMESTAMP = ''
const storedOrNull = (id: string | undefined) => (id === undefined ? null : toStoredText(id))
const periodOf = ({ channel, after, asOf }: Omit<RevisionFilter, 'rfqId'>) => ({
  channel: channel ?? null,
  after: after?.toISOString() ?? MIN_TIMESTAMP,
  asOf: asOf?.toISOString() ?? MAX_TIMESTAMP,
})

// --- RFQs -----------------------------------------------------------------------------------------------------------

interface EntryRow {
  channel: string
  id: string
  version: number
  changed_at: string
  missing_since: string | null
  listed_at: string | null
  followed_at: string | null
  valid: number
  read_at: string | null
  responses: number | null
  present: number | null
  versions: number | null
  newest_missing: string | null
}

/**
 * `responsesKey` is equal only if no response changed: versions only increase, and a new absence is newer than all others, so any change
 * affects the number of responses, the sum of their versions, the number present or the newest absence.
 */
const toEntry = (row: EntryRow): RfqEntry => ({
  channel: row.channel,
  id: fromStoredText(row.id),
  version: row.version,
  changedAt: row.changed_at,
  missingSince: row.missing_since,
  listedAt: row.listed_at,
  isFollowed: row.followed_at !== null,
  valid: row.valid === 1,
  readAt: row.read_at,
  offers: row.present ?? 0,
  responsesKey: `${row.responses ?? 0} ${row.versions ?? 0} ${row.present ?? 0} ${row.newest_missing ?? ''}`,
})

const currentEntries = ({ joinOne, leftJoin }: Dialect) => `
with responses as (
  select rfq_id, count(*) as responses, count(*) filter (where missing_since is null) as present, sum(version) as versions,
    max(missing_since) as newest_missing
  from documents where channel = @channel and kind = 'response' group by rfq_id
)
select e.channel, e.id, e.version, e.changed_at, e.missing_since, l.observed_at as listed_at, l.followed_at, v.valid,
  case v.shape when 'full' then e.full_read_at end as read_at, r.responses, r.present, r.versions, r.newest_missing
from documents e
${joinOne('versions', 'v', CURRENT_VERSION)}
${leftJoin('versions', 'l', entryOf('e', 'now'))}
left join responses r on r.rfq_id = e.id
where e.channel = @channel and e.kind = 'rfq'
order by e.id`

/** Reads only the versions of RFQs, and those that were superseded after @asOf. */
const entriesAsOf = ({ joinOne, leftJoin }: Dialect) => `
with known as (
  select e.channel, e.kind, e.rfq_id, e.id,
    case when e.changed_at <= @asOf then e.version else (
      select v.version from versions v where ${sameDocument('v', 'e')} and v.observed_at <= @asOf order by v.version desc limit 1
    ) end as version,
    ${missingSinceAsOf('e')} as missing_since
  from documents e
  where e.channel = @channel and e.kind in ('rfq', 'response') and e.first_observed_at <= @asOf
), responses as (
  select rfq_id, count(*) as responses, count(*) filter (where missing_since is null) as present, sum(version) as versions,
    max(missing_since) as newest_missing
  from known where kind = 'response' group by rfq_id
)
select e.channel, e.id, e.version, v.observed_at as changed_at, e.missing_since, l.observed_at as listed_at,
  case when l.followed_at <= @asOf then l.followed_at end as followed_at, v.valid,
  null as read_at,
  r.responses, r.present, r.versions, r.newest_missing
from known e
${joinOne('versions', 'v', CURRENT_VERSION)}
${leftJoin('versions', 'l', entryOf('e', 'asOf'))}
left join responses r on r.rfq_id = e.id
where e.kind = 'rfq'
order by e.id`

// --- revisions ------------------------------------------------------------------------------------------------------

/** A revision joined with its version or the previous one, or with none. */
interface RevisionRow extends VersionRow {
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
}

/** The order of revisions of one moment: by channel and RFQ, the RFQ itself first, because the order is descending. */
const keyOf = (event: string) =>
  `t.channel || '\t' || case t.kind when 'rfq' then t.id || '\tz' else t.rfq_id || '\ta' end
    || '\t' || t.id || '\t${event}'${event === 'version' ? ' || substr(cast(10000000000 + t.version as text), 2)' : ''}`

function revisionsFrom(
  event: 'version' | 'missing' | 'returned',
  table: string,
  at: string,
  since: string,
  filter: RevisionFilter,
): string {
  const where = allOf(
    filter.channel !== undefined && 't.channel = @channel',
    filter.rfqId !== undefined && `(t.rfq_id = @rfqId or (t.kind = 'rfq' and t.id = @rfqId))`,
  )
  const begin = filter.after !== undefined && filter.asOf === undefined ? BEGIN_OF_UNSEEN : '@after'
  return `
select * from (
  select '${event}' as event, t.channel, t.kind, t.rfq_id, t.id,
    ${event === 'version' ? 't.version' : 'cast(null as integer)'} as version, t.${since} as since, t.${at} as at,
    cast(null as text) as reason, ${keyOf(event)} as key
  from ${table} t
  where t.${at} > ${begin} and t.${at} <= @asOf and t.${at} <= @beforeAt
    and (t.${at} < @beforeAt or ${keyOf(event)} < @beforeKey)
    and t.kind in ('rfq', 'response') and ${where}
  order by t.${at} desc, key desc limit @limit
) ${event}`
}

/** Recommendations of another award than before. */
function recommendationsFrom({ channel, rfqId, after, asOf }: RevisionFilter): string {
  const key = `t.channel || '\t' || t.rfq_id || '\tz\t' || t.rfq_id || '\trecommendation'`
  const begin = after !== undefined && asOf === undefined ? BEGIN_OF_UNSEEN : '@after'
  const where = allOf(channel !== undefined && 't.channel = @channel', rfqId !== undefined && 't.rfq_id = @rfqId')
  return `
select * from (
  select 'recommendation' as event, t.channel, 'rfq' as kind, '' as rfq_id, t.rfq_id as id, cast(null as integer) as version,
    cast(null as text) as since, t.at, t.reason, ${key} as key
  from recommendations t
  where t.reason is not null and t.at > ${begin} and t.at <= @asOf and t.at <= @beforeAt
    and (t.at < @beforeAt or ${key} < @beforeKey) and ${where}
  order by t.at desc, key desc limit @limit
) recommendation`
}

const REVISION = `f.event, f.channel as of_channel, f.kind as of_kind, f.rfq_id as of_rfq_id, f.id as of_id,
  f.version as of_version, f.since, f.at, f.reason, f.key`

/** One statement, so that revisions, versions and moments are consistent. */
const revisionsQuery = (filter: RevisionFilter) => `
with found as (
  select * from (
    ${revisionsFrom('version', 'versions', 'observed_at', 'not_before', filter)}
    union all ${revisionsFrom('missing', 'absences', 'missing_since', 'not_before', filter)}
    union all ${revisionsFrom('returned', 'absences', 'returned_at', 'missing_since', filter)}
    union all ${recommendationsFrom(filter)}
  ) revisions order by at desc, key desc limit @limit
)
select ${REVISION}, ${VERSION_COLUMNS.map((column) => `v.${column}`).join(', ')}
from found f
join versions v on ${sameDocument('v', 'f')} and v.version in (f.version, f.version - 1)
union all
select ${REVISION}, ${VERSION_COLUMNS.map((column) => `null as ${column}`).join(', ')}
from found f where f.version is null
order by at desc, key desc, version desc`

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
  after: row.since,
  seenBy: row.at,
  version: row.of_version === null ? null : toVersion(row),
  previous: null,
  reason: row.reason === null ? null : fromStoredText(row.reason),
  cursor: Buffer.from(JSON.stringify([row.at, row.key])).toString('base64url'),
})

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

interface OfferRevisionRow {
  channel: string
  rfq_id: string
  added: number
  changed: number
  missing: number
  newest_at: string
}

const toOfferRevisions = (row: OfferRevisionRow): OfferRevisions => ({
  channel: row.channel,
  rfqId: fromStoredText(row.rfq_id),
  added: row.added,
  changed: row.changed,
  missing: row.missing,
  newestAt: row.newest_at,
})

type OfferPeriod = Omit<RevisionFilter, 'rfqId'>

/** Offers that are new in the period, but were in a list entry of their RFQ before it. */
async function offersListedBefore(queries: Queries, filter: OfferPeriod): Promise<string[]> {
  const rows = await queries.all<{ channel: string; id: string; text: string }>(
    listEntriesBefore(filter),
    periodOf(filter),
  )
  return rows.flatMap(({ channel, id, text }) =>
    offerIdsOf(JSON.parse(text)).map((offerId) => `${channel}\t${id}\t${toStoredText(offerId)}`),
  )
}

/** The expressions keep SQLite from using the index of the channel, so that it finds the versions of a period by their time. */
const responsesOf = ({ channel }: OfferPeriod) =>
  allOf(`kind || '' = 'response'`, channel !== undefined && `channel || '' = @channel`)
const ofChannel = ({ channel }: OfferPeriod) => allOf(channel !== undefined && 'channel = @channel')

const listEntriesBefore = (filter: OfferPeriod) => `
with added as (
  select channel, rfq_id from versions
  where version = 1 and observed_at > @after and observed_at <= @asOf and ${responsesOf(filter)}
  group by channel, rfq_id
)
select v.channel, v.id, coalesce(v.parsed_body, v.body) as text
from added a join versions v on v.channel = a.channel and v.kind = 'rfq' and v.rfq_id = '' and v.id = a.rfq_id
where v.shape = 'list' and v.observed_at <= @after`

/** A version with another shape than the previous one is not a change: the offer was read in full, or could no longer be read. */
const offerRevisions = (filter: OfferPeriod, { anyOf }: Dialect) => `
with observed as (
  select channel, rfq_id, id, min(version) as first, 0 as missing, max(observed_at) as at
  from versions v
  where observed_at > @after and observed_at <= @asOf and ${responsesOf(filter)}
    and case when version = 1 then not ${anyOf(`channel || '\t' || rfq_id || '\t' || id`, '@listed')}
      else exists (select 1 from versions b where b.channel = v.channel and b.kind = v.kind and b.rfq_id = v.rfq_id
        and b.id = v.id and b.version = v.version - 1 and b.shape = v.shape) end
  group by channel, rfq_id, id
  union all
  select channel, rfq_id, id, null, 1, max(missing_since)
  from absences
  where kind = 'response' and missing_since > @after and missing_since <= @asOf and ${ofChannel(filter)}
  group by channel, rfq_id, id
)
select channel, rfq_id, count(*) filter (where first = 1) as added, count(*) filter (where first > 1) as changed,
  sum(missing) as missing, max(at) as newest_at
from observed group by channel, rfq_id order by newest_at desc, channel, rfq_id`
