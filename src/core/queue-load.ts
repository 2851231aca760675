/** Number of jobs in the queue by state, for monitoring. */
export interface QueueLoad {
  /** Jobs that a worker could take now. */
  waiting: number
  /** Jobs that run, in all processes. */
  active: number
  /** Age of the oldest waiting job; 0 if none waits. */
  oldestWaitingSeconds: number
}
