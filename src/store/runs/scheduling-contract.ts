/** A process that enqueues the jobs of the schedule: `quotekeeper start`. */
export interface SchedulingProcess {
  /** Such as `quotekeeper start (process 12) on this machine`. */
  by: string
  /** Whether no other process can use its queue. */
  ownQueue: boolean
}

/** Which processes on the database schedule jobs, so that they know of each other whatever queue each has. */
export interface SchedulingProcesses {
  /**
   * Records for three minutes that this process schedules jobs.
   * @returns the others
   */
  announceScheduling(options: { ownQueue: boolean }): Promise<SchedulingProcess[]>
  /** The processes other than this one. */
  otherSchedulingProcesses(): Promise<SchedulingProcess[]>
  /** Records that this process schedules no more jobs. */
  withdrawScheduling(): Promise<void>
}
