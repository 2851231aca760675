import Database from 'better-sqlite3'
import { OPEN_INTENT_STATES } from '../../core/close-intent.js'
import { AWARD_LOG, type AwardRow } from '../awards/award-rows.js'
import { CLOSING_STOPPED } from '../closings/closing-stop.js'
import { DECISION_LOG, type DecisionRow } from '../closings/decision-log.js'
import { GENESIS, verifyChain } from '../sql/hash-chain.js'
import { connect, retryWhileBusy, type Sqlite } from '../sqlite/connection.js'

/** How many rows were merged, or why none were. */
export type ClosingStateMerge = { decisions: number; intents: number } | { skipped: string }

type Row = Record<string, string | number | null>

/** Thrown in the transaction to roll it back; its message is the `skipped` of the result. */
class MergeRefusedError extends Error {}

/**
 * Copies to a restored backup the closing state that it lacks from the database that it replaces, in one transaction: later decisions, close
 * intents and their runs, and later awards and events. Otherwise a restored backup would send closes again that the marketplace has refused,
 * or whose effect is uncertain (docs/CLOSING.md, rule 11). Decisions are copied verbatim, so that the hash chain stays valid.
 * @param restored path of the restored database, which no process has open
 * @param replaced path of the replaced database, with its `-wal` file in the same folder if there is one
 * @returns `skipped` with the reason if the log of the backup is not the beginning of the replaced one, or the replaced database cannot be
 *   read; the restored database is then unchanged
 */
export async function mergeClosingState(restored: string, replaced: string): Promise<ClosingStateMerge> {
  let source: Sqlite | undefined
  let target: Sqlite | undefined
  try {
    source = openReplaced(replaced)
    const chain = readChain(source)
    target = connect(restored)
    const db = target
    const from = source
    await retryWhileBusy(() => db.exec('begin immediate'))
    const merged = copyClosings(from, db, chain)
    await retryWhileBusy(() => db.exec('commit'))
    return merged
  } catch (error) {
    if (target?.inTransaction) target.exec('rollback')
    if (error instanceof MergeRefusedError) return { skipped: error.message }
    if (!(error instanceof Database.SqliteError)) throw error
    return { skipped: `The closings of ${replaced} were not carried over to ${restored}: ${error.message}.` }
  } finally {
    source?.close()
    target?.close()
  }
}

function openReplaced(path: string): Sqlite {
  try {
    return new Database(path, { readonly: true, fileMustExist: true })
  } catch (error) {
    throw new MergeRefusedError(`The replaced database ${path} cannot be opened (${(error as Error).message}).`)
  }
}

/** The decisions of the replaced database, verified. */
function readChain(source: Sqlite): DecisionRow[] {
  try {
    const rows = source.prepare('select * from close_decisions order by id').all() as DecisionRow[]
    const { brokenAt, message } = verifyChain(DECISION_LOG, rows, rows.length)
    if (brokenAt === null) return rows
    throw new MergeRefusedError(`The closing log of the replaced database ${source.name} is not intact: ${message}`)
  } catch (error) {
    if (error instanceof MergeRefusedError) throw error
    throw new MergeRefusedError(
      `The closings of the replaced database ${source.name} cannot be read (${(error as Error).message}).`,
    )
  }
}

function copyClosings(source: Sqlite, target: Sqlite, chain: readonly DecisionRow[]): ClosingStateMerge {
  const known = target.prepare('select id, hash from close_decisions order by id desc limit 1').get() as
    | { id: number; hash: string }
    | undefined
  const last = known?.id ?? 0
  const newest = chain.at(-1)
  const isLater = newest !== undefined && newest.id < last
  const common = isLater
    ? target.prepare('select hash from close_decisions where id = ?').pluck().get(newest.id)
    : (known?.hash ?? GENESIS)
  const expected = isLater ? newest.hash : last === 0 ? GENESIS : chain[last - 1]?.hash
  if (common !== expected) {
    throw new MergeRefusedError(
      `The closing log of ${target.name} (${last} closings) is not the beginning of the one of ${source.name} ` +
        `(${chain.length} closings): they come from different databases, or the backup was used after it was made.`,
    )
  }
  const later = chain.slice(last)
  const intents = changedIntents(source, target)
  const runIds = new Set([...later.map(({ run_id }) => run_id), ...intents.map(({ run_id }) => Number(run_id))])
  for (const id of [...runIds].sort((a, b) => a - b)) copyRun(source, target, id)
  const insert = inserter(source, target, 'close_decisions')
  for (const decision of later) insert(decision as unknown as Row)
  copyIntents(source, target, intents)
  copyRepeats(source, target)
  copyStop(source, target)
  const refusal = copyAwards(source, target)
  if (refusal !== null) throw new MergeRefusedError(refusal)
  copyEvents(source, target)
  copyCounters(source, target)
  return { decisions: later.length, intents: intents.length }
}

/** Copies a run, or the end of a run that is unfinished in the backup. */
function copyRun(source: Sqlite, target: Sqlite, id: number): void {
  const run = source.prepare('select * from runs where id = ?').get(id) as Row | undefined
  if (!run) throw new MergeRefusedError(`Run ${id} is missing in ${source.name}.`)
  const ended: Row =
    run.finished_at === null
      ? {
          ...run,
          finished_at: run.started_at ?? null,
          outcome: 'interrupted',
          error: 'a backup was restored before the run was finished',
        }
      : run
  const known = target.prepare('select * from runs where id = ?').get(id) as Row | undefined
  if (!known) {
    inserter(source, target, 'runs')(ended)
    return
  }
  if (known.channel !== run.channel || known.kind !== run.kind || known.started_at !== run.started_at) {
    throw new MergeRefusedError(
      `Run ${id} of ${target.name} is another one than in ${source.name}: the backup was used after it was made.`,
    )
  }
  if (known.finished_at !== null) return // The backup has the end of the run.
  const columns = sharedColumns(source, target, 'runs').filter((column) => column !== 'id')
  target
    .prepare(`update runs set ${columns.map((column) => `${column} = @${column}`).join(', ')} where id = @id`)
    .run(pick(ended, [...columns, 'id']))
}

