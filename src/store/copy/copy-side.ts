import type { SqlDatabase, SqlValue, Transaction } from '../sql/sql-database.js'

export type Row = Record<string, SqlValue>

/** One of the two databases of a copy: the operations that differ between the engines. */
export interface CopySide {
  /** For messages, without user and password. */
  name: string
  database: SqlDatabase
  columnsOf(table: string): Promise<string[]>
  insert(tx: Transaction, table: string, columns: readonly string[], rows: readonly Row[]): Promise<void>
  /** The newest number that was assigned, even if its row was deleted since; 0 if there is none. */
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
  /** Whether the copy already has its final name before `finish`. */
  readonly isInPlace: boolean
  /** How to remove an unfinished copy. */
  removal: string
  /** Gives the finished copy its final name, and closes the database. */
  finish(): Promise<void>
}
