/** The queue does not answer. The message contains the remedy; try again later or inform the operator. */
export class QueueUnavailableError extends Error {
  override name = 'QueueUnavailableError'
}

/** No handler accepts the job: its name is unknown or its payload is invalid. Never retried. */
export class RefusedJobError extends Error {
  override name = 'RefusedJobError'
}

/** A run was recorded and logged as failed; the job fails too, and there is nothing more to log. */
export class RunFailedError extends Error {
  override name = 'RunFailedError'
}
