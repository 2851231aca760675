import type { SqlDatabase, SqlValue, Transaction } from '../sql/sql-database.js'

export type Row = Record<string, SqlValue>

/** One of the two databases of a copy: what the engines do in different ways. */
export interface CopySide {
  /** For messages, without user and password. */
  name: string
  database: SqlDatabase
  columnsOf(table: string): Promise<string[]>
  insert(tx: Transaction, table: string, columns: readonly string[], rows: readonly Row[]): Promise<void>
  /** The newest number that was given out, also to a row that was deleted since; 0 if none was. */
  newestNumber(table: string, column: string): Promise<number>
  setNewestNumber(tx: Transaction, table: string, column: string, value: number): Promise<void>
  close(): Promise<void>
}

/** The database that is copied. */
export interface CopySource extends CopySide {
  /**
   * @param removal how to remove the copy
   * @throws StoreError if something was written since it was opened, or if a process uses it
   */
  rejectChanges(removal: string): Promise<void>
}

/** The database that is written. */
export interface CopyTarget extends CopySide {
  /** Whether the copy is in its place before `finish`. */
  readonly isInPlace: boolean
  /** How to remove an unfinished copy. */
  removal: string
  /** Puts the finished copy in its place; the database is closed then. */
  finish(): Promise<void>
}
