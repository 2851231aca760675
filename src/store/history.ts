import type { DocumentKind } from '../domain/documents.js'
import { parseExactly } from '../domain/exact-json.js'
import type { Absence, KnownDocument, ProblemRecord, RfqWithResponses, Version } from '../domain/records.js'
import { type Connection, connect, type Sqlite } from './connection.js'
import type { History, ProblemCounts, RfqFilter } from './contract.js'
import { fromStoredText, storedIds, toStoredText } from './stored-text.js'

/** A row of `versions`. */
export interface VersionRow {
  channel: string
  kind: DocumentKind
  rfq_id: string
  id: string
  version: number
  content_hash: string
  not_before: string | null
  observed_at: string
  superseded_at: string | null
  run_id: number
  valid: number
  shape: Version['shape']
  body: string
  /** Null if parsing the body loses nothing. */
  parsed_body: string | null
  body_as_received: number
}
interface KnownRow extends VersionRow {
  first_observed_at: string
  last_observed_at: string | null
  full_read_at: string | null
  missing_since: string | null
}

/** The body is parsed on each access, so that only its text stays in memory. */
export const toVersion = (row: VersionRow): Version => ({
  channel: row.channel,
  kind: row.kind,
  id: fromStoredText(row.id),
  rfqId: row.rfq_id === '' ? null : fromStoredText(row.rfq_id),
  version: row.version,
  contentHash: row.content_hash,
  notBefore: row.not_before,
  observedAt: row.observed_at,
  supersededAt: row.superseded_at,
  runId: row.run_id,
  valid: row.valid === 1,
  shape: row.shape,
  get body() {
    return JSON.parse(row.body) as unknown
  },
  get exactBody() {
    const value = JSON.parse(row.body) as unknown
    return row.parsed_body === null ? value : parseExactly(row.body, value).exact
  },
  bodyText: row.body,
  isLossy: row.parsed_body !== null,
  bodyAsReceived: row.body_as_received === 1,
})
const toKnown = (row: KnownRow): KnownDocument =>
  Object.assign(toVersion(row), {
    firstObservedAt: row.first_observed_at,
    lastObservedAt: row.last_observed_at,
    readAt: row.full_read_at,
    missingSince: row.missing_since,
  })

/** The newest version of each document, with its body as last received. */
const SELECT_CURRENT = `
select v.channel, v.kind, v.rfq_id, v.id, v.version, v.content_hash, v.not_before, v.observed_at, v.superseded_at,
  v.run_id, v.valid, v.shape, coalesce(e.latest_body, v.body) as body,
  case when e.latest_body is null then v.parsed_body else e.latest_parsed_body end as parsed_body, v.body_as_received,
  e.first_observed_at, e.last_observed_at, e.missing_since, e.full_read_at
from entities e
join versions v on v.channel = e.channel and v.kind = e.kind and v.rfq_id = e.rfq_id and v.id = e.id
  and v.version = e.version
where true`

/** The versions known at @asOf. Nothing recorded later changes the result. */
const SELECT_AS_OF = `
select v.channel, v.kind, v.rfq_id, v.id, v.version, v.content_hash, v.not_before, v.observed_at,
  case when v.superseded_at <= @asOf then v.superseded_at end as superseded_at,
  v.run_id, v.valid, v.shape, v.body, v.parsed_body, v.body_as_received,
  e.first_observed_at, null as last_observed_at, null as full_read_at,
  (select max(a.missing_since) from absences a where a.channel = v.channel and a.kind = v.kind and a.rfq_id = v.rfq_id
    and a.id = v.id and a.missing_since <= @asOf and (a.returned_at is null or a.returned_at > @asOf)) as missing_since
from versions v
join entities e on e.channel = v.channel and e.kind = v.kind and e.rfq_id = v.rfq_id and e.id = v.id
where v.observed_at <= @asOf and (v.superseded_at is null or v.superseded_at > @asOf)`

// Each RFQ is compared with its own versions only: bodies are slow to parse.
const MATCH_CONDITION = `and exists (
  select 1 from versions m where m.channel = v.channel and m.kind = v.kind and m.rfq_id = v.rfq_id and m.id = v.id
    and (m.id in (@match, @storedMatch)
      or cast(json_extract(coalesce(m.parsed_body, m.body), '$.number') as text) in (@match, @match || '.0')
      or json_extract(coalesce(m.parsed_body, m.body), '$.reference') = @match collate nocase))`

type Parameters = Record<string, string | number | null>

