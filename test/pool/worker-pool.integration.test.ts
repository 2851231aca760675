import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { formatError } from '../../src/cli/output/error-message.js'
import { DEFAULT_SETTINGS } from '../../src/core/decision/settings.js'
import { createWorkerPool, type WorkerPoolOptions } from '../../src/pool/worker-pool.js'
import { makeReportInProcess, type ReportRequest } from '../../src/report-files/make-report.js'
import { viewConfigOf } from '../../src/tables/source.js'
import { KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { labelledCases } from '../helpers/long-tests.js'
import { databaseOf } from '../helpers/store/store-engine.js'
import { testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'

const config = viewConfigOf(testConfig())

function openPool(options: Partial<WorkerPoolOptions>) {
  const script = new URL('../../dist/src/pool/worker.js', import.meta.url)
  const pool = createWorkerPool({ script, size: 1, database: '', config, ...options })
  onTestFinished(() => pool.close())
  return pool
}

/** The workers that are started during the test, oldest first. */
function startedWorkers(): Worker[] {
  const workers: Worker[] = []
  const add = (worker: Worker) => void workers.push(worker)
  process.on('worker', add)
  onTestFinished(() => void process.off('worker', add))
  return workers
}

/**
 * What `ask(how)` does in its worker: `answer` with the number of the thread; `wait` for `release`, as reports do, which all workers of
 * the pool see; `loop` for ever; `exit`.
 */
const SCRIPT = `
import { threadId, workerData } from 'node:worker_threads'
const [released, waiting] = workerData.config.counts
export default async function run({ args: [how] = ['wait'] }) {
  if (how === 'wait') {
    const turn = Atomics.add(waiting, 0, 1)
    while (Atomics.load(released, 0) <= turn) Atomics.wait(released, 0, Atomics.load(released, 0))
  }
  if (how === 'loop') for (;;);
  if (how === 'exit') process.exit(3)
  return { result: threadId }
}`

type How = 'answer' | 'wait' | 'loop' | 'exit'

/** A pool with that script. */
function openScripted(options: Partial<WorkerPoolOptions> = {}) {
  const path = join(testFolder(), 'worker.mjs')
  writeFileSync(path, SCRIPT)
  const counts = [0, 1].map(() => new Int32Array(new SharedArrayBuffer(4))) as [Int32Array, Int32Array]
  const [released, waiting] = counts
  const pool = openPool({ script: pathToFileURL(path), config: { counts } as never, ...options })
  const { read } = pool.queries as unknown as { read: (how: How) => Promise<number> }
  return {
    pool,
    ask: read,
    /** Resolves when so many tasks have begun to wait. */
    async waits(count: number) {
      while (Atomics.load(waiting, 0) < count) await new Promise((resolve) => setImmediate(resolve))
    },
    /** Lets one more task end. */
    release() {
      Atomics.add(released, 0, 1)
      Atomics.notify(released, 0)
    },
  }
}

describe('queries in workers', () => {
  it('do not wait for a report', async () => {
    const { pool, ask, release } = openScripted()
    const report = pool.makeReport({} as ReportRequest)
    await ask('answer')
    release()
    await report
  })

  it('a worker that dies fails only its own task, and is replaced', async () => {
    const { ask, waits, release } = openScripted({ size: 2 })
    const other = ask('wait')
    await waits(1)
    const [dead, next] = [ask('exit'), ask('answer')]
    await expect(dead).rejects.toThrow('exited with code: 3')
    const thread = await next
    release()
    expect(await other).not.toBe(thread)
  })

  it('closing fails what waits and what runs, and ends the workers', async () => {
    const { pool, ask, waits } = openScripted({ size: 2 })
    const workers = startedWorkers()
    const failed = [ask('wait'), ask('loop'), ask('answer')].map((task) =>
      expect(task).rejects.toThrow('the service is stopping'),
    )
    await waits(1)
    const exits = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)))
    await pool.close()
    await Promise.all([...failed, ...exits])
    expect(exits).toHaveLength(2)
  })

  it('that take longer than 30 seconds fail, in the queue or in a worker, which is replaced', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { ask } = openScripted()
    const thread = await ask('answer')
    const late = (['loop', 'answer'] as const).map((how) =>
      expect(ask(how)).rejects.toThrow('the answer took longer than 30 s'),
    )
    await vi.advanceTimersByTimeAsync(30_000)
    await Promise.all(late)
    expect(await ask('answer')).not.toBe(thread)
  })
})

