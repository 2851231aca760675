import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { recordReports } from '../../src/report-files/recorded-reports.js'
import { openNewStore } from '../helpers/store/new-store.js'
import { testFolder } from '../helpers/test-folder.js'

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

it('the record of a report is written once more if that failed once', async () => {
  const store = await openNewStore()
  onTestFinished(() => store.close())
  const directory = testFolder()
  const now = new Date('2026-11-21T12:00:00Z')
  const request = { channel: 'acme/forest', now }
  const reported: unknown[] = []
  for (const failures of [1, 2]) {
    let left = failures
    const addReportRecord: typeof store.addReportRecord = (record) =>
      left-- > 0 ? Promise.reject(new Error('the database is locked')) : store.addReportRecord(record)
    const out = join(directory, `acme_forest/failures-${failures}.xlsx`)
    const written = { path: out, sha256: hashOf('x'), bytes: 1 }
    const make = async () => ({ ...written, recommendation: [] })
    const onError = (_error: unknown, name: string) => reported.push(name)
    await recordReports(make, { directory, store: { addReportRecord }, onError })({ ...request, out })
  }
  expect(await store.database.all('select name from reports')).toEqual([{ name: 'acme_forest/failures-1.xlsx' }])
  expect(reported).toEqual(['acme_forest/failures-2.xlsx'])
})
