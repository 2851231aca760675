import { UserFacingError } from '../core/user-facing-error.js'

/** Invalid usage: exit status 2. The message states what is allowed. */
export class UsageError extends UserFacingError {}

/** The command failed, in whole or in part: exit status 1. The message states what to do. */
export class FailedError extends UserFacingError {}
