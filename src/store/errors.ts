import type { Timestamp } from '../core/time/clock.js'

/** An error of the database, with a remedy in its message. Subclasses differ in what the caller does next. */
export class StoreError extends Error {
  override name = 'StoreError'
}

/** Why a run cannot begin. */
export interface RunInProgress {
  /** A person began it, or waits to begin one. */
  byHand: boolean
  /** Its process, such as `quotekeeper start (process 12)`. */
  by: string
  /** Null if it has not begun, because its process waits for its turn. */
  startedAt: Timestamp | null
}

/** Another run of this kind is active on this channel, or others wait to begin one: skip this one, or wait for its turn. */
export class RunBusyError extends StoreError {
  override name = 'RunBusyError'

  constructor(
    message: string,
    readonly inProgress: RunInProgress = { byHand: false, by: 'another process', startedAt: null },
  ) {
    super(message)
  }
}

/** This run was taken over by another process: stop at once, write nothing more. */
export class RunLostError extends StoreError {
  override name = 'RunLostError'
}

/** The RFQ has a close that is not settled: settle it first. */
export class IntentOpenError extends StoreError {
  override name = 'IntentOpenError'
}

/** The file cannot be used: newer than the program, damaged, of another program or not writable. Needs an operator. */
export class UnusableDatabaseError extends StoreError {
  override name = 'UnusableDatabaseError'
}

/** There is no database yet: create it, or correct its path. */
export class MissingDatabaseError extends UnusableDatabaseError {
  override name = 'MissingDatabaseError'
}

/** The connection was lost during a commit: it is not known whether the change was stored. */
export class UnknownCommitError extends StoreError {
  override name = 'UnknownCommitError'
}

/** The text is not a cursor that a query returned. */
export class InvalidCursorError extends StoreError {
  override name = 'InvalidCursorError'
}
