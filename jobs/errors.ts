import { UserFacingError } from '../src/core/user-facing-error.js'

/** The queue does not answer. The message contains the remedy; try again later or inform the operator. */
export class QueueUnavailableError extends UserFacingError {}

/** No handler accepts the job: its name or channel is unknown, or its payload is invalid. */
export class RefusedJobError extends UserFacingError {}

/** A run failed, was aborted by shutdown, or was skipped although a user requested it. The run is already logged, so the failed job is not. */
export class RunFailedError extends UserFacingError {}
