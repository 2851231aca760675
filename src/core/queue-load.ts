/** How much is in the job queue, for monitoring. */
export interface QueueLoad {
  /** Jobs that a worker could take now. */
  waiting: number
  /** Jobs that run, in all processes. */
  active: number
  /** Jobs that wait for a moment, such as those returned for a worker with their channel. */
  delayed: number
  /** For how long the oldest waiting job has waited; 0 if none waits. */
  oldestWaitingSeconds: number
}
