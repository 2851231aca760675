import type { IQueueBackend, Job, JobType, Processor, Queue, Worker, WorkerOptions } from 'bullmq'

/** The name of the only queue, within the prefix or schema. */
export const QUEUE_NAME = 'jobs'

/** The part of a BullMQ job that is used. */
export type BackendJob = Pick<
  Job,
  | 'id'
  | 'name'
  | 'data'
  | 'timestamp'
  | 'finishedOn'
  | 'failedReason'
  | 'returnvalue'
  | 'getState'
  | 'removeDeduplicationKey'
>
/** The part of a BullMQ queue that is used, on either server. */
export interface BackendQueue extends Pick<Queue, 'close' | 'waitUntilReady' | 'getJobCounts'> {
  add(...job: Parameters<Queue['add']>): Promise<BackendJob>
  getJob(id: string): Promise<BackendJob | undefined>
  getJobs(types: JobType[], start: number, end: number, ascending: boolean): Promise<BackendJob[]>
  getBackend(): Pick<IQueueBackend, 'setQueueMeta' | 'getQueueMetaField'>
  on(event: 'error', listener: (error: Error) => void): unknown
}
/** The part of a BullMQ worker that is used. */
export type BackendWorker = Pick<Worker, 'pause' | 'close' | 'cancelAllJobs' | 'waitUntilReady'> & {
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'stalled', listener: (id: string) => void): unknown
}
export type BackendWorkerOptions = Omit<WorkerOptions, 'connection' | 'prefix'>

/** Opens queues and workers on one server. */
export interface QueueBackend {
  queue(): BackendQueue
  worker(process: Processor, options: BackendWorkerOptions): BackendWorker
  /** The text kept with the queue about its database, or null. */
  databaseText(): Promise<string | null>
  /**
   * Keeps a text about the database, unless there is one and it is not to be replaced. Safe when several processes do
   * it at once.
   * @returns the text that is kept afterwards
   */
  keepDatabaseText(text: string, options: { replace: boolean }): Promise<string>
  /** Ends every connection at once, without waiting for replies. */
  disconnect(): void
}

export interface BackendOptions {
  url: string
  /** Redis: prefix of all keys. PostgreSQL: schema of the tables. */
  prefix: string
  /** How long to wait for a response, in milliseconds. */
  responseTimeoutMs: number
  /** Called when a lost connection is established again. */
  onReconnect: () => void
}

/** The address of a queue without user and password, for messages. */
export function queueAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}
