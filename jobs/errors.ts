/** The queue does not answer: the message holds the remedy. Try again later, or tell the operator. */
export class QueueUnavailableError extends Error {
  override name = 'QueueUnavailableError'
}

/** A job that no handler takes: its name is unknown or its payload has not the promised shape. Never retried. */
export class RefusedJobError extends Error {
  override name = 'RefusedJobError'
}

/** A run was recorded as failed, and told: the job failed, and there is nothing to add. */
export class RunFailedError extends Error {
  override name = 'RunFailedError'
}
