/** The command was called wrongly: exit status 2. The message says what is allowed. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** The command could not do, or not do all of, what it was asked: exit status 1. One sentence with the remedy. */
export class FailedError extends Error {
  override name = 'FailedError'
}
