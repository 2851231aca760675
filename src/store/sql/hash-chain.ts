import { createHash } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { canonicalJson } from '../../core/documents/canonical-json.js'
import { findNumber, setMeta } from './meta.js'
import { allOf, type SqlDatabase, type Transaction } from './sql-database.js'

/** The previous hash of the first row of a log. */
const GENESIS = '0'.repeat(64)

/** Rows verified before yielding to the event loop. */
const ROWS_PER_STEP = 500

/** An append-only table whose rows are numbered without gaps, each with the hash of the one before. */
export interface HashChainedLog<Row> {
  /** The table; its lock, and the number of its newest row in `meta`, have the same name. */
  table: 'close_decisions' | 'awards'
  /** The columns that are verified, as SQL. */
  columns: string
  /** The names of a row in messages: `Decision` and `decisions`. */
  noun: { one: string; many: string }
  /** The hashes of a row and the content they cover; `content` is undefined if the row cannot have been written as it is. */
  linkOf(row: Row): ChainLink
}

export interface ChainLink {
  id: number
  previousHash: string
  hash: string
  content: unknown
}

/** Whether a log is intact. */
export interface ChainReport {
  /** Rows that were verified. */
  rows: number
  /** The number of the first row that was changed or removed; null if there is none. */
  brokenAt: number | null
  message: string
}

/** The hash of a row: SHA-256 of the hash before it, a line feed, and its canonical JSON. */
export const chainHash = (previousHash: string, content: unknown): string =>
  createHash('sha256').update(previousHash).update('\n').update(canonicalJson(content)).digest('hex')

/** The hash of the newest row of a log; null if there is none. */
export const newestHash = async (tx: Transaction, table: HashChainedLog<never>['table']): Promise<string | null> =>
  (await tx.get<{ hash: string }>(`select hash from ${table} order by id desc limit 1`))?.hash ?? null

/**
 * Returns the number and the hashes of the next row, and locks the log until the transaction ends.
 * @param content what the hash covers
 */
export async function nextLink(
  tx: Transaction,
  { table }: Pick<HashChainedLog<never>, 'table'>,
  content: unknown,
): Promise<{ id: number; previousHash: string; hash: string }> {
  await tx.lock(table)
  const previousHash = (await newestHash(tx, table)) ?? GENESIS
  // Not the highest number in the table, so that a row that was removed leaves a gap.
  const id = (await findNumber(tx, table)) + 1
  await setMeta(tx, table, id)
  return { id, previousHash, hash: chainHash(previousHash, content) }
}

/**
 * Verifies a log in batches.
 * @param check an additional check of a row; returns what is wrong, or null
 */
export async function verifyLog<Row extends { id: number }>(
  database: SqlDatabase,
  log: HashChainedLog<Row>,
  check: (row: Row) => Promise<string | null> = async () => null,
): Promise<ChainReport> {
  const { table, columns } = log
  // Read first, so that rows written during the verification do not count as missing.
  const written = await findNumber(database, table)
  const chain = startOfChain(log)
  // Rows are numbered from 1, but a forged row may have any number.
  let after: number | null = null
  for (;;) {
    const rows: Row[] = await database.all<Row>(
      `select ${columns} from ${table} where ${allOf(after !== null && 'id > @after')} order by id limit ${ROWS_PER_STEP}`,
      { after },
    )
    for (const row of rows) {
      const report = chain.firstBroken([row])
      if (report) return report
      const message = await check(row)
      if (message !== null) return chain.brokenAt(row.id, message)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_PER_STEP) return chain.end(written)
    after = last.id
    await yieldToEventLoop()
  }
}

/** Verifies a hash chain in batches. */
function startOfChain<Row>({ noun: { one, many }, linkOf }: Omit<HashChainedLog<Row>, 'table'>) {
  let previous = GENESIS
  let count = 0
  const brokenAt = (id: number, message: string): ChainReport => ({ rows: count, brokenAt: id, message })

  const verifyNext = (row: Row): ChainReport | null => {
    count++
    const { id, previousHash, hash, content } = linkOf(row)
    if (id !== count) return brokenAt(count, `${one} ${count} is missing.`)
    if (previousHash !== previous) return brokenAt(id, `${one} ${id} does not follow the one before it.`)
    if (content === undefined || hash !== chainHash(previousHash, content))
      return brokenAt(id, `${one} ${id} was changed after it was written.`)
    previous = hash
    return null
  }

  return {
    brokenAt,
    /** The report on the first of these rows that does not continue the chain, or null. */
    firstBroken(rows: Iterable<Row>): ChainReport | null {
      for (const row of rows) {
        const report = verifyNext(row)
        if (report) return report
      }
      return null
    },
    end: (written: number): ChainReport =>
      written > count
        ? brokenAt(count + 1, `${capital(many)} after ${count} were removed (${written} were written).`)
        : {
            rows: count,
            brokenAt: null,
            message: `${count} ${many}, none changed; the newest has hash ${previous}.`,
          },
  }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
