import { createHash } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { canonicalJson } from '../../core/documents/canonical-json.js'
import { findNumber, setMeta } from './meta.js'
import { insertMembers, membersOf, NO_LIMIT, type Queries, storableJson, type Transaction } from './sql-database.js'

/** The previous hash of the first decision. */
const GENESIS = '0'.repeat(64)

/** Rows of a table verified before yielding to the event loop. */
const ROWS_PER_STEP = 500

/** The tables of the chain: their rows are numbered together without gaps, each with the hash of the one before. */
const TABLES = ['close_decisions', 'awards'] as const

/** An append-only table of the chain. */
export interface ChainedTable {
  name: (typeof TABLES)[number]
  /** The members that the hash of a row covers. */
  content: readonly string[]
}

/** The place of a row in the chain. */
interface ChainLink {
  id: number
  previousHash: string
  hash: string
}

/** Whether the chain is intact. */
export interface ChainReport {
  /** Decisions and awards that were verified. */
  decisions: number
  /** The number of the first row that was changed or removed; null if there is none. */
  brokenAt: number | null
  message: string
}

/** The lock of the chain, and the key of `meta` with the number of its newest row. */
const CHAIN = 'decisions'

/** Waits for other transactions that append to the chain. */
export const lockChain = (tx: Transaction): Promise<void> => tx.lock(CHAIN)

/** The hash of a row: SHA-256 of the hash before it, a line feed, and its canonical JSON. */
const chainHash = (previousHash: string, content: unknown): string =>
  createHash('sha256').update(previousHash).update('\n').update(canonicalJson(content)).digest('hex')

/** The hash of the newest row; null if there is none. */
export async function newestHash(queries: Queries): Promise<string | null> {
  const ends = TABLES.map((table) => `select * from (select id, hash from ${table} order by id desc limit 1) ${table}`)
  const row = await queries.get<{ hash: string }>(`${ends.join(' union all ')} order by id desc limit 1`)
  return row?.hash ?? null
}

/**
 * Appends a row, and locks the chain until the transaction ends.
 * @param row all members of the table that the hash covers
 * @param others members that it does not cover
 * @returns the number of the row
 */
export async function appendLink(
  tx: Transaction,
  table: ChainedTable,
  row: Readonly<Record<string, string | number | null>>,
  others: object = {},
): Promise<number> {
  // The hash covers texts as databases can store them.
  const content = JSON.parse(storableJson(row)) as object
  await lockChain(tx)
  const previousHash = (await newestHash(tx)) ?? GENESIS
  // Not the highest number in the tables, so that a row that was removed leaves a gap.
  const id = (await findNumber(tx, CHAIN)) + 1
  await setMeta(tx, CHAIN, id)
  const hash = chainHash(previousHash, content)
  await insertMembers(tx, table.name, [{ ...content, id, previousHash, hash, ...others }])
  return id
}

/** The row with a hash; null if there is none. */
export async function numberOfHash(queries: Queries, hash: string): Promise<number | null> {
  const select = TABLES.map((table) => `select id from ${table} where hash = @hash`).join(' union all ')
  return (await queries.get<{ id: number }>(select, { hash }))?.id ?? null
}

/** Verifies the chain in batches. */
export async function verifyChain(database: Queries, tables: readonly ChainedTable[]): Promise<ChainReport> {
  // Read first, so that rows written during the verification do not count as missing.
  const written = await findNumber(database, CHAIN)
  let [previous, decisions] = [GENESIS, 0]
  const broken = (brokenAt: number, message: string): ChainReport => ({ decisions, brokenAt, message })
  // Rows are numbered from 1, but a forged row may have any number.
  for (let after = -NO_LIMIT; ; after = decisions) {
    const batches: ChainLink[][] = []
    for (const { name, content } of tables) {
      const columns = membersOf('id', 'previousHash', 'hash', ...content)
      const select = `select ${columns} from ${name} where id > @after order by id limit ${ROWS_PER_STEP}`
      batches.push(await database.all<ChainLink>(select, { after }))
    }
    const links = batches.flat().sort((a, b) => a.id - b.id)
    for (const { id, previousHash, hash, ...content } of links.slice(0, ROWS_PER_STEP)) {
      decisions++
      if (id !== decisions) return broken(decisions, `Decision ${decisions} is missing.`)
      if (previousHash !== previous) return broken(id, `Decision ${id} does not follow the one before it.`)
      if (hash !== chainHash(previousHash, content))
        return broken(id, `Decision ${id} was changed after it was written.`)
      previous = hash
    }
    if (links.length < ROWS_PER_STEP) break
    await yieldToEventLoop()
  }
  if (written > decisions)
    return broken(decisions + 1, `Decisions after ${decisions} were removed (${written} were written).`)
  const message = `${decisions} closings and awards, none changed; the newest has hash ${previous}.`
  return { decisions, brokenAt: null, message }
}
