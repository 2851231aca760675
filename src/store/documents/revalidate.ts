import type { SubjectKind } from '../../core/documents/documents.js'
import { parseExactly } from '../../core/documents/exact-json.js'
import type { Problem } from '../../core/documents/lenient-parser.js'
import { parseStored } from '../../core/documents/observation.js'
import type { Version } from '../../core/records.js'
import type { RevalidationReport } from '../contract.js'
import { pacedWrites } from '../maintenance/paced-writes.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'
import { toStoredText } from './stored-text.js'

/** A row of `versions`. */
export interface StoredVersion {
  channel: string
  kind: SubjectKind
  rfq_id: string
  id: string
  version: number
  valid: number
  shape: Version['shape']
  body: string
  parsed_body: string | null
}
type Entity = Pick<StoredVersion, 'channel' | 'kind' | 'id'>

/** Without list entries, whose problems are recorded with their RFQs. */
export const SELECT_VERSIONS = `select * from versions where kind <> 'rfq-entry' order by channel, kind, id, rfq_id, version`

/** Codes of problems of a list, a request or a received text, which parsing stored bodies cannot find. */
const NON_DOCUMENT_CODES = `('duplicate', 'unavailable', 'unaddressable', 'encoding', 'duplicate-key', 'precision',
  'api-key')`

/**
 * Parses every stored version with the current schemas, updates `valid`, removes problems that no version has any more and
 * adds new ones. Never changes a body. Uses short transactions, so that other processes can write.
 * @param rows all versions by channel, kind, id, rfq_id and version, from one consistent state
 */
export async function revalidate(
  database: SqlDatabase,
  rows: AsyncIterable<StoredVersion>,
  now: Date,
): Promise<RevalidationReport> {
  const report: RevalidationReport = { documents: 0, nowValid: 0, nowInvalid: 0, problemsGone: 0, problemsNew: 0 }
  const write = pacedWrites(database)
  for await (const versions of byDocument(rows)) {
    const changed = await write((tx) => revalidateDocument(tx, versions, now.toISOString()))
    for (const name of Object.keys(report) as (keyof RevalidationReport)[]) report[name] += changed[name]
  }
  return report
}

/** Yields the versions of one document after another. */
async function* byDocument(rows: AsyncIterable<StoredVersion>): AsyncGenerator<StoredVersion[]> {
  let versions: StoredVersion[] = []
  for await (const row of rows) {
    if (versions[0] && documentKey(versions[0]) !== documentKey(row)) {
      yield versions
      versions = []
    }
    versions.push(row)
  }
  if (versions.length > 0) yield versions
}

// Problems have no rfq_id, so responses with the same id in several RFQs share them.
const documentKey = ({ channel, kind, id }: Entity) => JSON.stringify([channel, kind, id])

async function revalidateDocument(
  tx: Transaction,
  versions: readonly StoredVersion[],
  now: string,
): Promise<RevalidationReport> {
  const report = { documents: versions.length, nowValid: 0, nowInvalid: 0, problemsGone: 0, problemsNew: 0 }
  const [first] = versions
  if (!first) return report
  const entity = { channel: first.channel, kind: first.kind, id: first.id }
  // So that no other process records documents of the channel at the same time.
  await tx.get(`select channel from channels where channel = @channel ${tx.dialect.shareLock}`, entity)
  const found = new Map<string, Problem>()
  const lossRecorded = await hasRecordedLoss(tx, entity)
  for (const row of versions) {
    const { valid, problems } = parseRow(row)
    for (const { path, code, message } of problems) {
      const problem = { path: toStoredText(path), code, message: toStoredText(message) }
      found.set(JSON.stringify([problem.path, code]), problem)
    }
    if (valid === (row.valid === 1) || (valid && lossRecorded)) continue
    report[valid ? 'nowValid' : 'nowInvalid']++
    await tx.run(
      `update versions set valid = @valid where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id
        and version = @version`,
      { ...entity, rfqId: row.rfq_id, version: row.version, valid: valid ? 1 : 0 },
    )
  }
  const changed = await updateProblems(tx, entity, found, now)
  // So that the document is parsed the next time it is received.
  await tx.run(
    `update documents set fingerprint = null
    where channel = @channel and kind = @kind and id = @id and fingerprint is not null`,
    entity,
  )
  return { ...report, ...changed }
}

function parseRow({ kind, shape, body, parsed_body }: StoredVersion) {
  const value = JSON.parse(body) as unknown
  if (parsed_body === null) return parseStored(kind, shape, value)
  return parseStored(kind, shape, value, { text: body, ...parseExactly(body, value), hasInvalidUtf8: false })
}

/**
 * Whether parsing a received text lost something (docs/DATABASE.md). A body that was serialized again may not show this, so such a version
 * stays invalid until the document is received again.
 */
const hasRecordedLoss = async (tx: Transaction, entity: Entity): Promise<boolean> =>
  (await tx.get(
    `select 1 as found from problems where channel = @channel and kind = @kind and entity_id = @id
      and code in ('duplicate-key', 'precision')`,
    entity,
  )) !== undefined

async function updateProblems(tx: Transaction, entity: Entity, found: ReadonlyMap<string, Problem>, now: string) {
  const changed = { problemsGone: 0, problemsNew: 0 }
  const known = await tx.all<{ path: string; code: string; stays: number }>(
    `select path, code, case when code in ${NON_DOCUMENT_CODES} then 1 else 0 end as stays from problems
    where channel = @channel and kind = @kind and entity_id = @id`,
    entity,
  )
  const knownKeys = new Set(known.map(({ path, code }) => JSON.stringify([path, code])))
  for (const { path, code, stays } of known) {
    if (stays === 1 || found.has(JSON.stringify([path, code]))) continue
    changed.problemsGone++
    await tx.run(
      `delete from problems
      where channel = @channel and kind = @kind and entity_id = @id and path = @path and code = @code`,
      { ...entity, path, code },
    )
  }
  for (const [key, { path, code, message }] of found) {
    if (knownKeys.has(key)) continue
    changed.problemsNew++
    await tx.run(
      `insert into problems (channel, kind, entity_id, path, code, message, first_seen_at, last_seen_at, times)
      values (@channel, @kind, @id, @path, @code, @message, @now, @now, 1)`,
      { ...entity, path, code, message, now },
    )
  }
  return changed
}
