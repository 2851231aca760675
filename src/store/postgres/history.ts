import type { KnownDocument, RfqWithResponses } from '../../core/records.js'
import type { History, RfqFilter } from '../contract.js'
import { createDocumentQueries, type KnownRow, selectKnown, toKnown } from '../documents/queries/history-queries.js'
import { matchParameters } from '../documents/queries/rfq-match.js'
import type { Queries } from '../sql/sql-database.js'
import type { PostgresDatabase } from './postgres-database.js'

const ROWS_PER_PAGE = 200

const NUMBER = `m.document #>> '{number}'`
const NUMBER_TEXT = 'cast(cast(@number as numeric) as text)'

/**
 * The condition for RFQs with a given name. The subqueries run once, on the indexes of numbers and references.
 * @param key the columns that identify a version or a document, where `$` is the alias of the table
 */
const matchCondition = (key: string) => {
  const found = (condition: string) =>
    `(${key.replaceAll('$', 'v')}) in (select ${key.replaceAll('$', 'm')} from versions m where m.kind = 'rfq' and ${condition})`
  return `(v.id = any(@namedIds)
  or ${found(`${NUMBER} in (@numberText, ${NUMBER_TEXT}) and ${NUMBER} =
    case jsonb_typeof(m.document -> 'number') when 'number' then ${NUMBER_TEXT} when 'string' then @numberText end`)}
  or ${found(`lower((m.document #>> '{reference}') collate "C")
    in (lower(@reference collate "C"), lower(@decomposed collate "C"))
    and jsonb_typeof(m.document -> 'reference') = 'string'`)})`
}
const HAS_NAME = matchCondition('$.channel, $.id, $.version')
const HAD_NAME = matchCondition('$.channel, $.id')

/** Queries the current state, or the state as of a moment. */
export function createHistory(database: PostgresDatabase): History {
  return {
    ...createDocumentQueries(database),
    // In one snapshot, so that an RFQ and its responses are consistent.
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
  const condition = match !== undefined && (match.former ? HAD_NAME : HAS_NAME)
  const { sql, parameters } = selectKnown(queries, { ...filter, kind: 'rfq' }, condition)
  const names = match === undefined ? {} : matchParameters(match)
  const rfqs = (await queries.all<KnownRow>(sql, { ...parameters, ...names })).map(toKnown)
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
