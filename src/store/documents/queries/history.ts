import type { DocumentKind } from '../../../core/documents/documents.js'
import { formsOfId, IdMap } from '../../../core/documents/identifier.js'
import { isPlainObject } from '../../../core/documents/json-text.js'
import { identifierOf } from '../../../core/documents/observation.js'
import type { KnownDocument, ProblemRecord, RfqWithResponses, Version } from '../../../core/records.js'
import { hasName, namesIn, type RfqName } from '../../../core/text/rfq-name.js'
import {
  allOf,
  columnOf,
  matching,
  membersOf,
  NO_LIMIT,
  type Queries,
  type SqlDatabase,
  type SqlParameters,
} from '../../sql/sql-database.js'
import { sameDocument } from '../document-rows.js'

export interface RfqFilter {
  channel?: string | undefined
  asOf?: Date | undefined
  /** Only RFQs that have this name; with `former`, also those that had it earlier. */
  match?: RfqName & { former?: boolean }
  /** Only RFQs with these ids. */
  ids?: readonly string[]
  /** Omits the responses. Default false. */
  withoutResponses?: boolean
}

/** The columns of a version whose values are the same now and as of any moment. */
const PLAIN = [
  ...['channel', 'kind', 'rfqId', 'id', 'version', 'contentHash', 'notBefore', 'observedAt', 'runId', 'valid'],
  'shape',
]

/** A row of `versions` with a body. */
type VersionRow = Omit<Version, 'body' | 'valid' | 'rfqId'> & { valid: number; rfqId: string }

const toVersion = (row: VersionRow): Version => ({
  body: JSON.parse(row.bodyText) as unknown,
  ...row,
  rfqId: row.rfqId || null,
  valid: row.valid === 1,
})

/** A row of `selectKnown`. */
interface KnownRow
  extends VersionRow,
    Pick<KnownDocument, 'firstObservedAt' | 'lastObservedAt' | 'readAt' | 'missingSince'> {
  entryBody: string | null
  entryIsRead: number
}

const toKnown = ({ entryBody, entryIsRead, ...row }: KnownRow): KnownDocument => ({
  entry: entryBody === null ? null : { isRead: entryIsRead === 1, body: JSON.parse(entryBody) as unknown },
  ...row,
  ...toVersion(row),
})

/** Selects documents, now or as of a moment. */
interface DocumentFilter {
  kind?: DocumentKind | undefined
  channel?: string | undefined
  asOf?: Date | undefined
  ids?: readonly string[] | undefined
  /** Responses to these RFQs. */
  rfqIds?: readonly string[] | undefined
}

/** The number of the newest of some versions `m` of a document, as of @asOf if that is given. The index finds it at once. */
const newestOf = (document: string, isAsOf: boolean, bodies = '') =>
  `(select m.version from versions m where ${document} ${isAsOf ? 'and m.observed_at <= @asOf' : ''} ${bodies}
    order by m.version desc limit 1)`

/** What a list says of a document: of an RFQ, its list entry. */
const LIST_DOCUMENT = (
  alias: string,
) => `${alias}.channel = e.channel and ${alias}.rfq_id = e.rfq_id and ${alias}.id = e.id
  and ${alias}.kind = case e.kind when 'rfq' then 'rfq-entry' else e.kind end`

/**
 * The other columns: now, and as of a moment, which nothing recorded later changes. That a response is missing is not among the latter
 * (`addMissing`).
 */
const SHOWN = {
  supersededAt: ['v.superseded_at', 'case when v.superseded_at <= @asOf then v.superseded_at end'],
  bodyText: ['coalesce(e.latest_body, v.body)', 'v.body'],
  lastObservedAt: ['e.last_observed_at', 'null'],
  readAt: ['e.full_read_at', 'null'],
  missingSince: ['e.missing_since', 'case l.bodies when 0 then l.observed_at end'],
  // As of a moment: whether the last read of this version was sent after the entry was recorded.
  entryIsRead: [
    'e.entry_read',
    `case when v.run_id >= l.run_id or coalesce((select w.not_before from versions w
    where ${sameDocument('w', 'e')} and w.version = v.version + 1), e.full_read_at) >= l.observed_at then 1 else 0 end`,
  ],
}

