import { UserFacingError } from '../core/user-facing-error.js'

/** An error of the database, with a remedy in its message. Subclasses differ in how callers handle them. */
export class StoreError extends UserFacingError {}

/** Another run of this kind is in progress on the channel. The caller skips its run. */
export class RunBusyError extends StoreError {}

/** Another process has taken over the run. The caller stops at once and writes nothing more. */
export class RunLostError extends StoreError {}

/** Nothing can be written now: the server is away, the disk is full, or others hold locks for too long. The caller may try again. */
export class DatabaseUnavailableError extends StoreError {}

/** There is no database yet. An operator creates it, or corrects its path. */
export class MissingDatabaseError extends StoreError {}

/** The connection was lost during a commit, so that it is not known whether the change was stored. */
export class UnknownCommitError extends StoreError {}