/** Queries the current state, or the state as of a moment. */
export function createHistory(connection: Connection): History {
  const all = <T>(sql: string, parameters: Parameters): T[] =>
    connection.read((db) => db.prepare(sql).all(parameters) as T[])

  const selectKnown = (where: string, { asOf, ...parameters }: Parameters & { asOf?: string }): KnownDocument[] =>
    all<KnownRow>(
      `${asOf === undefined ? SELECT_CURRENT : SELECT_AS_OF} ${where} order by v.channel, v.kind, v.rfq_id, v.id`,
      asOf === undefined ? parameters : { ...parameters, asOf },
    ).map(toKnown)

  const responsesOf = (rfq: KnownDocument, asOf: AsOfParameter) =>
    selectKnown(`and v.channel = @channel and v.kind = 'response' and v.rfq_id = @rfqId`, {
      channel: rfq.channel,
      rfqId: toStoredText(rfq.id),
      ...asOf,
    })

  const rfqs = ({ channel, asOf, match, ids, withoutResponses }: RfqFilter): RfqWithResponses[] =>
    selectKnown(
      `and v.kind = 'rfq' ${channel === undefined ? '' : 'and v.channel = @channel'} ${match === undefined ? '' : MATCH_CONDITION}
      ${ids === undefined ? '' : 'and v.id in (select value from json_each(@ids))'}`,
      {
        ...definedValues({ channel, match, storedMatch: match === undefined ? undefined : toStoredText(match) }),
        ...definedValues({ ids: ids && storedIds(ids) }),
        ...asOfParameter(asOf),
      },
    ).map((rfq) => ({ rfq, responses: withoutResponses ? [] : responsesOf(rfq, asOfParameter(asOf)) }))

  return {
    async listings({ channel, asOf, ids }) {
      return selectKnown(
        `and v.kind = 'listing' ${channel === undefined ? '' : 'and v.channel = @channel'}
        ${ids === undefined ? '' : 'and v.id in (select value from json_each(@ids))'}`,
        { ...definedValues({ channel, ids: ids && storedIds(ids) }), ...asOfParameter(asOf) },
      )
    },
    async rfqs(filter) {
      // One read transaction, so that an RFQ and its responses come from one state.
      return connection.read((db) => db.transaction(() => rfqs(filter))())
    },
    async rfqHistory(channel, rfqId, asOf) {
      return all<VersionRow>(
        `select * from versions where channel = @channel
          and ((kind = 'rfq' and rfq_id = '' and id = @rfqId) or (kind = 'response' and rfq_id = @rfqId))
          and observed_at <= @asOf
        order by observed_at, kind desc, id, version`,
        { channel, rfqId: toStoredText(rfqId), asOf: asOf?.toISOString() ?? MAX_TIMESTAMP },
      ).map(toVersion)
    },
    async absences(channel, rfqId, asOf) {
      return all<AbsenceRow>(
        `select kind, id, not_before, missing_since,
          case when returned_at <= @asOf then returned_at end as returned_at
        from absences where channel = @channel
          and ((kind = 'rfq' and rfq_id = '' and id = @rfqId) or (kind = 'response' and rfq_id = @rfqId))
          and missing_since <= @asOf
        order by missing_since, kind desc, id`,
        { channel, rfqId: toStoredText(rfqId), asOf: asOf?.toISOString() ?? MAX_TIMESTAMP },
      ).map(toAbsence)
    },
    async problems({ channel, entityIds, limit }) {
      return all<ProblemRow>(
        `select * from problems where (@channel is null or channel = @channel)
          and (@ids is null or entity_id in (select value from json_each(@ids)))
        order by last_seen_at desc, channel, kind, entity_id, path, code limit @limit`,
        { channel: channel ?? null, ids: entityIds ? storedIds(entityIds) : null, limit: limit ?? -1 },
      ).map(toProblem)
    },
    async problemCounts({ channel, since }) {
      return all<ProblemCounts>(
        `select channel, count(*) as problems, count(distinct json_array(kind, entity_id)) as documents,
          sum(first_seen_at > @since) as fresh, max(first_seen_at) as newestAt
        from problems where @channel is null or channel = @channel group by channel order by channel`,
        { channel: channel ?? null, since: since.toISOString() },
      )
    },
    export: (filter) => exportAll(connection, filter),
  }
}

const MAX_TIMESTAMP = '9999-12-31T23:59:59.999Z'
type AsOfParameter = { asOf?: string }
const asOfParameter = (asOf: Date | undefined): AsOfParameter =>
  asOf === undefined ? {} : { asOf: asOf.toISOString() }
const definedValues = (values: Record<string, string | undefined>): Parameters =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined))

async function* exportAll(
  connection: Connection,
  filter: { kind?: DocumentKind; channel?: string; asOf?: Date },
): AsyncGenerator<KnownDocument> {
  const asOf = asOfParameter(filter.asOf)
  const sql = `${filter.asOf === undefined ? SELECT_CURRENT : SELECT_AS_OF}
    ${filter.channel === undefined ? '' : 'and v.channel = @channel'} ${filter.kind === undefined ? '' : 'and v.kind = @kind'}
    order by v.channel, v.kind, v.rfq_id, v.id`
  // An open cursor blocks its connection, so the export uses its own, which also sees one consistent state.
  const reader: Sqlite = connect(connection.reader.name)
  try {
    const cursor = reader
      .prepare(sql)
      .iterate({ ...definedValues({ channel: filter.channel, kind: filter.kind }), ...asOf })
    for (const row of cursor) yield toKnown(row as KnownRow)
  } finally {
    reader.close()
  }
}

interface AbsenceRow {
  kind: DocumentKind
  id: string
  not_before: string
  missing_since: string
  returned_at: string | null
}
const toAbsence = (row: AbsenceRow): Absence => ({
  kind: row.kind,
  id: fromStoredText(row.id),
  notBefore: row.not_before,
  missingSince: row.missing_since,
  returnedAt: row.returned_at,
})

interface ProblemRow {
  channel: string
  kind: DocumentKind
  entity_id: string
  path: string
  code: ProblemRecord['code']
  message: string
  first_seen_at: string
  last_seen_at: string
  times: number
}
const toProblem = (row: ProblemRow): ProblemRecord => ({
  channel: row.channel,
  kind: row.kind,
  entityId: fromStoredText(row.entity_id),
  path: fromStoredText(row.path),
  code: row.code,
  message: fromStoredText(row.message),
  firstSeenAt: row.first_seen_at,
  lastSeenAt: row.last_seen_at,
  times: row.times,
})
