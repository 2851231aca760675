/**
 * Entry point of the workers, which worker-pool.ts starts. Modules are loaded by the first task that needs them, so that a worker
 * that runs out of memory meanwhile fails that task.
 */
import { type MessagePort, workerData } from 'node:worker_threads'
import type { MadeReport, ReportRequest } from '../report-files/make-report.js'
import type { FilterError } from '../tables/filter-error.js'
import type { ViewConfig } from '../tables/source.js'
import type { Queries } from './queries.js'

/** What all workers of a pool work on. */
export interface WorkerData {
  /** Path or URL of the database, which this process has open. */
  database: string
  config: ViewConfig
}

/** A query by its name, or a report to make. */
export type WorkerTask = { query: string; args: readonly unknown[] } | { report: ReportRequest; port: MessagePort }

/** What came of a task. An error is sent as what messages are made from, because its class cannot be sent. */
export type Outcome = { result: unknown } | { error: Partial<NodeJS.ErrnoException> }

const { database, config } = workerData as WorkerData
let queries: Promise<Queries> | null = null

/** Does a task. Never rejects. */
export default async function run(task: WorkerTask): Promise<Outcome> {
  try {
    return { result: 'query' in task ? await runQuery(task) : await makeReport(task) }
  } catch (error) {
    return { error: toPlainError(error) }
  }
}

async function runQuery({ query, args }: Extract<WorkerTask, { query: string }>): Promise<unknown> {
  queries ??= openQueries()
  const known = await queries.catch((error: unknown) => {
    queries = null
    throw error
  })
  return (known[query as keyof Queries] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
}

async function openQueries(): Promise<Queries> {
  const [{ openDatabaseReader }, { createQueries }] = await Promise.all([
    import('../store/open-database.js'),
    import('./queries.js'),
  ])
  return createQueries(await openDatabaseReader(database), config)
}

async function makeReport({ report, port }: Extract<WorkerTask, { report: ReportRequest }>): Promise<MadeReport> {
  const [{ openDatabase }, { makeReportInProcess }] = await Promise.all([
    import('../store/open-database.js'),
    import('../report-files/make-report.js'),
  ])
  const store = await openDatabase({ database, readOnly: true, connections: 2 })
  try {
    return await makeReportInProcess(store, config)(report, { onProgress: (progress) => port.postMessage(progress) })
  } finally {
    await store.close()
  }
}

function toPlainError(error: unknown): Partial<NodeJS.ErrnoException> {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, stack } = error
  const { code, syscall, path, ...ours } = error as NodeJS.ErrnoException & Partial<FilterError>
  const { isUserFacing, parameter, status, suggestions } = ours
  return Object.assign(
    { name, message, stack },
    { code, syscall, path, isUserFacing, parameter, status, suggestions },
  ) as Partial<NodeJS.ErrnoException>
}
