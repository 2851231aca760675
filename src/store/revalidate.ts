import type { DocumentKind } from '../domain/documents.js'
import type { Problem } from '../domain/lenient-parser.js'
import { parseStored } from '../domain/observation.js'
import type { Version } from '../domain/records.js'
import { type Connection, connect, yieldToEventLoop } from './connection.js'
import type { RevalidationReport } from './contract.js'

interface VersionRow {
  channel: string
  kind: DocumentKind
  rfq_id: string
  id: string
  version: number
  valid: number
  shape: Version['shape']
  body: string
}
type Entity = Pick<VersionRow, 'channel' | 'kind' | 'id'>

/** Codes of problems of a list, a request or a received text; they cannot be found by parsing stored bodies. */
const NON_DOCUMENT_CODES = `('duplicate', 'unavailable', 'duplicate-key', 'precision', 'conflict', 'api-key')`
const MAX_ROWS_PER_TURN = 500

/**
 * Parses every stored version with the current schemas, updates `valid`, removes problems that no version has any more and
 * adds new ones. Never changes a body. Uses short transactions, so that others can write meanwhile.
 */
export async function revalidate(connection: Connection, now: Date): Promise<RevalidationReport> {
  const report: RevalidationReport = { documents: 0, nowValid: 0, nowInvalid: 0, problemsGone: 0, problemsNew: 0 }
  for await (const versions of documentVersions(connection)) {
    await connection.write(() => revalidateDocument(connection, versions, now.toISOString(), report))
  }
  return report
}

/** Yields the versions of one document after another, from one consistent state. */
async function* documentVersions(connection: Connection): AsyncGenerator<VersionRow[]> {
  const reader = connect(connection.path)
  try {
    let entity: VersionRow[] = []
    let read = 0
    const rows = reader
      .prepare('select * from versions order by channel, kind, id, rfq_id, version')
      .iterate() as IterableIterator<VersionRow>
    for (const row of rows) {
      if (entity[0] && documentKey(entity[0]) !== documentKey(row)) {
        yield entity
        entity = []
      }
      entity.push(row)
      if (++read % MAX_ROWS_PER_TURN === 0) await yieldToEventLoop()
    }
    if (entity.length > 0) yield entity
  } finally {
    reader.close()
  }
}

// Problems have no rfq_id, so responses with one id in several RFQs share theirs.
const documentKey = ({ channel, kind, id }: Entity) => JSON.stringify([channel, kind, id])

function revalidateDocument(
  connection: Connection,
  versions: VersionRow[],
  now: string,
  report: RevalidationReport,
): void {
  const found = new Map<string, Problem>()
  const lossRecorded = versions[0] !== undefined && hasRecordedLoss(connection, versions[0])
  for (const row of versions) {
    const { valid, problems } = parseStored(row.kind, row.shape, JSON.parse(row.body))
    for (const problem of problems) found.set(JSON.stringify([problem.path, problem.code]), problem)
    report.documents++
    if (valid === (row.valid === 1) || (valid && lossRecorded)) continue
    report[valid ? 'nowValid' : 'nowInvalid']++
    connection
      .statement(
        `update versions set valid = @valid where channel = @channel and kind = @kind and rfq_id = @rfq_id and id = @id
          and version = @version`,
      )
      .run({
        channel: row.channel,
        kind: row.kind,
        rfq_id: row.rfq_id,
        id: row.id,
        version: row.version,
        valid: valid ? 1 : 0,
      })
  }
  if (versions[0]) updateProblems(connection, versions[0], found, now, report)
}

/**
 * Whether parsing a received text lost something, or list and detail disagreed (docs/DATABASE.md). The stored body cannot
 * show it, so a version that is not valid stays so until the document is received again.
 */
const hasRecordedLoss = (connection: Connection, { channel, kind, id }: Entity): boolean =>
  connection
    .statement(
      `select 1 from problems where channel = ? and kind = ? and entity_id = ? and code in ('duplicate-key', 'precision', 'conflict')`,
    )
    .get(channel, kind, id) !== undefined

function updateProblems(
  connection: Connection,
  { channel, kind, id }: Entity,
  found: ReadonlyMap<string, Problem>,
  now: string,
  report: RevalidationReport,
): void {
  const known = connection
    .statement(
      `select path, code from problems where channel = ? and kind = ? and entity_id = ?
        and code not in ${NON_DOCUMENT_CODES}`,
    )
    .all(channel, kind, id) as { path: string; code: string }[]
  const knownKeys = new Set(known.map(({ path, code }) => JSON.stringify([path, code])))
  for (const { path, code } of known) {
    if (found.has(JSON.stringify([path, code]))) continue
    report.problemsGone++
    connection
      .statement('delete from problems where channel = ? and kind = ? and entity_id = ? and path = ? and code = ?')
      .run(channel, kind, id, path, code)
  }
  for (const [key, { path, code, message }] of found) {
    if (knownKeys.has(key)) continue
    report.problemsNew++
    connection
      .statement('insert into problems values (?, ?, ?, ?, ?, ?, ?, ?, 1)')
      .run(channel, kind, id, path, code, message, now, now)
  }
}
