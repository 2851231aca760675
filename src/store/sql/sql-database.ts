/**
 * A database for modules whose SQL keeps to what both SQLite and PostgreSQL accept (docs/ARCHITECTURE.md). Parameters are named:
 * `@name`.
 */
export interface SqlDatabase extends Queries {
  /**
   * Makes writes in one transaction, durable when the promise resolves.
   * @param work may run again if the database had to cancel it, so it changes nothing but the database
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
  /** Waits until no other transaction has this lock, and keeps it until the end. SQLite has one writer at a time anyway. */
  lock(...name: readonly (string | number)[]): Promise<void>
}

/** A list is for `Dialect.anyOf`. Parameters that the SQL does not mention are ignored. */
export type SqlParameters = Readonly<Record<string, SqlValue | readonly (string | number)[]>>
export type SqlValue = string | number | null

/** What the engines express in different ways. */
export interface Dialect {
  /** Condition: a value is in the list that is the value of a parameter. */
  anyOf(value: string, parameter: string): string
  /** The elements of the JSON list that is the value of a parameter, each as `value`. */
  elementsOf(parameter: string): string
  /**
   * Joins each row with the one that a condition on a unique key finds. PostgreSQL must not choose another way to join: as long as it
   * has no statistics of a new table, it takes one whose time grows with the square of the rows.
   */
  joinOne(table: string, alias: string, condition: string): string
  /** The same for rows that may have none: its columns are null then. */
  leftJoin(table: string, alias: string, condition: string): string
  /** Rows `v` of `versions`, each with the row `e` of `documents` that a condition finds. */
  versionsOfDocuments(condition: string): string
  /** Of these two, the one by which they are found and ordered. */
  readonly outerRow: 'e' | 'v'
  /** Aggregate: a JSON list of values, as text. */
  listOf(value: string): string
  /** Ends a select whose rows no other transaction may change before this one ends. */
  readonly shareLock: string
}

/** The conditions that are not false, joined by `and`. */
export const allOf = (...conditions: readonly (string | false)[]): string =>
  conditions.filter((condition) => condition !== false).join(' and ') || 'true'

/** As a limit: all rows. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER
