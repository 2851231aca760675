import type { KnownDocument, RfqWithResponses } from '../../core/records.js'
import type { History, RfqFilter } from '../contract.js'
import {
  createDocumentQueries,
  type DocumentFilter,
  type KnownRow,
  selectKnown,
  toKnown,
} from '../documents/queries/history-queries.js'
import { matchParameters } from '../documents/queries/rfq-match.js'
import type { SqlParameters } from '../sql/sql-database.js'
import { type Connection, connect, type Sqlite } from './connection.js'
import { sqliteDatabase, toSqlite } from './sqlite-database.js'

/** A member of the document of a version `m`, as the indexes have it. */
const memberOf = (name: 'number' | 'reference') => `json_extract(coalesce(m.parsed_body, m.body), '$.${name}')`

/** The condition that a version of an RFQ has the given name. */
const hasName = (version: string) => {
  const document = `coalesce(${version}.parsed_body, ${version}.body)`
  return `(${version}.id in (select value from json_each(@namedIds))
    or json_extract(${document}, '$.number') = case json_type(${document}, '$.number')
      when 'integer' then @number when 'real' then @number when 'text' then @numberText end
    or json_extract(${document}, '$.reference') collate nocase in (@reference, @decomposed))`
}

const HAD_NAME = `exists (
  select 1 from versions m
  where m.channel = v.channel and m.kind = v.kind and m.rfq_id = v.rfq_id and m.id = v.id and ${hasName('m')})`

/** The condition that an RFQ may have or have had the given name: as the indexes find it, whatever the type of its number. */
const MAY_HAVE_NAME = `e.channel in (select channel from channels) and e.id in (
  select value from json_each(@namedIds)
  union select m.id from versions m where m.kind = 'rfq' and ${memberOf('number')} in (@number, @numberText)
  union select m.id from versions m
    where m.kind = 'rfq' and ${memberOf('reference')} collate nocase in (@reference, @decomposed))`

/** Queries the current state, or the state as of a moment. */
export function createHistory(connection: Connection): History {
  const database = sqliteDatabase(connection)

  const select = (
    { sql, parameters }: { sql: string; parameters: SqlParameters },
    more: SqlParameters = {},
  ): KnownDocument[] =>
    (connection.readStatement(sql).all(toSqlite({ ...parameters, ...more })) as KnownRow[]).map(toKnown)

  const rfqs = ({ match, withoutResponses, ...filter }: RfqFilter): RfqWithResponses[] => {
    const found = select(
      selectKnown(
        database,
        { ...filter, kind: 'rfq' },
        match !== undefined && `${MAY_HAVE_NAME} and ${match.former ? HAD_NAME : hasName('v')}`,
      ),
      match && matchParameters(match),
    ).map((rfq): RfqWithResponses => ({ rfq, responses: [] }))
    if (withoutResponses) return found
    for (const channel of new Set(found.map(({ rfq }) => rfq.channel))) {
      const byId = new Map(found.flatMap((each) => (each.rfq.channel === channel ? [[each.rfq.id, each]] : [])))
      const known = selectKnown(database, { asOf: filter.asOf, kind: 'response', channel, rfqIds: [...byId.keys()] })
      for (const each of select(known)) byId.get(each.rfqId ?? '')?.responses.push(each)
    }
    return found
  }

  return {
    ...createDocumentQueries(database),
    async rfqs(filter) {
      // In one read transaction, so that an RFQ and its responses are consistent.
      return connection.read((db) => db.transaction(() => rfqs(filter))())
    },
    export: (filter) => exportAll(connection, filter),
  }
}

async function* exportAll(connection: Connection, filter: DocumentFilter): AsyncGenerator<KnownDocument> {
  const { sql, parameters } = selectKnown(sqliteDatabase(connection), filter)
  // An open cursor blocks its connection, so the export uses a separate one, which also sees one consistent state.
  const reader: Sqlite = connect(connection.reader.name)
  try {
    for (const row of reader.prepare(sql).iterate(toSqlite(parameters))) yield toKnown(row as KnownRow)
  } finally {
    reader.close()
  }
}
