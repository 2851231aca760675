/** Intervals and timeouts of a runner on BullMQ, in milliseconds. */
export type RunnerTiming = typeof RUNNER_TIMING

export const RUNNER_TIMING = {
  /** A job whose worker has not renewed its lock for this long is stalled; the next check re-queues it. */
  lock: 30_000,
  stalledCheck: 10_000,
  /** Pause of a worker after a queue error. */
  retry: 2_000,
  /** How long to wait for the queue at start-up. */
  start: 5_000,
  /** How long to wait for the queue to respond to one operation. */
  response: 4_000,
  /** How long an aborted job may take to end, and then BullMQ to record what finished. */
  grace: 1_000,
}
