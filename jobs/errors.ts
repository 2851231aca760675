/** The queue does not answer. The message contains the remedy; try again later or inform the operator. */
export class QueueUnavailableError extends Error {
  override name = 'QueueUnavailableError'
}

/** No handler accepts the job: its name is unknown or its payload is invalid. Never retried. */
export class RefusedJobError extends Error {
  override name = 'RefusedJobError'
}

/** The channel of a job is not in the configuration of this process; it may be in that of another. */
export class UnknownChannelError extends RefusedJobError {
  override name = 'UnknownChannelError'

  constructor(readonly channel: string) {
    super(`channel ${channel} is not in the configuration of this process`)
  }
}

/** Shutdown aborted a poll or closing round. Its run is recorded; another worker can begin a new one. */
export class InterruptedRunError extends Error {
  override name = 'InterruptedRunError'
}

/** A run failed, or was skipped although a user requested it. The run is already logged, so the failed job is not. */
export class RunFailedError extends Error {
  override name = 'RunFailedError'
}
