import type { IQueueBackend, Job, Processor, Queue, Worker, WorkerOptions } from 'bullmq'

/** The name of the one queue; its keys or tables stand under a prefix. */
export const QUEUE_NAME = 'jobs'

type BackendJob = Pick<Job, 'id' | 'getState' | 'removeDeduplicationKey'>
/** What is used of a BullMQ queue, whatever server stands behind it. */
export interface BackendQueue extends Pick<Queue, 'close' | 'waitUntilReady'> {
  add(...job: Parameters<Queue['add']>): Promise<BackendJob>
  getJob(id: string): Promise<BackendJob | undefined>
  getBackend(): Pick<IQueueBackend, 'setQueueMeta'>
  on(event: 'error', listener: (error: Error) => void): unknown
}
/** What is used of a BullMQ worker. */
export type BackendWorker = Pick<Worker, 'pause' | 'close' | 'cancelAllJobs' | 'waitUntilReady'> & {
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'stalled', listener: (id: string) => void): unknown
}
export type BackendWorkerOptions = Omit<WorkerOptions, 'connection' | 'prefix'>

/** The way to one queue server. */
export interface QueueBackend {
  queue(): BackendQueue
  worker(process: Processor, options: BackendWorkerOptions): BackendWorker
  /** Ends every connection at once, answered or not. */
  disconnect(): void
}

export interface BackendOptions {
  url: string
  /** Redis: what all keys begin with. PostgreSQL: the schema of the tables. */
  prefix: string
  /** How long to wait for an answer, in milliseconds. */
  responseTimeoutMs: number
  /** Told when a connection is there again after it was lost. */
  onReconnect: () => void
}

/** Where a queue is, without user and password, for messages. */
export function queueAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}
