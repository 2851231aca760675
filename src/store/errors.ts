/** What went wrong with the database, split by what the caller does next. The message holds the remedy. */
export class StoreError extends Error {
  override name = 'StoreError'
}

/** Another run of this kind lives on this channel: skip this one. */
export class RunBusyError extends StoreError {
  override name = 'RunBusyError'
}

/** This run was taken over by another process: stop at once, write nothing more. */
export class RunLostError extends StoreError {
  override name = 'RunLostError'
}

/** The RFQ has a close under way or unsettled: settle it first. */
export class IntentOpenError extends StoreError {
  override name = 'IntentOpenError'
}

/** The file cannot be used: newer than the program, corrupt, not ours, read-only, no room. Tell the operator. */
export class UnusableDatabaseError extends StoreError {
  override name = 'UnusableDatabaseError'
}
