import { createHash } from 'node:crypto'
import { createAwards } from '../awards/awards.js'
import { createDecisionLog } from '../closings/decision-log.js'
import { StoreError } from '../errors.js'
import { createEventWriter } from '../events/event-writer.js'
import { UNFINISHED_COPY } from '../postgres/migrate.js'
import { isPostgresUrl } from '../postgres/postgres-url.js'
import { deleteMeta, findIdentity, findMeta, setMeta } from '../sql/meta.js'
import { COPIED_TABLES, type CopiedTable, columnsOf, NUMBERED } from './copied-tables.js'
import type { CopySide, CopySource, CopyTarget } from './copy-side.js'
import { type Key, readPages } from './read-pages.js'

export interface CopyOptions {
  /** Path or URL of each database. */
  from: string
  to: string
  now: Date
  signal?: AbortSignal
  onProgress?: (progress: { table: string; verifying: boolean; done: number; total: number }) => void
}

export interface CopyReport {
  from: string
  to: string
  /** Whether an earlier copy was finished. */
  resumed: boolean
  tables: { table: string; rows: number; sha256: string }[]
  /** The result of verifying the closing log, the same for both databases. */
  closings: string
}

/** The progress, stored in the copy until it is finished. Tables before `table` are complete. */
interface Unfinished {
  /** The identity of the database that is copied. */
  source: string
  /** Null if all are complete. */
  table: string | null
  after: Key | null
}

interface CopyContext extends CopyOptions {
  source: CopySource
  target: CopyTarget
}

/**
 * Copies a database of either engine to a new one of either engine, and verifies the copy: the rows of each table by their number and
 * SHA-256, and the closing log and the award log by their hash chains. The copy has the identity of the database and cannot be used
 * before it is finished; an interrupted copy is resumed. Writes during the copy would be missing in it: PostgreSQL is locked against them,
 * and a copy of a SQLite database that was written to is not finished.
 * @throws StoreError if a process uses the database, if it was written to, if the new one has other data, or if the copy differs
 */
