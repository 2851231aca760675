import { storable } from '../../core/documents/identifier.js'

/**
 * A database for modules whose SQL both SQLite and PostgreSQL accept (docs/ARCHITECTURE.md). Parameters are named: `@name`.
 */
export interface SqlDatabase extends Queries {
  /** Reads rows one by one, in one consistent state. */
  stream<T>(sql: string, parameters?: SqlParameters): AsyncIterable<T>
  /**
   * Runs writes in one transaction, which is durable when the promise resolves.
   * @param work may be retried if the database cancels the transaction, so it must have no other side effects
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
}

export interface Queries {
  readonly dialect: Dialect
  all<T>(sql: string, parameters?: SqlParameters): Promise<T[]>
  /** The first row. */
  get<T>(sql: string, parameters?: SqlParameters): Promise<T | undefined>
}

/** Statements of one transaction; each sees what was committed before it. */
export interface Transaction extends Queries {
  /** @returns how many rows were inserted, updated or deleted */
  run(sql: string, parameters?: SqlParameters): Promise<number>
  /** Inserts rows, each with these columns. */
  insertAll(table: string, columns: readonly string[], rows: Iterable<object>): Promise<void>
  /** Updates columns of the rows with these keys. */
  updateAll(table: string, key: readonly string[], columns: readonly string[], rows: Iterable<object>): Promise<void>
  /** Takes a named lock until the transaction ends. On SQLite it does nothing, because there is only one writer at a time. */
  lock(...name: readonly (string | number)[]): Promise<void>
}

/** Lists are for `Dialect.anyOf`. Parameters that the SQL does not use are ignored, and may be undefined. */
export type SqlParameters = Readonly<Record<string, SqlValue | readonly (string | number)[] | undefined>>
export type SqlValue = string | number | null

/** SQL that differs between the engines. */
export interface Dialect {
  /** A condition: the value is in the list that a parameter holds. */
  anyOf(value: string, parameter: string): string
  /** The elements of the JSON list that a parameter or a column holds, each as `value`; `storableJson`, because PostgreSQL refuses others. */
  elementsOf(list: string): string
  /**
   * Joins each row with the one that a condition on a unique key finds. This forces a nested loop on PostgreSQL, which without statistics of
   * a new table chooses a join whose time grows with the square of the rows.
   */
  joinOne(table: string, alias: string, condition: string): string
  /** The same as an outer join: the columns are null if no row is found. */
  leftJoin(table: string, alias: string, condition: string): string
  /** A member of the document of a row of `versions`, as the indexes of RFQs have it. */
  rfqMember(name: 'number' | 'reference'): string
  /** Appended to a select, locks its rows until the transaction ends. */
  readonly rowLock: string
}

/** JSON of rows whose texts are as databases can store them. */
export const storableJson = (rows: unknown): string =>
  JSON.stringify(rows, (_name, value) => (typeof value === 'string' ? storable(value) : value))

/** The conditions that are not false, joined by `and`. */
export const allOf = (...conditions: readonly (string | false)[]): string =>
  conditions.filter((condition) => condition !== false).join(' and ') || 'true'

/** The column of a member: `rfq_id` of `rfqId`. */
export const columnOf = (member: string): string => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The columns of members, each under the name of its member: `rfq_id as "rfqId"`. */
export const membersOf = (...members: readonly string[]): string =>
  members.map((member) => `${columnOf(member)} as "${member}"`).join(', ')

/** Inserts rows with the names of members, all with the same ones. */
export async function insertMembers(tx: Transaction, table: string, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return
  const inColumns = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([member, value]) => [columnOf(member), value])),
  )
  await tx.insertAll(table, Object.keys(inColumns[0] as object), inColumns)
}

/** The condition that the columns of members have the values that are not undefined: `rfq_id = @rfqId`. */
export const matching = (values: Readonly<Record<string, unknown>>): string =>
  allOf(...Object.entries(values).map(([member, value]) => value !== undefined && `${columnOf(member)} = @${member}`))

/** A limit that returns all rows. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER
