import type { Timestamp } from '../core/time/clock.js'

/** An error of the database, with a remedy in its message. Subclasses differ in how callers handle them. */
export class StoreError extends Error {
  override name = 'StoreError'
}

/** Why a run cannot begin. */
export interface RunInProgress {
  /** A person started the run, or the run that is next in the queue. */
  byHand: boolean
  /** The process of the run, such as `quotekeeper start (process 12)`. */
  by: string
  /** When the run began; null if it is still in the queue. */
  startedAt: Timestamp | null
}

/** Another run of this kind is active on the channel, or is ahead in the queue. The caller skips its run or waits. */
export class RunBusyError extends StoreError {
  override name = 'RunBusyError'

  constructor(
    message: string,
    readonly inProgress: RunInProgress = { byHand: false, by: 'another process', startedAt: null },
  ) {
    super(message)
  }
}

/** Another process has taken over the run. The caller stops at once and writes nothing more. */
export class RunLostError extends StoreError {
  override name = 'RunLostError'
}

/** The RFQ has a close that is not settled. The caller settles it first. */
export class IntentOpenError extends StoreError {
  override name = 'IntentOpenError'
}

/** The database cannot be used: it is newer than the program, damaged, of another program or not writable. An operator must act. */
export class UnusableDatabaseError extends StoreError {
  override name = 'UnusableDatabaseError'
}

/** Nothing can be written now: the server is away, the disk is full, or others hold locks for too long. The caller may try again. */
export class DatabaseUnavailableError extends StoreError {
  override name = 'DatabaseUnavailableError'
}

/** There is no database yet. An operator creates it, or corrects its path. */
export class MissingDatabaseError extends UnusableDatabaseError {
  override name = 'MissingDatabaseError'
}

/** The connection was lost during a commit, so that it is not known whether the change was stored. */
export class UnknownCommitError extends StoreError {
  override name = 'UnknownCommitError'
}

/** The cursor was not returned by a query. */
export class InvalidCursorError extends StoreError {
  override name = 'InvalidCursorError'
}
