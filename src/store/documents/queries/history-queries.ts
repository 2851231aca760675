import type { DocumentKind, SubjectKind } from '../../../core/documents/documents.js'
import { parseExactly } from '../../../core/documents/exact-json.js'
import { formsOfId } from '../../../core/documents/identifier.js'
import { isAmbiguous, parseStored } from '../../../core/documents/observation.js'
import type { Absence, KnownDocument, KnownEntry, ProblemRecord, Version } from '../../../core/records.js'
import type { History } from '../../contract.js'
import { allOf, type Dialect, NO_LIMIT, type Queries, type SqlParameters } from '../../sql/sql-database.js'
import { fromStoredText, toStoredText } from '../stored-text.js'

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
export const VERSION_COLUMNS: readonly (keyof VersionRow)[] = [
  ...([
    'channel',
    'kind',
    'rfq_id',
    'id',
    'version',
    'content_hash',
    'not_before',
    'observed_at',
    'superseded_at',
  ] as const),
  ...(['run_id', 'valid', 'shape', 'body', 'parsed_body', 'body_as_received'] as const),
]
/** A row of `selectKnown`. */
export interface KnownRow extends VersionRow {
  first_observed_at: string
  last_observed_at: string | null
  full_read_at: string | null
  missing_since: string | null
  entry_followed_at: string | null
  entry_body: string | null
  entry_parsed_body: string | null
}

/** Parses the body on each access, so that only its text is kept in memory. */
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
export const toKnown = (row: KnownRow): KnownDocument =>
  Object.assign(toVersion(row), {
    firstObservedAt: row.first_observed_at,
    lastObservedAt: row.last_observed_at,
    readAt: row.full_read_at,
    missingSince: row.missing_since,
    entry: toEntry(row),
  })

function toEntry(row: KnownRow): KnownEntry | null {
  const { entry_followed_at: followedAt, entry_body: text, entry_parsed_body: parsed } = row
  if (text === null) return null
  return {
    followedAt,
    get body() {
      return JSON.parse(text) as unknown
    },
    get isAmbiguous() {
      return parsed !== null && hasAmbiguousEntry(text)
    },
  }
}

/** @param text a text that loses something when it is parsed */
function hasAmbiguousEntry(text: string): boolean {
  const value = JSON.parse(text) as unknown
  const { exact, losses } = parseExactly(text, value)
  const parse = (body: unknown, exactBody: unknown, own: typeof losses) =>
    isAmbiguous(parseStored('rfq', 'list', body, { text, exact: exactBody, losses: own, hasInvalidUtf8: false }))
  if (!Array.isArray(value)) return parse(value, exact, losses)
  return value.some((body, at) => {
    const own = losses.flatMap((loss) => (loss.path[0] === at ? [{ ...loss, path: loss.path.slice(1) }] : []))
    return parse(body, (exact as unknown[])[at], own)
  })
}

/** The condition that a row of `versions` belongs to a row of `documents`. */
export const sameDocument = (version: string, entity: string): string =>
  ['channel', 'kind', 'rfq_id', 'id'].map((column) => `${version}.${column} = ${entity}.${column}`).join(' and ')

/** The condition that it is the newest version. */
export const currentVersion = (version: string, entity: string): string =>
  `${sameDocument(version, entity)} and ${version}.version = ${entity}.version`
export const CURRENT_VERSION = currentVersion('v', 'e')

/** Since when the document was missing as of @asOf; null if it was not missing. */
export const missingSinceAsOf = (row: string): string =>
  `(select max(a.missing_since) from absences a where ${sameDocument('a', row)}
    and a.missing_since <= @asOf and (a.returned_at is null or a.returned_at > @asOf))`

const isCurrentAsOf = (version: string): string =>
  `${version}.observed_at <= @asOf and (${version}.superseded_at is null or ${version}.superseded_at > @asOf)`
/** The condition that `l` is the version of the list entry of an RFQ, now or as of @asOf. */
export const entryOf = (row: string, moment: 'now' | 'asOf'): string =>
  `${row}.kind = 'rfq' and l.channel = ${row}.channel and l.kind = 'rfq-entry' and l.rfq_id = '' and l.id = ${row}.id
  and ${moment === 'now' ? 'l.superseded_at is null' : isCurrentAsOf('l')}`
const ENTRY_TEXTS = 'l.body as entry_body, l.parsed_body as entry_parsed_body'
const ENTRY = `${ENTRY_TEXTS}, l.followed_at as entry_followed_at`
const ENTRY_AS_OF = `${ENTRY_TEXTS}, case when l.followed_at <= @asOf then l.followed_at end as entry_followed_at`

/** Selects the newest version of each document, with its body as last received. */
const selectCurrent = ({ joinOne, leftJoin }: Dialect) => `
select v.channel, v.kind, v.rfq_id, v.id, v.version, v.content_hash, v.not_before, v.observed_at, v.superseded_at,
  v.run_id, v.valid, v.shape, coalesce(e.latest_body, v.body) as body,
  case when e.latest_body is null then v.parsed_body else e.latest_parsed_body end as parsed_body, v.body_as_received,
  e.first_observed_at, e.last_observed_at, e.missing_since, e.full_read_at, ${ENTRY}
from documents e
${joinOne('versions', 'v', CURRENT_VERSION)}
${leftJoin('versions', 'l', entryOf('e', 'now'))}
where true`

/** When a version was superseded; null if it was current as of @asOf. */
const supersededAsOf = (row: string): string =>
  `case when ${row}.superseded_at <= @asOf then ${row}.superseded_at end as superseded_at`