/** Intents that the restored database does not have, or has in an earlier state. */
function changedIntents(source: Sqlite, target: Sqlite): Row[] {
  const find = target.prepare('select * from close_intents where id = ?')
  const rows = source.prepare('select * from close_intents order by id').all() as Row[]
  return rows.filter((row) => {
    const known = find.get(row.id) as Row | undefined
    if (!known) return true
    if (known.channel !== row.channel || known.rfq_id !== row.rfq_id || known.created_at !== row.created_at) {
      throw new MergeRefusedError(
        `Close intent ${row.id} of ${target.name} is another one than in ${source.name}: ` +
          'the backup was used after it was made.',
      )
    }
    return known.state !== row.state || known.posts !== row.posts || known.sent_at !== row.sent_at
  })
}

function copyIntents(source: Sqlite, target: Sqlite, intents: readonly Row[]): void {
  const insert = inserter(source, target, 'close_intents')
  const update = target.prepare(
    `update close_intents set state = @state, posts = @posts, sent_at = @sent_at, settled_at = @settled_at where id = @id`,
  )
  const exists = target.prepare('select 1 from close_intents where id = ?')
  const isOpen = (row: Row) => OPEN_INTENT_STATES.some((state) => state === row.state)
  // Settled intents first, because an RFQ may have only one open intent.
  for (const row of [...intents].sort((a, b) => Number(isOpen(a)) - Number(isOpen(b)) || Number(a.id) - Number(b.id))) {
    if (!exists.get(row.id)) insert(row)
    else update.run(pick(row, ['id', 'state', 'posts', 'sent_at', 'settled_at']))
  }
}

function copyRepeats(source: Sqlite, target: Sqlite): void {
  const table = 'close_decision_repeats'
  const insert = inserter(source, target, table, 'insert or replace')
  for (const row of source.prepare(`select * from ${table}`).all() as Row[]) insert(row)
}

/** Copies the order of a person to stop all closing. */
function copyStop(source: Sqlite, target: Sqlite): void {
  const order = source.prepare('select * from meta where key = ?').get(CLOSING_STOPPED) as Row | undefined
  if (!order) return
  inserter(source, target, 'meta', 'insert or replace')(order)
}

/**
 * Copies the awards that the backup lacks verbatim, with their settings and workbooks.
 * @returns why no award can be copied, or null
 */
function copyAwards(source: Sqlite, target: Sqlite): string | null {
  const rows = source.prepare('select * from awards order by id').all() as AwardRow[]
  const { brokenAt, message } = verifyChain(AWARD_LOG, rows, rows.length)
  if (brokenAt !== null) return `The award log of the replaced database ${source.name} is not intact: ${message}`
  const known = target.prepare('select hash from awards order by id').pluck().all() as string[]
  const common = Math.min(known.length, rows.length)
  if ((known[common - 1] ?? GENESIS) !== (rows[common - 1]?.hash ?? GENESIS))
    return `The award log of ${target.name} is not the beginning of the one of ${source.name}: the backup was used after it was made.`
  const copy = (table: string, key: string, value: string | number | null) => {
    const row = source.prepare(`select * from ${table} where ${key} = ?`).get(value) as
      | Record<string, unknown>
      | undefined
    if (row === undefined) return
    const columns = Object.keys(row)
    const values = columns.map((column) => `@${column}`).join(', ')
    target.prepare(`insert or ignore into ${table} (${columns.join(', ')}) values (${values})`).run(row)
  }
  for (const { id, settings_hash: settings } of rows.slice(known.length)) {
    copy('settings', 'hash', settings)
    copy('awards', 'id', id)
    copy('award_files', 'award_id', id)
  }
  return null
}

/** Copies later events, so that readers of the feed miss none. Deliveries are not copied. */
function copyEvents(source: Sqlite, target: Sqlite): void {
  const newest = target.prepare(`select value from counters where name = 'events'`).pluck().get() as number
  const insert = inserter(source, target, 'events', 'insert or ignore')
  for (const row of source.prepare('select * from events where sequence > ? order by sequence').iterate(newest))
    insert(row as Row)
}

function copyCounters(source: Sqlite, target: Sqlite): void {
  const advance = target.prepare('update counters set value = max(value, @value) where name = @name')
  for (const row of source.prepare('select * from counters').all() as Row[]) advance.run(row)
}

/** Creates a function that inserts a row with the columns that both databases have. */
function inserter(source: Sqlite, target: Sqlite, table: string, verb = 'insert') {
  const columns = sharedColumns(source, target, table)
  const statement = target.prepare(
    `${verb} into ${table} (${columns.join(', ')}) values (${columns.map((column) => `@${column}`).join(', ')})`,
  )
  return (row: Row): void => void statement.run(pick(row, columns))
}

/** The stored columns that a table has in both databases. */
function sharedColumns(source: Sqlite, target: Sqlite, table: string): string[] {
  const columnsOf = (db: Sqlite) => (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name)
  const known = new Set(columnsOf(target))
  return columnsOf(source).filter((column) => known.has(column))
}

const pick = (row: Row, columns: readonly string[]): Row =>
  Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))
