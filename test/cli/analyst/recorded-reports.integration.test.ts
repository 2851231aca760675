import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../src/store/sqlite/store.js'
import { createPolledFixture, NOW } from '../cli-fixture.js'

/** The compiled worker script (`npm run build`). */
const WORKER = new URL('../../../dist/src/pool/worker.js', import.meta.url)
const HOUR = 3_600_000

async function withReports() {
  const fixture = await createPolledFixture()
  const rfq = fixture.sandbox.world.channel({ org: 'acme', channel: 'forest' })?.rfqs[0]
  const later = () => new Date(NOW.getTime() + HOUR)
  return { ...fixture, rfq, number: String(rfq?.terms.number), later }
}

async function openRecords(folder: string) {
  const store = await openStore({ path: join(folder, 'data/quotekeeper.db') })
  onTestFinished(() => store.close())
  return store.listReports(100)
}

it('all reports of a process are made in one thread, which is kept', async () => {
  const { folder, quotekeeperWith } = await withReports()
  const threads: Worker[] = []
  const count = (worker: Worker) => threads.push(worker)
  process.on('worker', count)
  onTestFinished(() => void process.off('worker', count))
  const { status, out } = await quotekeeperWith({ workerScript: WORKER }, 'report')
  expect({ status, files: out.trim().split('\n').length, threads: threads.length }).toEqual({
    ...{ status: 0, files: 2, threads: 1 },
  })
  expect(await openRecords(folder)).toHaveLength(2)
})
