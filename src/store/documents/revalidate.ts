import { setTimeout as wait } from 'node:timers/promises'
import type { SubjectKind } from '../../core/documents/documents.js'
import { parseDocument } from '../../core/documents/observation.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'
import { type DocumentKey, KEY_COLUMNS, type VersionRow } from './document-rows.js'

type SubjectKey = DocumentKey & { kind: SubjectKind }

/** Codes of problems of a list, a request or a received text, which parsing stored bodies cannot find. */
const NON_DOCUMENT_CODES = `('duplicate', 'unavailable', 'unaddressable', 'encoding')`
const OF_DOCUMENT = KEY_COLUMNS.map((column) => `${column} = @${column}`).join(' and ')

/**
 * Parses every stored version with the current schemas, updates `valid`, adds new problems and removes those that no version has any more.
 * Never changes a body. Uses short transactions, so that other processes can write.
 * @returns how many versions there are, and how many differences it found: of validity, and of problems
 */
export async function revalidate(database: SqlDatabase, now: Date): Promise<{ versions: number; changes: number }> {
  const started = now.toISOString()
  const found = new Set<string>()
  let [versions, changes] = [0, 0]
  // Without list entries, whose problems are recorded with their RFQs.
  const documents = await database.all<SubjectKey>(
    `select ${KEY_COLUMNS.join(', ')} from documents where kind <> 'rfq-entry'`,
  )
  for (const key of documents) {
    const parsed = await database.write((tx) => revalidateDocument(tx, key, started))
    for (const { path, code } of parsed.problems) found.add(nameOf({ ...key, path, code }))
    versions += parsed.versions
    changes += parsed.changes
    // Otherwise other processes might not get the lock of SQLite, which is not fair.
    await wait(1)
  }
  // What is recorded meanwhile stays.
  const known = await database.all<StoredProblem>(
    `select channel, kind, entity_id as id, path, code from problems
    where code not in ${NON_DOCUMENT_CODES} and last_seen_at < @started`,
    { started },
  )
  for (const problem of known.filter((each) => !found.has(nameOf(each)))) {
    const gone = `channel = @channel and kind = @kind and entity_id = @id and path = @path and code = @code`
    changes += await database.write((tx) => tx.run(`delete from problems where ${gone}`, { ...problem }))
  }
  return { versions, changes }
}

type StoredProblem = Record<'channel' | 'kind' | 'id' | 'path' | 'code', string>
const nameOf = ({ channel, kind, id, path, code }: StoredProblem) => [channel, kind, id, path, code].join('\0')

async function revalidateDocument(tx: Transaction, key: SubjectKey, now: string) {
  const { channel, kind, id } = key
  const versions = await tx.all<VersionRow & { body: string }>(
    `select * from versions where ${OF_DOCUMENT} and bodies > 0`,
    { ...key },
  )
  const parsed = versions.map((row) => {
    const bodies = (row.bodies > 1 ? JSON.parse(row.body) : [JSON.parse(row.body)]) as unknown[]
    const sent = row.shape === 'full' ? kind : row.shape === 'list' ? 'rfq-entry' : 'summary'
    const each = bodies.map((body) => parseDocument(sent, body))
    return { row, valid: Number(each.every(({ valid }) => valid)), problems: each.flatMap(({ problems }) => problems) }
  })
  const others = parsed.filter(({ row, valid }) => valid !== row.valid).map(({ row, valid }) => ({ ...row, valid }))
  await tx.updateAll('versions', [...KEY_COLUMNS, 'version'], ['valid'], others)
  if (others.length > 0) await tx.run(`update figures set key = '' where channel = @channel`, { channel })
  const problems = parsed.flatMap((each) => each.problems)
  let added = 0
  for (const { path, code, message } of problems)
    added += await tx.run(
      `insert into problems values (@channel, @kind, @id, @path, @code, @message, @now, @now, 1) on conflict do nothing`,
      { channel, kind, id, path, code, message, now },
    )
  return { versions: versions.length, changes: others.length + added, problems }
}