/** Selects the versions as of @asOf. Nothing recorded later changes the result. */
const selectAsOf = ({ versionsOfDocuments, leftJoin, outerRow }: Dialect) => `
select v.channel, v.kind, v.rfq_id, v.id, v.version, v.content_hash, v.not_before, v.observed_at,
  ${supersededAsOf('v')},
  v.run_id, v.valid, v.shape, v.body, v.parsed_body, v.body_as_received,
  e.first_observed_at, null as last_observed_at, null as full_read_at,
  ${missingSinceAsOf('v')} as missing_since, ${ENTRY_AS_OF}
from ${versionsOfDocuments(sameDocument('v', 'e'))}
${leftJoin('versions', 'l', entryOf(outerRow, 'asOf'))}
where ${isCurrentAsOf('v')}`

/** Selects documents, now or as of a moment. */
export interface DocumentFilter {
  kind?: DocumentKind | undefined
  channel?: string | undefined
  asOf?: Date | undefined
  ids?: readonly string[] | undefined
  /** Responses to these RFQs. */
  rfqIds?: readonly string[] | undefined
}

/**
 * A query of documents in a stable order.
 * @param more another condition on `versions v`
 */
export function selectKnown(
  { dialect }: Pick<Queries, 'dialect'>,
  filter: DocumentFilter,
  more: string | false | undefined = false,
) {
  const { kind, channel, asOf, ids, rfqIds } = filter
  const row = asOf === undefined ? 'e' : dialect.outerRow
  const conditions = allOf(
    kind !== undefined && `${row}.kind = @kind`,
    // Only responses have one; so that ids are found by the key.
    kind !== undefined && kind !== 'response' && `${row}.rfq_id = ''`,
    channel !== undefined && `${row}.channel = @channel`,
    ids !== undefined && dialect.anyOf(`${row}.id`, '@ids'),
    rfqIds !== undefined && dialect.anyOf(`${row}.rfq_id`, '@rfqIds'),
    more,
  )
  const parameters: SqlParameters = {
    kind: kind ?? null,
    channel: channel ?? null,
    ids: ids?.map(toStoredText) ?? [],
    rfqIds: rfqIds?.map(toStoredText) ?? [],
    ...(asOf && { asOf: asOf.toISOString() }),
  }
  const select = asOf === undefined ? selectCurrent(dialect) : selectAsOf(dialect)
  return {
    sql: `${select} and ${conditions} order by ${row}.channel, ${row}.kind, ${row}.rfq_id, ${row}.id`,
    parameters,
  }
}

/** The rows of a table that are about an RFQ or its offers. In two parts, so that each is found by the key. */
export const rowsOfRfq = (table: 'versions' | 'absences'): string =>
  `(select * from ${table} where channel = @channel and kind = 'rfq' and rfq_id = '' and id = @rfqId
  union all select * from ${table} where channel = @channel and kind = 'response' and rfq_id = @rfqId)`

const LISTING_STATE = `e.id || ' ' || e.version || ' ' || coalesce(e.missing_since, '')`

/** After all timestamps. */
export const MAX_TIMESTAMP = '9999-12-31T23:59:59.999Z'

/** The queries of documents that are one statement each. */
export function createDocumentQueries(queries: Queries): Omit<History, 'rfqs' | 'export'> {
  const columnsAsOf = VERSION_COLUMNS.map((column) =>
    column === 'superseded_at' ? supersededAsOf('versions') : column,
  ).join(', ')
  const rfqParameters = (channel: string, rfqId: string, asOf: Date | undefined) => ({
    channel,
    rfqId: toStoredText(rfqId),
    asOf: asOf?.toISOString() ?? MAX_TIMESTAMP,
  })
  return {
    async listings({ known, ...filter }) {
      const ids = filter.ids?.flatMap(formsOfId)
      const isOther = known && `not ${queries.dialect.anyOf(LISTING_STATE, '@known')}`
      const { sql, parameters } = selectKnown(queries, { ...filter, ids, kind: 'listing' }, isOther)
      return (await queries.all<KnownRow>(sql, { ...parameters, known: known?.map(toStoredText) ?? [] })).map(toKnown)
    },
    async rfqHistory(channel, rfqId, asOf) {
      const rows = await queries.all<VersionRow>(
        `select ${columnsAsOf} from ${rowsOfRfq('versions')} versions where observed_at <= @asOf order by observed_at, kind desc, id, version`,
        rfqParameters(channel, rfqId, asOf),
      )
      return rows.map(toVersion)
    },
    async absences(channel, rfqId, asOf) {
      const rows = await queries.all<AbsenceRow>(
        `select kind, id, not_before, missing_since,
          case when returned_at <= @asOf then returned_at end as returned_at
        from ${rowsOfRfq('absences')} absences where missing_since <= @asOf
        order by missing_since, kind desc, id`,
        rfqParameters(channel, rfqId, asOf),
      )
      return rows.map(toAbsence)
    },
    async problems({ channel, entityIds, limit, asOf }) {
      const where = allOf(
        channel !== undefined && 'channel = @channel',
        // With all kinds, so that ids are found by the key.
        entityIds ? `kind in ('listing', 'rfq', 'response') and ${queries.dialect.anyOf('entity_id', '@ids')}` : false,
        asOf !== undefined && 'first_seen_at <= @asOf',
      )
      const rows = await queries.all<ProblemRow>(
        `select channel, kind, entity_id, path, code, message, first_seen_at,
          last_seen_at, times
        from problems p where ${where}
        order by last_seen_at desc, channel, kind, entity_id, path, code limit @limit`,
        {
          ...{ channel: channel ?? null, ids: entityIds?.map(toStoredText) ?? [], limit: limit ?? NO_LIMIT },
          ...(asOf && { asOf: asOf.toISOString() }),
        },
      )
      return rows.map(toProblem)
    },
  }
}

interface AbsenceRow {
  kind: SubjectKind
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
  kind: SubjectKind
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
