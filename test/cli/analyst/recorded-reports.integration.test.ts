import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { REPORT_FORMATS } from '../../../src/core/report-record.js'
import { makeReportInProcess } from '../../../src/report-files/make-report.js'
import { requestOf } from '../../../src/report-files/recorded-reports.js'
import { openStore } from '../../../src/store/sqlite/store.js'
import { runsLongTests } from '../../helpers/long-tests.js'
import { testFolder } from '../../helpers/test-folder.js'
import { createPolledFixture, NOW } from '../cli-fixture.js'

/** The compiled worker script (`npm run build`). */
const WORKER = new URL('../../../dist/src/pool/worker.js', import.meta.url)
const HOUR = 3_600_000
const rfqOf = (number: string) => [number, '--channel', 'acme/forest']

async function withReports() {
  const fixture = await createPolledFixture()
  const rfq = fixture.sandbox.world.channel({ org: 'acme', channel: 'forest' })?.rfqs[0]
  const later = () => new Date(NOW.getTime() + HOUR)
  return { ...fixture, rfq, number: String(rfq?.terms.number), later }
}

async function openRecords(folder: string) {
  const store = await openStore({ path: join(folder, 'data/quotekeeper.db') })
  onTestFinished(() => store.close())
  const names = (await store.listReports(100)).map(({ name }) => name)
  const records = await Promise.all(names.map(async (name) => (await store.reportRecord(name)) ?? never()))
  return { store, records }
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
  expect((await openRecords(folder)).records).toHaveLength(2)
})

it('a report is regenerated from its record with the same bytes, after later polls and in another folder', async () => {
  const { folder, sandbox, rfq, number, later, quotekeeper, quotekeeperWith } = await withReports()
  for (const format of REPORT_FORMATS) {
    await quotekeeper('report', ...rfqOf(number), '--format', format, '--by', 'Ana', '--set', 'discountRate=0.07')
    await quotekeeper('report', '--channel', 'acme/blue', '--format', format)
  }
  await quotekeeper('report', ...rfqOf(number), '--out', join(folder, 'elsewhere.xlsx'))
  for (const { id } of rfq?.responses ?? []) sandbox.world.changeResponse(id, { offer: { totalPrice: 123_456 } })
  await quotekeeperWith({ now: later }, 'sync')
  await quotekeeperWith({ now: later }, 'sync', '--full')
  const { store, records } = await openRecords(folder)
  expect(records).toHaveLength(2 * REPORT_FORMATS.length)
  const make = makeReportInProcess(store)
  for (const record of records) {
    const original = readFileSync(join(folder, 'data/reports', record.name))
    const other = testFolder()
    const request = requestOf(record, other)
    if (request === null) throw new Error(record.name)
    const { path } = await make(request)
    expect([path, readFileSync(path).equals(original)]).toEqual([join(other, record.name), true])
    if (record !== records[0] && !runsLongTests) continue
    const changed = { ...request, out: join(other, 'changed'), sha256: '0'.repeat(64) }
    await expect(make(changed)).rejects.toMatchObject({ name: 'ReportDiffersError' })
    expect([existsSync(changed.out), readdirSync(other).length]).toEqual([false, 1])
  }
  expect(requestOf({ ...(records[0] ?? never()), name: '../outside.xlsx' }, folder)).toBeNull()
})

const never = (): never => {
  throw new Error('no record')
}
