import type { KnownDocument, RfqWithResponses } from '../../domain/records.js'
import type { History, RfqFilter } from '../contract.js'
import { createDocumentQueries, type KnownRow, selectKnown, toKnown } from '../document-queries.js'
import type { Queries } from '../sql-database.js'
import { toStoredText } from '../stored-text.js'
import type { PostgresDatabase } from './postgres-database.js'

const ROWS_PER_PAGE = 200

// The RFQs are found once, by the indexes that versions have of numbers and references.
const MATCH_CONDITION = `(v.id in (@match, @storedMatch)
  or (v.channel, v.id) in (
    select m.channel, m.id from versions m where m.kind = 'rfq' and m.document #>> '{number}' in (@match, @match || '.0'))
  or (v.channel, v.id) in (
    select m.channel, m.id from versions m
    where m.kind = 'rfq' and lower((m.document #>> '{reference}') collate "C") = lower(@match collate "C")))`

/** Queries the current state, or the state as of a moment. */
export function createHistory(database: PostgresDatabase): History {
  return {
    ...createDocumentQueries(database),
    // One state of the database, so that an RFQ and its responses belong together.
    rfqs: (filter) => database.snapshot((queries) => selectRfqs(queries, filter)),
    async *export(filter) {
      const { sql, parameters } = selectKnown(database, filter)
      for await (const row of database.stream<KnownRow>(sql, parameters, ROWS_PER_PAGE)) yield toKnown(row)
    },
  }
}

async function selectRfqs(
  queries: Queries,
  { match, withoutResponses, ...filter }: RfqFilter,
): Promise<RfqWithResponses[]> {
  const { sql, parameters } = selectKnown(queries, { ...filter, kind: 'rfq' }, match !== undefined && MATCH_CONDITION)
  // NUL is in no stored text, and PostgreSQL rejects it.
  const texts = match === undefined ? {} : { match: match.replaceAll('\0', ''), storedMatch: toStoredText(match) }
  const rfqs = (await queries.all<KnownRow>(sql, { ...parameters, ...texts })).map(toKnown)
  const found = rfqs.map((rfq): RfqWithResponses => ({ rfq, responses: [] }))
  if (withoutResponses) return found
  for (const channel of new Set(rfqs.map((rfq) => rfq.channel))) {
    const ofChannel = found.filter(({ rfq }) => rfq.channel === channel)
    const responses = await selectResponses(queries, channel, ofChannel, filter.asOf)
    for (const { rfq, responses: own } of ofChannel) own.push(...(responses.get(rfq.id) ?? []))
  }
  return found
}

async function selectResponses(
  queries: Queries,
  channel: string,
  rfqs: readonly RfqWithResponses[],
  asOf: Date | undefined,
): Promise<Map<string, KnownDocument[]>> {
  const rfqIds = rfqs.map(({ rfq }) => rfq.id)
  const { sql, parameters } = selectKnown(queries, { kind: 'response', channel, asOf, rfqIds })
  const byRfq = new Map<string, KnownDocument[]>()
  for (const row of await queries.all<KnownRow>(sql, parameters)) {
    const known = toKnown(row)
    const responses = byRfq.get(known.rfqId ?? '')
    if (responses) responses.push(known)
    else byRfq.set(known.rfqId ?? '', [known])
  }
  return byRfq
}
