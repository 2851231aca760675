import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import type { Store } from '../contract.js'
import { StoreError } from '../errors.js'
import { assertNotInUse } from '../maintenance/restore.js'
import { openDatabase } from '../open-database.js'
import { isPostgresUrl } from '../postgres/postgres-url.js'
import { readSchema } from '../schema/schema.js'
import type { ChainReport } from '../sql/hash-chain.js'
import { deleteMeta, setMeta, UNFINISHED_COPY } from '../sql/meta.js'
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
export interface CopiedTable {
  name: string
  columns: readonly string[]
  key: readonly string[]
  /** Whether the database numbers the rows, by the key. */
  isNumbered: boolean
}

/** Not copied row by row: `meta`, and the request limits, which are times of a clock. */
const OTHER_TABLES = ['meta', 'request_limits']

/** Rows written in one transaction. */
const ROWS_PER_STEP = 200

/**
 * Copies a database of either engine to an empty one of either engine, with its identity. At the end, the rows of each table are counted
 * in both, and the logs of closings and awards are verified. Until then no process opens the copy, and one that was interrupted has to
 * be removed.
 * @throws StoreError if a process uses the database (PostgreSQL: if a run is in progress), if the new database has data, or if the copy differs because something was written
 */
export async function copyDatabase({ from, to, ...options }: CopyOptions): Promise<CopyReport> {
  if (!isPostgresUrl(from)) assertNotInUse(from)
  const source = await openDatabase({ database: from, create: false })
  try {
    await rejectLiveRuns(source)
    const target = await openDatabase({ database: to })
    try {
      return await copyAll(source, target, options)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** How long a run that another process left unfinished is watched before it counts as alive, in milliseconds. */
const WATCH_MS = 20_000

async function rejectLiveRuns(source: Pick<Store, 'name' | 'watchRuns'>): Promise<void> {
  const until = performance.now() + WATCH_MS
  for (;;) {
    const [run] = await source.watchRuns()
    if (run === undefined) return
    if (performance.now() > until)
      throw new StoreError(
        `${source.name} is in use: a run (${run.kind}) of ${run.channel} is in progress, by ${run.by}. ` +
          'Stop all processes that use it first.',
      )
    await delay(1_000)
  }
}

async function copyAll(source: Store, target: Store, { signal, onProgress }: Omit<CopyOptions, 'from' | 'to'>) {
  const tables = copiedTables()
  const found = await countRows(target.database, tables)
  if (found.some((rows) => rows > 0))
    throw new StoreError(`${target.name} has data already. Copy to an empty database.`)
  const meta = await source.database.all<{ key: string; value: string }>(
    `select key, value from meta where key <> 'schema'`,
  )
  await target.database.write(async (tx) => {
    await tx.run(`delete from meta where key <> 'schema'`)
    for (const { key, value } of meta) await setMeta(tx, key, value)
    await setMeta(tx, UNFINISHED_COPY, source.name)
  })
  const total = (await countRows(source.database, tables)).reduce((sum, rows) => sum + rows, 0)
  let done = 0
  for (const { name, columns, key } of tables) {
    let rows: object[] = []
    const write = async () => {
      signal?.throwIfAborted()
      await target.database.write((tx) => tx.insertAll(name, columns, rows))
      done += rows.length
      rows = []
      onProgress?.({ done, total })
    }
    for await (const row of source.database.stream<object>(
      `select ${columns.join(', ')} from ${name} order by ${key.join(', ')}`,
    )) {
      rows.push(row)
      if (rows.length === ROWS_PER_STEP) await write()
    }
    await write()
  }
  return finish(source, target, tables)
}

/** Makes the copy usable if it is the same as the source. */
async function finish(source: Store, target: Store, tables: readonly CopiedTable[]): Promise<CopyReport> {
  const differs = (what: string) =>
    new StoreError(
      `The copy differs from ${source.name} in ${what}: something changed the database meanwhile. ` +
        `Stop all processes that use it, remove the copy ${target.name}, and copy again.`,
    )
  const rows = await countRows(target.database, tables)
  const original = await countRows(source.database, tables)
  const different = tables.filter((_, at) => rows[at] !== original[at]).map(({ name }) => name)
  if (different.length > 0) throw differs(`the rows of ${different.join(', ')}`)
  const decisions = await target.verifyDecisions()
  if (decisions.message !== (await source.verifyDecisions()).message) throw differs('its chain of decisions')
  await target.database.write(async (tx) => {
    if (isPostgresUrl(target.name)) await continueNumbers(tx, tables)
    await deleteMeta(tx, UNFINISHED_COPY)
  })
  const copied = tables.map(({ name }, at) => ({ table: name, rows: rows[at] ?? 0 }))
  return { from: source.name, to: target.name, tables: copied, decisions }
}

/** The tables of the schema, each after those that it references. */
export function copiedTables(): CopiedTable[] {
  const db = new Database(':memory:')
  db.exec(readSchema('sqlite'))
  const tables = db
    .prepare("select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by rowid")
    .all() as { name: string; sql: string }[]
  return tables
    .filter(({ name }) => !OTHER_TABLES.includes(name))
    .map(({ name, sql }) => {
      const columns = db.pragma(`table_info(${name})`) as { name: string; pk: number }[]
      const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
      const namesOf = (each: typeof columns) => each.map((column) => column.name)
      return { name, columns: namesOf(columns), key: namesOf(key), isNumbered: sql.includes('autoincrement') }
    })
}

/** PostgreSQL does not notice which numbers were inserted. */
async function continueNumbers(tx: Transaction, tables: readonly CopiedTable[]): Promise<void> {
  for (const { name, key, isNumbered } of tables)
    if (isNumbered) await tx.get(`select setval(pg_get_serial_sequence('${name}', '${key}'), max(${key})) from ${name}`)
}

async function countRows(database: Queries, tables: readonly CopiedTable[]): Promise<number[]> {
  const counts = tables.map(({ name }, at) => `select ${at} as at, count(*) as rows from ${name}`)
  const rows = await database.all<{ rows: number }>(`${counts.join(' union all ')} order by at`)
  return rows.map((row) => row.rows)
}
