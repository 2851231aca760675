import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../src/core/decision/settings.js'
import { makeReportInProcess } from '../../../src/report-files/make-report.js'
import { viewConfigOf } from '../../../src/tables/source.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { openAwardedRfq } from '../../helpers/store/awarded-rfq.js'
import { testConfig } from '../../helpers/test-config.js'
import { testFolder } from '../../helpers/test-folder.js'
import { sheetsOf, valuesOf } from '../support/workbooks.js'

it('the overview has the lists of a channel, and leads with what is at stake and saved by the award on record', async () => {
  const fixture = await openAwardedRfq()
  await fixture.award([fixture.other], 'delivers earlier')
  await fixture.change(fixture.cheap, { status: 'accepted' })
  const directory = testFolder()
  const config = viewConfigOf(testConfig({ reports: { directory, settings: DEFAULT_SETTINGS } }))
  const make = makeReportInProcess(fixture.store, config)
  const { path } = await make({ channel: KEY, now: fixture.now() })
  expect(path).toBe(join(directory, 'acme_forest', 'channel-acme-forest_asof-20261121T1201Z.xlsx'))
  const bytes = readFileSync(path)
  expect((await sheetsOf(bytes)).map(({ name }) => name)).toEqual([
    ...['Summary', 'RFQs', 'Awards', 'Changes', 'Closings', 'Listings', 'Channels', 'Problems', 'About'],
  ])
  const rowOf = async (sheet: string, first: unknown) =>
    (await valuesOf(bytes, sheet)).find((row) => row[1] === first)?.filter((value) => value != null)
  // 2,000 t each, where 20 USD/t is the maximum: what the marketplace accepted at 9, and the award on record at 10.
  expect(await rowOf('Summary', 'accepted')).toEqual(['accepted', '1 RFQ', 2000, 9, 18_000, 22_000])
  expect(await rowOf('Summary', 'awarded')).toEqual(['awarded', '1 RFQ', 2000, 10, 20_000, 20_000])
  expect(await rowOf('RFQs', 1042)).toEqual(expect.arrayContaining([1042, 'differs', 2000, 10, 20, 20_000]))
  expect((await rowOf('Awards', 1))?.slice(0, 3)).toEqual([1, expect.any(Date), 1042])

  const all = await make({ channel: null, now: fixture.now() })
  expect(all.path).toBe(join(directory, 'channels_asof-20261121T1201Z.xlsx'))
  expect((await valuesOf(readFileSync(all.path), 'RFQs'))[5]).toContain('Channel')
  const again = await make({ channel: null, now: fixture.now(), out: join(directory, 'again.xlsx') })
  expect(readFileSync(again.path).equals(readFileSync(all.path))).toBe(true)
})
