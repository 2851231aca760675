import { existsSync } from 'node:fs'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/domain/comparison/settings.js'
import { buildChannelReport, makeChannelReport } from '../../src/reporting/channel-report.js'
import type { ReportSource } from '../../src/reporting/report-input.js'
import { KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { channelConfig, testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'

async function source(directory: string): Promise<ReportSource> {
  const desk = await openChannelFixture({ rfqs: 2, responsesPerRfq: 2 })
  await desk.pollListings()
  await desk.pollRfqs()
  const config = testConfig({ reports: { directory, settings: DEFAULT_SETTINGS } })
  return { store: desk.store, config, channel: channelConfig(KEY), asOf: desk.now(), now: desk.now(), version: '1.2.3' }
}

it('the overview of a channel is written as a workbook into the folder of the channel', async () => {
  const directory = testFolder()
  const from = await source(directory)
  const { path } = await makeChannelReport(from)
  expect(path).toBe(join(directory, 'acme_forest', 'channel-acme-forest_asof-20261121T1200Z.xlsx'))
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.readFile(path)
  expect(workbook.worksheets.map(({ name }) => name)).toEqual(expect.arrayContaining(['Summary', 'RFQs', 'Offers']))
  expect((await buildChannelReport(from)).summary).toMatchObject({ rfqs: 2, offers: 4 })
})

it('it stops when it is told to, and leaves nothing behind', async () => {
  const directory = testFolder()
  const out = join(directory, 'overview.xlsx')
  const signal = AbortSignal.abort(new Error('the service is shutting down'))
  await expect(makeChannelReport({ ...(await source(directory)), out, signal })).rejects.toThrow('shutting down')
  expect(existsSync(out)).toBe(false)
})