/** A query of documents with their shown versions, without an order. */
function selectKnown({ dialect }: Pick<Queries, 'dialect'>, filter: DocumentFilter, more: string | false = false) {
  const { kind, channel, asOf, ids, rfqIds } = filter
  const isAsOf = asOf !== undefined
  const shown = isAsOf ? `coalesce(${newestOf(sameDocument('m', 'e'), true, 'and m.bodies = 1')}, 1)` : 'e.version'
  const where = allOf(
    kind !== undefined && 'e.kind = @kind',
    // Only responses have one; so that ids are found by the key.
    kind !== undefined && kind !== 'response' && `e.rfq_id = ''`,
    channel !== undefined && 'e.channel = @channel',
    channel === undefined && (ids ?? rfqIds) !== undefined && 'e.channel in (select channel from channels)',
    ids !== undefined && dialect.anyOf('e.id', '@ids'),
    rfqIds !== undefined && dialect.anyOf('e.rfq_id', '@rfqIds'),
    isAsOf && 'v.observed_at <= @asOf',
    more,
  )
  const parameters: SqlParameters = { kind, channel, asOf: asOf?.toISOString(), ids, rfqIds }
  const sql = `
select ${PLAIN.map((member) => `v.${columnOf(member)} as "${member}"`).join(', ')},
  ${Object.entries(SHOWN).map(([member, columns]) => `${columns[isAsOf ? 1 : 0]} as "${member}"`)},
  e.first_observed_at as "firstObservedAt", case e.kind when 'rfq' then l.body end as "entryBody"
from documents e
${dialect.joinOne('versions', 'v', `${sameDocument('v', 'e')} and v.version = ${shown}`)}
${dialect.leftJoin('versions', 'l', `${LIST_DOCUMENT('l')} and l.version = ${newestOf(LIST_DOCUMENT('m'), isAsOf)}`)}
where ${where}`
  return { sql, parameters }
}

/** The order of an export. */
const IN_ORDER = 'order by e.channel, e.kind, e.rfq_id, e.id'

/** After all timestamps. */
const MAX_TIMESTAMP = '9999-12-31T23:59:59.999Z'

/** The versions of an RFQ and its offers up to a moment. In two parts, so that each is found by the key. */
const VERSIONS_OF_RFQ = `
select ${membersOf(...PLAIN)}, body as "bodyText",
  case when superseded_at <= @asOf then superseded_at end as "supersededAt"
from (
  select * from versions where channel = @channel and kind = 'rfq' and rfq_id = '' and id = @rfqId
  union all select * from versions where channel = @channel and kind = 'response' and rfq_id = @rfqId
) versions
where observed_at <= @asOf order by observed_at, kind desc, id, version`

/** Queries the current state, or the state as of a moment. */
export function createHistory(queries: Queries) {
  const select = async ({ sql, parameters }: ReturnType<typeof selectKnown>) =>
    (await queries.all<KnownRow>(sql, parameters)).map(toKnown)

  return {
    listings(filter: Pick<RfqFilter, 'channel' | 'asOf' | 'ids'>): Promise<KnownDocument[]> {
      const ids = filter.ids?.flatMap(formsOfId)
      const { sql, parameters } = selectKnown(queries, { ...filter, ids, kind: 'listing' })
      return select({ sql: `${sql} ${IN_ORDER}`, parameters })
    },

    async rfqs({ match, withoutResponses, ...filter }: RfqFilter): Promise<RfqWithResponses[]> {
      const ids = match === undefined ? filter.ids : await findNamed(queries, match, filter)
      if (ids?.length === 0) return []
      const { sql, parameters } = selectKnown(queries, { ...filter, ids, kind: 'rfq' })
      const responses = selectKnown(queries, { ...filter, ids: undefined, kind: 'response', rfqIds: ids })
      // One statement, so that an RFQ and its responses are consistent.
      const all = withoutResponses ? sql : `${sql} union all ${responses.sql.replace('@kind', "'response'")}`
      const found = await select({ sql: all, parameters: { ...parameters, rfqIds: parameters.ids } })
      const rfqs = groupByRfq(found).filter(({ rfq }) => match === undefined || match.former || isNamed(rfq, match))
      for (const { responses: own } of rfqs) await addMissing(queries, own, filter.asOf)
      return rfqs
    },

    /** Every version of an RFQ and its responses up to `asOf`, oldest first. */
    async rfqHistory(channel: string, rfqId: string, asOf?: Date): Promise<Version[]> {
      const parameters = { channel, rfqId, asOf: asOf?.toISOString() ?? MAX_TIMESTAMP }
      return (await queries.all<VersionRow>(VERSIONS_OF_RFQ, parameters)).map(toVersion)
    },

    /** @param filter.asOf only problems found by this moment; their last observation may be later */
    problems(filter: { channel?: string; entityIds?: readonly string[]; asOf?: Date }): Promise<ProblemRecord[]> {
      const { channel, entityIds, asOf } = filter
      const where = allOf(
        matching({ channel }),
        // With all kinds, so that ids are found by the key.
        entityIds ? `kind in ('listing', 'rfq', 'response') and ${queries.dialect.anyOf('entity_id', '@ids')}` : false,
        asOf !== undefined && 'first_seen_at <= @asOf',
      )
      const columns = ['channel', 'kind', 'entityId', 'path', 'code', 'message', 'firstSeenAt', 'lastSeenAt', 'times']
      return queries.all<ProblemRecord>(
        `select ${membersOf(...columns)} from problems where ${where} order by last_seen_at desc, channel, kind, entity_id, path, code`,
        { channel, ids: entityIds, asOf: asOf?.toISOString() },
      )
    },
  }
}

