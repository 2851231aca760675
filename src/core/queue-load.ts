/** Number of jobs in the queue by state, for monitoring. */
export interface QueueLoad {
  /** Jobs that a worker could take now. */
  waiting: number
  /** Jobs that run, in all processes. */
  active: number
  /** Jobs that are due later, such as those returned for a worker with their channel. */
  delayed: number
  /** Age of the oldest waiting job; 0 if none waits. */
  oldestWaitingSeconds: number
}
