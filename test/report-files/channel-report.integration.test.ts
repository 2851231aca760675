import { existsSync } from 'node:fs'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/core/decision/settings.js'
import { buildChannelReport, makeChannelReport } from '../../src/report-files/make-report.js'
import type { ReportSource } from '../../src/views/rfq/report-input.js'
import { KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { channelConfig, testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'

async function source(directory: string): Promise<ReportSource> {
  const fixture = await openChannelFixture({ rfqs: 2, responsesPerRfq: 2 })
  await fixture.pollListings()
  await fixture.pollRfqs()
  const config = testConfig({ reports: { directory, settings: DEFAULT_SETTINGS } })
  return {
    store: fixture.store,
    config,
    channel: channelConfig(KEY),
    asOf: fixture.now(),
    now: fixture.now(),
    version: '1.2.3',
  }
}

it('channel report › is written as a workbook into the folder of the channel', async () => {
  const directory = testFolder()
  const input = await source(directory)
  const { path } = await makeChannelReport(input)
  expect(path).toBe(join(directory, 'acme_forest', 'channel-acme-forest_asof-20261121T1200Z.xlsx'))
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.readFile(path)
  expect(workbook.worksheets.map(({ name }) => name)).toEqual(expect.arrayContaining(['Summary', 'RFQs', 'Offers']))
  expect((await buildChannelReport(input)).summary).toMatchObject({ rfqs: 2, offers: 4 })
})

it('channel report › stops when aborted, and leaves no file behind', async () => {
  const directory = testFolder()
  const out = join(directory, 'overview.xlsx')
  const signal = AbortSignal.abort(new Error('the service is shutting down'))
  await expect(makeChannelReport({ ...(await source(directory)), out, signal })).rejects.toThrow('shutting down')
  expect(existsSync(out)).toBe(false)
})
