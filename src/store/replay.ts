import type { DocumentKind } from '../domain/documents.js'
import type { Problem } from '../domain/lenient-parser.js'
import { parseStored } from '../domain/observation.js'
import type { Version } from '../domain/records.js'
import { type Connection, connect, yieldToEventLoop } from './connection.js'
import type { ReplayReport } from './contract.js'

interface Row {
  channel: string
  kind: DocumentKind
  rfq_id: string
  id: string
  version: number
  valid: number
  shape: Version['shape']
  body: string
}
type Entity = Pick<Row, 'channel' | 'kind' | 'id'>

/** Problems of a list or of the marketplace's answers: no document shows them again. */
const NOT_OF_DOCUMENTS = `('duplicate', 'unavailable')`
const CHUNK = 500

/**
 * Reads every stored version again with the schemas of this program: whether it fits is said anew, problems that no
 * version shows any more are removed, new ones noted. No body is touched. Short transactions: others go on writing.
 */
export async function revalidate(connection: Connection, now: Date): Promise<ReplayReport> {
  const report: ReplayReport = { documents: 0, nowValid: 0, nowInvalid: 0, problemsGone: 0, problemsNew: 0 }
  for await (const versions of documentVersions(connection)) {
    await connection.write(() => revalidateDocument(connection, versions, now.toISOString(), report))
  }
  return report
}

/** The versions of one document after another, from one consistent state. */
async function* documentVersions(connection: Connection): AsyncGenerator<Row[]> {
  const reader = connect(connection.path)
  try {
    let entity: Row[] = []
    let read = 0
    const rows = reader
      .prepare('select * from versions order by channel, kind, id, rfq_id, version')
      .iterate() as IterableIterator<Row>
    for (const row of rows) {
      if (entity[0] && documentKey(entity[0]) !== documentKey(row)) {
        yield entity
        entity = []
      }
      entity.push(row)
      if (++read % CHUNK === 0) await yieldToEventLoop()
    }
    if (entity.length > 0) yield entity
  } finally {
    reader.close()
  }
}

// Problems are kept by channel, kind and identifier, whichever RFQ a response belongs to.
const documentKey = ({ channel, kind, id }: Entity) => JSON.stringify([channel, kind, id])

function revalidateDocument(connection: Connection, versions: Row[], now: string, report: ReplayReport): void {
  const shown = new Map<string, Problem>()
  for (const row of versions) {
    const { valid, problems } = parseStored(row.kind, row.shape, JSON.parse(row.body))
    for (const problem of problems) shown.set(JSON.stringify([problem.path, problem.code]), problem)
    report.documents++
    if (valid === (row.valid === 1)) continue
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
  if (versions[0]) updateProblems(connection, versions[0], shown, now, report)
}

function updateProblems(
  connection: Connection,
  { channel, kind, id }: Entity,
  shown: ReadonlyMap<string, Problem>,
  now: string,
  report: ReplayReport,
): void {
  const known = connection
    .statement(
      `select path, code from problems where channel = ? and kind = ? and entity_id = ?
        and code not in ${NOT_OF_DOCUMENTS}`,
    )
    .all(channel, kind, id) as { path: string; code: string }[]
  const names = new Set(known.map(({ path, code }) => JSON.stringify([path, code])))
  for (const { path, code } of known) {
    if (shown.has(JSON.stringify([path, code]))) continue
    report.problemsGone++
    connection
      .statement('delete from problems where channel = ? and kind = ? and entity_id = ? and path = ? and code = ?')
      .run(channel, kind, id, path, code)
  }
  for (const [name, { path, code, message }] of shown) {
    if (names.has(name)) continue
    report.problemsNew++
    connection
      .statement('insert into problems values (?, ?, ?, ?, ?, ?, ?, ?, 1)')
      .run(channel, kind, id, path, code, message, now, now)
  }
}
