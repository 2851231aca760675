/** A process that enqueues the jobs of the schedule: `quotekeeper start`. */
export interface SchedulingProcess {
  /** The process, such as `quotekeeper start (process 12) on this machine`. */
  by: string
  /** Whether it has a queue that no other process can use. */
  ownQueue: boolean
}

/** The processes on the database that schedule jobs, so that each can detect the others even if their queues differ. */
export interface SchedulingProcesses {
  /**
   * Records for three minutes that this process schedules jobs.
   * @returns the others
   */
  announceScheduling(options: { ownQueue: boolean }): Promise<SchedulingProcess[]>
  /** The processes other than this one. */
  otherSchedulingProcesses(): Promise<SchedulingProcess[]>
  /** Records that this process no longer schedules jobs. */
  withdrawScheduling(): Promise<void>
}
