import type { DocumentKind } from '../domain/documents.js'
import { parseExactly } from '../domain/exact-json.js'
import type { Problem } from '../domain/lenient-parser.js'
import { parseStored } from '../domain/observation.js'
import type { Version } from '../domain/records.js'
import { type Connection, connect, yieldToEventLoop } from './connection.js'
import type { RevalidationReport } from './contract.js'
import { pacedWrites } from './paced-writes.js'
import { toStoredText } from './stored-text.js'

interface VersionRow {
  channel: string
  kind: DocumentKind
  rfq_id: string
  id: string
  version: number
  valid: number
  shape: Version['shape']
  body: string
  parsed_body: string | null
}
type Entity = Pick<VersionRow, 'channel' | 'kind' | 'id'>

/** Codes of problems of a list, a request or a received text: parsing stored bodies does not find them all. */
const NON_DOCUMENT_CODES = `('duplicate', 'unavailable', 'unaddressable', 'encoding', 'duplicate-key', 'precision',
  'conflict', 'api-key')`
const MAX_ROWS_PER_TURN = 500

/**
 * Parses every stored version with the current schemas, updates `valid`, removes problems that no version has any more and
 * adds new ones. Never changes a body. Uses short transactions, so that others can write meanwhile.
 */
export async function revalidate(connection: Connection, now: Date): Promise<RevalidationReport> {
  const report: RevalidationReport = { documents: 0, nowValid: 0, nowInvalid: 0, problemsGone: 0, problemsNew: 0 }
  const write = pacedWrites(connection)
  for await (const versions of documentVersions(connection)) {
    await write(() => revalidateDocument(connection, versions, now.toISOString(), report))
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
    const { valid, problems } = parseRow(row)
    for (const { path, code, message } of problems) {
      const problem = { path: toStoredText(path), code, message: toStoredText(message) }
      found.set(JSON.stringify([problem.path, code]), problem)
    }
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
  if (!versions[0]) return
  updateProblems(connection, versions[0], found, now, report)
  forgetFingerprint(connection, versions[0])
}

/** So that the document is parsed the next time it is received. */
function forgetFingerprint(connection: Connection, { channel, kind, id }: Entity): void {
  connection
    .statement(
      'update entities set fingerprint = null where channel = ? and kind = ? and id = ? and fingerprint is not null',
    )
    .run(channel, kind, id)
}

function parseRow({ kind, shape, body, parsed_body }: VersionRow) {
  const value = JSON.parse(body) as unknown
  if (parsed_body === null) return parseStored(kind, shape, value)
  return parseStored(kind, shape, value, { text: body, ...parseExactly(body, value), hasInvalidUtf8: false })
}

/**
 * Whether parsing a received text lost something, or list and detail disagreed (docs/DATABASE.md). Neither a body that an
 * earlier version stored nor the detail of an RFQ may show it, so a version that is not valid stays so until the document is
 * received again.
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
      `select path, code, code in ${NON_DOCUMENT_CODES} as stays from problems
      where channel = ? and kind = ? and entity_id = ?`,
    )
    .all(channel, kind, id) as { path: string; code: string; stays: number }[]
  const knownKeys = new Set(known.map(({ path, code }) => JSON.stringify([path, code])))
  for (const { path, code, stays } of known) {
    if (stays === 1 || found.has(JSON.stringify([path, code]))) continue
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
