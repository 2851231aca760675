import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { makeReportInProcess } from '../../../src/report-files/make-report.js'
import { requestOf } from '../../../src/report-files/recorded-reports.js'
import { openStore } from '../../../src/store/sqlite/store.js'
import { testFolder } from '../test-folder.js'

/**
 * The text of the newest report, regenerated from its record in another folder.
 * @param folder of the configuration, with the database of a `createCliFixture`
 */
export async function newestReportMadeAgain(folder: string): Promise<string> {
  const store = await openStore({ path: join(folder, 'data/quotekeeper.db') })
  onTestFinished(() => store.close())
  const [newest] = await store.listReports(1)
  const record = newest && (await store.reportRecord(newest.name))
  const request = record && requestOf(record, testFolder())
  if (!request) throw new Error('There is no record of a report.')
  return readFileSync((await makeReportInProcess(store)(request)).path, 'utf8')
}