export async function copyDatabase(options: CopyOptions): Promise<CopyReport> {
  const source = await openSource(options)
  try {
    await rejectLiveRuns(source, options.now)
    const target = await openTarget(options)
    try {
      return await copyAll({ ...options, source, target })
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function openSource({ from }: CopyOptions): Promise<CopySource> {
  if (isPostgresUrl(from)) return (await import('./postgres-side.js')).openPostgresSource(from)
  return (await import('./sqlite-side.js')).openSqliteSource(from)
}

async function openTarget({ to, now }: CopyOptions): Promise<CopyTarget> {
  if (isPostgresUrl(to)) return (await import('./postgres-side.js')).openPostgresTarget(to, now)
  return (await import('./sqlite-side.js')).openSqliteTarget(to, now)
}

async function rejectLiveRuns({ name, database }: CopySide, now: Date): Promise<void> {
  const row = await database.get<{ channel: string; kind: string; holder: string }>(
    'select channel, kind, holder from runs where finished_at is null and lease_until > @now order by id limit 1',
    { now: now.toISOString() },
  )
  if (row)
    throw new StoreError(
      `${name} is in use: a run (${row.kind}) of ${row.channel} is in progress. Stop all processes that use it first.`,
    )
}

async function copyAll(context: CopyContext): Promise<CopyReport> {
  const { source, target } = context
  const identity = await findIdentity(source.database)
  const unfinished = await beginOrContinue(target, identity)
  const reached = COPIED_TABLES.findIndex(({ name }) => name === unfinished?.table)
  const first = unfinished?.table === null ? COPIED_TABLES.length : Math.max(0, reached)
  for (const [at, table] of COPIED_TABLES.entries()) {
    if (at < first) continue
    const after = table.name === unfinished?.table ? unfinished.after : null
    await copyTable(context, table, { source: identity, table: table.name, after })
  }
  await copyNumbers(source, target)
  const tables = []
  for (const table of COPIED_TABLES) tables.push(await verifyTable(context, table))
  const closings = await verifyDecisions(source, target)
  await verifyAwards(source, target)
  await copyMeta(source, target)
  await target.finish()
  return { from: source.name, to: target.name, resumed: unfinished !== null, tables, closings }
}

/** @returns the progress of an interrupted copy, or null */
async function beginOrContinue(
  { name, database, removal, isInPlace }: CopyTarget,
  source: string,
): Promise<Unfinished | null> {
  const ofAnother = new StoreError(
    `${name} is an unfinished copy of another database. Remove it (${removal}), or copy to another one.`,
  )
  const progress = await findMeta(database, UNFINISHED_COPY)
  if (progress !== null) {
    const unfinished = JSON.parse(progress) as Unfinished
    if (unfinished.source === source) return unfinished
    throw ofAnother
  }
  const found = await database.get<{ found: number }>(
    `select (select count(*) from runs) + (select count(*) from channels) + (select count(*) from events)
      + (select count(*) from delivery_targets) + (select count(*) from maintenance) as found`,
  )
  if (!found?.found) return null
  if (isInPlace) throw new StoreError(`${name} has data already. Copy to an empty database.`)
  // It was interrupted before its file was renamed.
  if ((await findIdentity(database)) !== source) throw ofAnother
  return { source, table: null, after: null }
}

async function copyTable(
  { source, target, signal, onProgress }: CopyContext,
  table: CopiedTable,
  progress: Unfinished,
): Promise<void> {
  const columns = await columnsOf(table, [source, target])
  const total = await countRows(source, table)
  let done = progress.after === null ? 0 : await countRows(target, table)
  for await (const { rows, last } of readPages(source, table, { columns, after: progress.after })) {
    signal?.throwIfAborted()
    await target.database.write(async (tx) => {
      await target.insert(tx, table.name, columns, rows)
      await setMeta(tx, UNFINISHED_COPY, JSON.stringify({ ...progress, after: last } satisfies Unfinished))
    })
    done += rows.length
    onProgress?.({ table: table.name, verifying: false, done, total })
  }
}

const countRows = async ({ database }: CopySide, { name }: CopiedTable): Promise<number> =>
  (await database.get<{ count: number }>(`select count(*) as count from ${name}`))?.count ?? 0

async function copyNumbers(source: CopySide, target: CopyTarget): Promise<void> {
  const numbers = await Promise.all(
    NUMBERED.map(async ({ table, column }) => ({ table, column, value: await source.newestNumber(table, column) })),
  )
  await target.database.write(async (tx) => {
    for (const { table, column, value } of numbers) await target.setNewestNumber(tx, table, column, value)
  })
}

async function verifyTable({ source, target, signal, onProgress }: CopyContext, table: CopiedTable) {
  const columns = await columnsOf(table, [source, target])
  const total = await countRows(source, table)
  const digest = async (side: CopySide) => {
    const hash = createHash('sha256')
    let rows = 0
    for await (const page of readPages(side, table, { columns, after: null })) {
      signal?.throwIfAborted()
      for (const row of page.rows) hash.update(`${JSON.stringify(columns.map((column) => row[column]))}\n`)
      rows += page.rows.length
      if (side === source) onProgress?.({ table: table.name, verifying: true, done: rows, total })
    }
    return { rows, sha256: hash.digest('hex') }
  }
  const [original, copy] = await Promise.all([digest(source), digest(target)])
  if (original.rows !== copy.rows || original.sha256 !== copy.sha256)
    throw new StoreError(
      `The copy differs from ${source.name} in ${table.name} (${original.rows} rows, copied ${copy.rows}), so it cannot be used. ` +
        `Something changed the database meanwhile: stop all processes, remove the copy (${target.removal}), and copy again.`,
    )
  return { table: table.name, ...original }
}

const withoutStop = (verification?: { message: string }) => verification?.message.replace(/\.$/, '')

const verifyDecisions = (source: CopySide, target: CopyTarget) =>
  verifyLog(source, target, 'closing log', ({ database }) =>
    createDecisionLog(database, createEventWriter(database)).verifyDecisions(),
  )

const verifyAwards = (source: CopySide, target: CopyTarget) =>
  verifyLog(source, target, 'award log', ({ database }) => createAwards(database).verifyAwards())

/** Both logs must verify alike. A broken log is copied as it is. */
async function verifyLog(
  source: CopySide,
  target: CopyTarget,
  log: string,
  verify: (side: CopySide) => Promise<{ message: string }>,
): Promise<string> {
  const [original, copy] = await Promise.all([source, target].map(verify))
  if (JSON.stringify(original) !== JSON.stringify(copy))
    throw new StoreError(
      `The ${log} of the copy differs: ${withoutStop(copy)}; that of ${source.name}: ${withoutStop(original)}. Remove the copy ` +
        `(${target.removal}), and copy again.`,
    )
  return copy?.message ?? ''
}

/** Copies the identity, so that a queue accepts the copy, and makes the copy usable. */
async function copyMeta(source: CopySource, target: CopyTarget): Promise<void> {
  const rows = await source.database.all<{ key: string; value: string }>('select key, value from meta order by key')
  await source.rejectChanges(target.removal)
  await target.database.write(async (tx) => {
    for (const { key, value } of rows) await setMeta(tx, key, value)
    await deleteMeta(tx, UNFINISHED_COPY)
  })
}
