import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createReportFiles } from '../../../src/cli/service/report-files.js'
import { DEFAULT_SETTINGS } from '../../../src/core/decision/settings.js'
import type { MadeReport, MakeReport } from '../../../src/report-files/make-report.js'
import { recordReports, requestOf } from '../../../src/report-files/recorded-reports.js'
import { reportRecord } from '../../helpers/data/report-record.js'
import { createGate } from '../../helpers/recording-handlers.js'
import { openNewStore } from '../../helpers/store/new-store.js'
import { testFolder } from '../../helpers/test-folder.js'

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** A report folder. Reports are regenerated once the gate is open. */
async function openReportFiles() {
  const store = await openNewStore()
  onTestFinished(() => store.close())
  const directory = testFolder()
  mkdirSync(join(directory, 'acme_forest'))
  const gate = createGate()
  const made: string[] = []
  const makeReport: MakeReport = async ({ out = '' }) => {
    made.push(out)
    await gate.passed
    return { path: out } as MadeReport
  }
  return { store, directory, gate, made, files: createReportFiles({ directory, store, makeReport }) }
}

it('a local file does not wait for a report that is regenerated, which happens once for all requests, and too many are refused', async () => {
  const { store, directory, gate, made, files } = await openReportFiles()
  const nameOf = (index: number) => `acme_forest/rfq-${index}.xlsx`
  const pathOf = (index: number) => join(directory, nameOf(index))
  for (let index = 0; index <= 12; index++) await store.addReportRecord(reportRecord(nameOf(index)))
  const here = 'acme_forest/here.html'
  await store.addReportRecord(reportRecord(here, { sha256: hashOf('here') }))
  writeFileSync(join(directory, here), 'here')
  const asked = Array.from({ length: 33 }, (_, index) => files.find(nameOf(index % 11)))
  await expect.poll(() => made.length).toBe(1)
  expect(await files.find(here)).toBe(join(directory, here))
  await expect(files.find(nameOf(11))).rejects.toMatchObject({ statusCode: 503, headers: { 'retry-after': 60 } })
  gate.open()
  const paths = Array.from({ length: 11 }, (_, index) => pathOf(index))
  expect(await Promise.all(asked)).toEqual([...paths, ...paths, ...paths])
  // In any order: each looks for its file first.
  expect(made.toSorted()).toEqual(paths.toSorted())
  expect(await files.find(nameOf(12))).toBe(pathOf(12))
})

it('the record of a report is written once more if that failed once', async () => {
  const { store, directory, gate } = await openReportFiles()
  gate.open()
  const request = requestOf(reportRecord('acme_forest/rfq-1.xlsx'), directory)
  if (request === null) throw new Error('no request')
  const { sha256: _any, ...first } = request
  const reported: unknown[] = []
  for (const failures of [1, 2]) {
    let left = failures
    const addReportRecord: typeof store.addReportRecord = (record) =>
      left-- > 0 ? Promise.reject(new Error('the database is locked')) : store.addReportRecord(record)
    const out = join(directory, `acme_forest/failures-${failures}.xlsx`)
    const written = { path: out, sha256: hashOf('x'), bytes: 1 }
    const make = async () => ({ ...written, readTimes: null, settings: DEFAULT_SETTINGS, recommendation: [] })
    const onError = (_error: unknown, name: string) => reported.push(name)
    await recordReports(make, { store: { addReportRecord }, onError })({ ...first, out })
  }
  expect((await store.listReports(10)).map(({ name }) => name)).toEqual(['acme_forest/failures-1.xlsx'])
  expect(reported).toEqual(['acme_forest/failures-2.xlsx'])
})
