/** Wrong usage: exit status 2. The message says what is allowed. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** The command failed, or failed in part: exit status 1. The message says what to do. */
export class FailedError extends Error {
  override name = 'FailedError'
}
