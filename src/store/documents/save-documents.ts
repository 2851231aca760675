import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { DocumentKind } from '../../core/documents/documents.js'
import type { LiveRun } from '../runs/run-contract.js'
import { allOf, storableJson, type Transaction } from '../sql/sql-database.js'
import { type ChangeContext, type DocumentChanges, type FoundProblem, problemName } from './document-changes.js'
import {
  CHANGING_COLUMNS,
  DOCUMENT_COLUMNS,
  type DocumentRow,
  KEY_COLUMNS,
  ROW_COLUMNS,
  sameDocument,
  VERSION_COLUMNS,
} from './document-rows.js'

const PROBLEMS_PER_STATEMENT = 500

/** Loads documents of a channel with their newest versions. @param ids of the documents, or of the RFQs of responses */
export async function loadRows(
  tx: Transaction,
  { channel }: LiveRun,
  kinds: readonly DocumentKind[],
  ids: readonly string[],
): Promise<DocumentRow[]> {
  if (ids.length === 0) return []
  const rows: DocumentRow[] = []
  const newest = tx.dialect.joinOne('versions', 'n', `${sameDocument('n', 'e')} and n.version = e.newest_version`)
  for (const kind of kinds) {
    const isResponse = kind === 'response'
    const where = allOf(!isResponse && `e.rfq_id = ''`, tx.dialect.anyOf(isResponse ? 'e.rfq_id' : 'e.id', '@ids'))
    const found = await tx.all<DocumentRow>(
      `select ${ROW_COLUMNS} from documents e ${newest}
      where e.channel = @channel and e.kind = @kind and ${where} order by e.id`,
      { channel, kind, ids },
    )
    rows.push(...found)
  }
  return rows
}

/**
 * Records when documents of which nothing has changed were seen. An RFQ is missing if, and only if, its entry is.
 * @param seen.wereRead they themselves were read, not only listed. Default false
 */
export async function seeDocuments(
  tx: Transaction,
  { run: { channel }, stamp, readAt }: ChangeContext,
  seen: { kinds: readonly DocumentKind[]; rfqId?: string; ids: readonly string[]; wereRead?: boolean },
): Promise<void> {
  const { kinds, rfqId = '', ids, wereRead = false } = seen
  const sql = `update documents set last_read_at = @readAt,
    ${wereRead ? 'full_read_at = @readAt, requested_at = @readAt,' : ''}
    last_observed_at = case when missing_since is null then @stamp else last_observed_at end
  where channel = @channel and ${tx.dialect.anyOf('kind', '@kinds')} and rfq_id = @rfqId and ${tx.dialect.anyOf('id', '@ids')}`
  if (ids.length > 0) await tx.run(sql, { channel, kinds, rfqId, ids, stamp, readAt })
}

/** Saves what became of documents. @returns the problems that are new */
export async function saveChanges(
  tx: Transaction,
  { channel }: LiveRun,
  changes: DocumentChanges,
): Promise<FoundProblem[]> {
  const { observed, versions } = changes
  const rows = [...observed.keys()]
  const known = rows.filter((row) => observed.get(row) !== null)
  // An index whose column is set is written, even if nothing changes.
  const columns = CHANGING_COLUMNS.filter((name) => known.some((row) => row[name] !== observed.get(row)?.[name]))
  const superseded = versions.flatMap(({ body: _body, ...row }) =>
    row.version > 1 ? { ...row, version: row.version - 1, superseded_at: row.observed_at } : [],
  )
  await tx.insertAll(
    'documents',
    DOCUMENT_COLUMNS,
    rows.filter((row) => observed.get(row) === null),
  )
  await tx.insertAll('versions', VERSION_COLUMNS, versions)
  if (columns.length > 0) await tx.updateAll('documents', KEY_COLUMNS, columns, known)
  await tx.updateAll('documents', KEY_COLUMNS, ['latest_body'], changes.newestTexts)
  await tx.updateAll('versions', [...KEY_COLUMNS, 'version'], ['superseded_at'], superseded)
  return saveProblems(tx, channel, [...changes.problems.values()])
}

/** Adds problems. @returns those that are new */
async function saveProblems(
  tx: Transaction,
  channel: string,
  problems: readonly FoundProblem[],
): Promise<FoundProblem[]> {
  const of = (name: string) => `value ->> '${name}'`
  const found: FoundProblem[] = []
  for (let start = 0; start < problems.length; start += PROBLEMS_PER_STATEMENT) {
    const batch = problems.slice(start, start + PROBLEMS_PER_STATEMENT)
    const stored = await tx.all<Parameters<typeof problemName>[0]>(
      `insert into problems (channel, kind, entity_id, path, code, message, first_seen_at, last_seen_at, times)
      select @channel, ${['kind', 'entity_id', 'path', 'code', 'message', 'stamp', 'stamp'].map(of).join(', ')},
        cast(${of('times')} as integer)
      from ${tx.dialect.elementsOf('@rows')} where true
      on conflict (channel, kind, entity_id, path, code) do update
        set last_seen_at = excluded.last_seen_at, times = problems.times + excluded.times
      returning kind, entity_id, path, code, times`,
      { channel, rows: storableJson(batch) },
    )
    const times = new Map(stored.map((row) => [problemName(row), row.times]))
    found.push(...batch.filter((each) => times.get(problemName(each)) === each.times))
    await yieldToEventLoop()
  }
  return found
}