export function createExport(database: SqlDatabase) {
  return {
    /** Streams documents in a stable order. */
    async *export(filter: {
      kind?: DocumentKind
      channel?: string
      asOf?: Date
    }): AsyncGenerator<KnownDocument, void, undefined> {
      const { sql, parameters } = selectKnown(database, filter)
      // Those of an RFQ, or another document.
      let group: KnownDocument[] = []
      for await (const row of database.stream<KnownRow>(`${sql} ${IN_ORDER}`, parameters)) {
        const document = toKnown(row)
        const [first] = group
        if (document.rfqId === null || first?.channel !== document.channel || first.rfqId !== document.rfqId) {
          yield* await addMissing(database, group, filter.asOf)
          group = []
        }
        group.push(document)
      }
      yield* await addMissing(database, group, filter.asOf)
    },
  }
}

/** RFQs by channel and id, each with its responses by id. */
function groupByRfq(documents: readonly KnownDocument[]): RfqWithResponses[] {
  const inOrder = documents.toSorted((a, b) => compare(a.channel, b.channel) || compare(a.id, b.id))
  const nameOf = (channel: string, id: string | null) => `${channel}\0${id}`
  const rfqs = new Map<string, RfqWithResponses>()
  for (const rfq of inOrder) if (rfq.kind === 'rfq') rfqs.set(nameOf(rfq.channel, rfq.id), { rfq, responses: [] })
  for (const each of inOrder)
    if (each.kind === 'response') rfqs.get(nameOf(each.channel, each.rfqId))?.responses.push(each)
  return [...rfqs.values()]
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Adds since when offers of an RFQ were missing as of a moment: the first of the consecutive versions of the RFQ that do not list them. */
async function addMissing(
  queries: Queries,
  offers: readonly KnownDocument[],
  asOf: Date | undefined,
): Promise<readonly KnownDocument[]> {
  const { channel, rfqId: id = null } = offers[0] ?? {}
  let unlisted = asOf === undefined || id === null ? [] : offers
  for (let before = NO_LIMIT; unlisted.length > 0; ) {
    const row = await queries.get<{ version: number; observed_at: string; body: string }>(
      `select version, observed_at, body from versions where channel = @channel and kind = 'rfq' and rfq_id = ''
        and id = @id and shape = 'full' and observed_at <= @asOf and version < @before order by version desc limit 1`,
      { channel, id, asOf: asOf?.toISOString(), before },
    )
    if (row === undefined) break
    before = row.version
    const listed = listedIn(JSON.parse(row.body))
    if (listed === null) continue
    unlisted = unlisted.filter((offer) => !listed.has(offer.id))
    for (const offer of unlisted) offer.missingSince = row.observed_at
  }
  return offers
}

/** The offers that an RFQ lists; null if its list is not usable: then none is missing because the list does not have it. */
function listedIn(body: unknown): IdMap<true> | null {
  const responses = isPlainObject(body) ? body.responses : null
  if (!Array.isArray(responses)) return null
  const ids = responses.flatMap((each) => identifierOf(each) ?? [])
  return ids.length === responses.length ? new IdMap(ids.map((id) => [id, true])) : null
}

/** The ids of the RFQs that have or had a name, as the indexes find them. */
async function findNamed(queries: Queries, { text, kind }: RfqName, { channel, ids }: RfqFilter): Promise<string[]> {
  const { dialect } = queries
  const isMeant = (wanted: RfqName['kind']) => kind === undefined || kind === wanted
  const number = Number(text)
  const ofChannel = channel === undefined ? 'channel in (select channel from channels)' : 'channel = @channel'
  const named = (condition: string) => `select id from versions where kind = 'rfq' and ${condition}`
  const rows = await queries.all<{ id: string }>(
    `select id from documents where ${ofChannel} and kind = 'rfq' and rfq_id = '' and ${dialect.anyOf('id', '@named')}
    union ${named(`${dialect.rfqMember('number')} in (@number, @numberText)`)}
    union ${named(`lower(${dialect.rfqMember('reference')}) in (@reference, @decomposed)`)}`,
    {
      channel,
      named: isMeant('id') ? formsOfId(text) : [],
      number: isMeant('number') && Number.isFinite(number) && String(number) === text ? number : null,
      numberText: isMeant('number') ? text : null,
      reference: isMeant('reference') ? lowerCase(text.normalize('NFC')) : null,
      decomposed: isMeant('reference') ? lowerCase(text.normalize('NFD')) : null,
    },
  )
  const found = rows.map((row) => row.id)
  return ids === undefined ? found : found.filter((id) => ids.includes(id))
}

/** As the indexes have it: only these letters. */
const lowerCase = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const isNamed = ({ id, body }: KnownDocument, name: RfqName): boolean => hasName({ id, ...namesIn(body) }, name)

export type History = ReturnType<typeof createHistory>
