import type { SubjectKind } from '../../core/documents/documents.js'
import { parseStored } from '../../core/documents/observation.js'
import { pacedWrites } from '../maintenance/paced-writes.js'
import { insertMembers, type SqlDatabase, type Transaction } from '../sql/sql-database.js'
import { type DocumentKey, KEY_COLUMNS, type VersionRow } from './document-rows.js'

/** Codes of problems of a list, a request or a received text, which parsing stored bodies cannot find. */
const NON_DOCUMENT_CODES = `('duplicate', 'unavailable', 'unaddressable', 'encoding')`
const OF_ENTITY = 'channel = @channel and kind = @kind and entity_id = @id'

/** Changes made by `revalidate`. */
interface RevalidationReport {
  /** Versions parsed. */
  documents: number
  /** Versions that became valid, and that became invalid. */
  nowValid: number
  nowInvalid: number
  problemsGone: number
  problemsNew: number
}

/** Documents whose problems are the same rows: problems have no `rfq_id`. */
interface Entity {
  channel: string
  kind: SubjectKind
  id: string
  rfqIds: string[]
}

/**
 * Parses every stored version with the current schemas, updates `valid`, removes problems that no version has any more and adds new ones.
 * Never changes a body. Uses short transactions, so that other processes can write.
 */
export async function revalidate(database: SqlDatabase, now: Date): Promise<RevalidationReport> {
  const report: RevalidationReport = { documents: 0, nowValid: 0, nowInvalid: 0, problemsGone: 0, problemsNew: 0 }
  const entities = new Map<string, Entity>()
  // Without list entries, whose problems are recorded with their RFQs.
  const documents = await database.all<DocumentKey & { kind: SubjectKind }>(
    `select channel, kind, rfq_id, id from documents where kind <> 'rfq-entry'`,
  )
  for (const { channel, kind, rfq_id, id } of documents) {
    const name = [channel, kind, id].join('\0')
    const known = entities.get(name)
    if (known) known.rfqIds.push(rfq_id)
    else entities.set(name, { channel, kind, id, rfqIds: [rfq_id] })
  }
  const write = pacedWrites(database)
  for (const entity of entities.values()) {
    const changed = await write((tx) => revalidateEntity(tx, entity, now.toISOString()))
    for (const name of Object.keys(report) as (keyof RevalidationReport)[]) report[name] += changed[name]
  }
  return report
}

async function revalidateEntity(tx: Transaction, entity: Entity, now: string): Promise<RevalidationReport> {
  const { channel, kind, id, rfqIds } = entity
  const report: RevalidationReport = { documents: 0, nowValid: 0, nowInvalid: 0, problemsGone: 0, problemsNew: 0 }
  // So that no other process records documents of the channel at the same time.
  await tx.get(`select channel from channels where channel = @channel ${tx.dialect.rowLock}`, { channel })
  const known = await tx.all<{ path: string; code: string; stays: number }>(
    `select path, code, case when code in ${NON_DOCUMENT_CODES} then 1 else 0 end as stays from problems
    where ${OF_ENTITY}`,
    { channel, kind, id },
  )
  const versions = await tx.all<VersionRow & { body: string }>(
    `select * from versions where channel = @channel and kind = @kind and ${tx.dialect.anyOf('rfq_id', '@rfqIds')}
      and id = @id and bodies > 0 order by rfq_id, version`,
    { channel, kind, id, rfqIds },
  )
  const found = new Map<string, { path: string; code: string; message: string }>()
  for (const row of versions) {
    const bodies = JSON.parse(row.body) as unknown
    const parsed = (row.bodies > 1 ? (bodies as unknown[]) : [bodies]).map((body) => parseStored(kind, row.shape, body))
    for (const { path, code, message } of parsed.flatMap(({ problems }) => problems))
      found.set(`${code} ${path}`, { path, code, message })
    const valid = parsed.every((each) => each.valid)
    report.documents++
    if (valid === (row.valid === 1)) continue
    report[valid ? 'nowValid' : 'nowInvalid']++
    await tx.updateAll('versions', [...KEY_COLUMNS, 'version'], ['valid'], [{ ...row, valid: Number(valid) }])
  }
  if (report.nowValid + report.nowInvalid > 0)
    await tx.run(`update figures set key = '' where channel = @channel`, { channel })
  for (const { path, code, stays } of known) {
    if (found.delete(`${code} ${path}`) || stays === 1) continue
    report.problemsGone++
    await tx.run(`delete from problems where ${OF_ENTITY} and path = @path and code = @code`, {
      ...{ channel, kind, id, path, code },
    })
  }
  report.problemsNew = found.size
  const rows = [...found.values()].map((problem) => ({
    ...{ channel, kind, entityId: id, ...problem, firstSeenAt: now, lastSeenAt: now, times: 1 },
  }))
  await insertMembers(tx, 'problems', rows)
  // So that the document is parsed the next time it is received.
  await tx.run(
    `update documents set text_hash = null
    where channel = @channel and kind = @kind and ${tx.dialect.anyOf('rfq_id', '@rfqIds')} and id = @id and text_hash is not null`,
    { channel, kind, id, rfqIds },
  )
  return report
}
