import Database from 'better-sqlite3'
import { verifyDecisions } from '../closings/decision-log.js'
import type { Store } from '../contract.js'
import { StoreError } from '../errors.js'
import { assertNotInUse } from '../maintenance/restore.js'
import { databaseName, openDatabase } from '../open-database.js'
import { isPostgresUrl } from '../postgres/postgres-url.js'
import { readSchema } from '../schema/schema.js'
import type { ChainReport } from '../sql/hash-chain.js'
import type { Queries, Transaction } from '../sql/sql-database.js'

interface CopyOptions {
  /** Path or URL of each database. */
  from: string
  to: string
  signal?: AbortSignal
  /** Called with the number of rows that are copied. */
  onProgress?: (progress: { done: number; total: number }) => void
}

interface CopyReport {
  /** The names of the databases, without user and password. */
  from: string
  to: string
  tables: { table: string; rows: number }[]
  /** The result of verifying the chain of decisions, the same for both databases. */
  decisions: ChainReport
}

/** A table that is copied row by row. */
interface CopiedTable {
  name: string
  /** First, those of the key. */
  columns: readonly string[]
  /** Whether the first column is a number, which the database may count. */
  isNumbered: boolean
}

/** Rows read before they are written. */
const ROWS_PER_STEP = 200

/**
 * Copies a database of either engine to an empty one of either engine, with its identity, in one transaction. At its end, the rows of each
 * table are counted in both, and the chain of decisions is verified.
 * @throws StoreError if a process uses the database (PostgreSQL: if a run is in progress), if the new database has data, or if the copy
 *   would differ because something was written
 */
export async function copyDatabase({ from, to, ...options }: CopyOptions): Promise<CopyReport> {
  if (!isPostgresUrl(from)) assertNotInUse(from)
  const source = await openDatabase({ database: from, create: false })
  try {
    const [run] = isPostgresUrl(from) ? await source.watchRuns() : []
    if (run !== undefined)
      throw new StoreError(
        `${source.name} is in use: a run (${run.kind}) of ${run.channel} is in progress. ` +
          'Stop all processes that use it first. If the process has crashed, quotekeeper sync ends its run.',
      )
    const target = await openDatabase({ database: to })
    try {
      return await target.database.write((tx) => copyAll(source, tx, { to, ...options }))
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function copyAll(
  source: Store,
  tx: Transaction,
  { to, signal, onProgress }: Omit<CopyOptions, 'from'>,
): Promise<CopyReport> {
  const tables = copiedTables()
  if ((await countRows(tx, tables)).some((rows) => rows > 0))
    throw new StoreError(`${databaseName(to)} has data already. Copy to an empty database.`)
  await tx.run(`delete from meta where key <> 'schema'`)
  const meta = await source.database.all<object>(`select key, value from meta where key <> 'schema'`)
  await tx.insertAll('meta', ['key', 'value'], meta)
  const total = (await countRows(source.database, tables)).reduce((sum, rows) => sum + rows, 0)
  let done = 0
  for (const { name, columns, isNumbered } of tables) {
    const [first] = columns
    let rows: object[] = []
    const write = async () => {
      signal?.throwIfAborted()
      await tx.insertAll(name, columns, rows)
      done += rows.length
      rows = []
      onProgress?.({ done, total })
    }
    // In this order, because awards refer to earlier ones.
    const select = `select ${columns.join(', ')} from ${name} order by ${first}`
    for await (const row of source.database.stream<object>(select)) {
      rows.push(row)
      if (rows.length === ROWS_PER_STEP) await write()
    }
    await write()
    // PostgreSQL does not notice which numbers were inserted.
    if (isNumbered && isPostgresUrl(to))
      await tx.get(`select setval(pg_get_serial_sequence('${name}', '${first}'), max(${first})) from ${name}`)
  }
  const [copied, original] = [await countRows(tx, tables), await countRows(source.database, tables)]
  const differing = tables.filter((_, at) => copied[at] !== original[at]).map(({ name }) => name)
  const decisions = await verifyDecisions(tx)
  if (decisions.message !== (await source.verifyDecisions()).message) differing.push('its chain of decisions')
  if (differing.length > 0)
    throw new StoreError(
      `The copy differs from ${source.name} in ${differing.join(', ')}: something changed the database meanwhile. ` +
        'Nothing was copied. Stop all processes that use it, and copy again.',
    )
  const counts = tables.map(({ name }, at) => ({ table: name, rows: copied[at] ?? 0 }))
  return { from: source.name, to: databaseName(to), tables: counts, decisions }
}

/** The tables that are copied row by row, each after those that it references. */
export function copiedTables(): CopiedTable[] {
  const db = new Database(':memory:')
  db.exec(readSchema('sqlite'))
  const tables = db.prepare(
    `select t.name, json_group_array(c.name order by c.cid) as columns, max(c.cid = 0 and c.type = 'INTEGER') as is_numbered
    from sqlite_schema t join pragma_table_info(t.name) c
    where t.type = 'table' and t.name not like 'sqlite_%' and t.name <> 'meta' group by t.rowid order by t.rowid`,
  )
  return (tables.all() as { name: string; columns: string; is_numbered: number }[]).map((table) => ({
    ...{ name: table.name, columns: JSON.parse(table.columns), isNumbered: table.is_numbered === 1 },
  }))
}

async function countRows(database: Queries, tables: readonly CopiedTable[]): Promise<number[]> {
  const counts = tables.map(({ name }, at) => `select ${at} as at, count(*) as rows from ${name}`)
  const rows = await database.all<{ rows: number }>(`${counts.join(' union all ')} order by at`)
  return rows.map((row) => row.rows)
}