describe('reports in workers', () => {
  async function setUp() {
    const directory = testFolder()
    const fixture = await openChannelFixture({ rfqs: 1, responsesPerRfq: 2 })
    await fixture.pollListings()
    await fixture.pollRfqs()
    const rfqId = (await fixture.store.rfqs({ channel: KEY }))[0]?.rfq.id ?? 'none'
    const config = viewConfigOf(testConfig({ reports: { directory, settings: DEFAULT_SETTINGS } }))
    const request = { channel: KEY, now: fixture.now(), rfqId } satisfies ReportRequest
    const database = databaseOf(fixture.store)
    return { directory, request, config, database, store: fixture.store }
  }

  it('are byte for byte the same as those made in process, for an RFQ', async () => {
    const { request, directory, config, database, store } = await setUp()
    const { makeReport } = openPool({ database })
    const sheets: string[] = []
    const onProgress = ({ sheet }: { sheet: string }) => sheets.push(sheet)
    const rfq = await makeReport({ ...request, out: join(directory, 'worker.xlsx') }, { onProgress })
    const same = await makeReportInProcess(store, config)({ ...request, out: join(directory, 'in-process.xlsx') })
    expect(readFileSync(rfq.path).equals(readFileSync(same.path))).toBe(true)
    expect(rfq.bytes).toBe(same.bytes)
    expect(sheets).toEqual(expect.arrayContaining(['Summary', 'Offers', 'Choices', 'About']))
  })

  it('fail with a readable error message, and the next one is made in the same worker', async () => {
    const { request, database, directory } = await setUp()
    const { makeReport } = openPool({ database })
    const workers = startedWorkers()
    const unknown = await makeReport({ ...request, rfqId: 'nobody' }).catch((error: unknown) => error)
    expect(formatError(unknown)).toBe(
      `quotekeeper: RFQ nobody of ${KEY} was not known at ${request.now.toISOString()}\n`,
    )
    // What the API and pages answer.
    expect(unknown).toMatchObject({ name: 'FilterError', parameter: 'rfq', status: 404, suggestions: [] })
    const folder = await makeReport({ ...request, out: directory }).catch((error: unknown) => error)
    expect(formatError(folder)).toContain('already exists: remove it, or choose another path')
    await makeReport({ ...request, out: join(directory, 'report.xlsx') })
    expect(workers).toHaveLength(1)
  })

  it.each(['canceled', 'closed'])('leave no file behind when they are %s', async (how) => {
    const { request, database, directory } = await setUp()
    const pool = openPool({ database })
    const stop = new AbortController()
    const reason = new Error('the service is shutting down')
    const onProgress = () => (how === 'closed' ? void pool.close() : stop.abort(reason))
    const made = pool.makeReport(
      { ...request, out: join(directory, 'report.xlsx') },
      { signal: stop.signal, onProgress },
    )
    await expect(made).rejects.toThrow(how === 'closed' ? 'the service is stopping' : 'shutting down')
    expect(readdirSync(directory)).toEqual([])
    await expect(pool.makeReport(request, { signal: AbortSignal.abort(reason) })).rejects.toThrow('shutting down')
  })

  it.each(labelledCases({ 'while it loads modules': 9, 'while it writes': 14 }, ['while it loads modules']))(
    'are retried without memory limits when they run out of memory %s',
    async (_, maxOldGenerationSizeMb) => {
      const { request, database, directory } = await setUp()
      const { makeReport } = openPool({ database, limits: { maxOldGenerationSizeMb } })
      const workers = startedWorkers()
      const out = join(directory, 'report.xlsx')
      await makeReport({ ...request, out })
      expect(workers).toHaveLength(2)
      expect(existsSync(out)).toBe(true)
      expect(readdirSync(directory)).toEqual(['report.xlsx'])
    },
  )
})
