import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/core/decision/settings.js'
import { makeReportInProcess } from '../../src/report-files/make-report.js'
import { viewConfigOf } from '../../src/tables/source.js'
import { CHANNEL, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'

const PATHS = ['../../outside', 'C:\\Windows\\a\u0007b', '..', '-rf', '%2e%2e%2fx']

it('a file path in a title: file names stay safe, also for references, ids and RFQs without a number', async () => {
  const fixture = await openChannelFixture()
  const numbered = PATHS.slice(0, 2).map((path) => ({ title: path, reference: path }))
  const named = PATHS.map((path) => ({ title: path, id: path, number: null as never }))
  const ids = [...numbered, ...named].map((terms) => fixture.sandbox.world.addRfq(CHANNEL, terms).id)
  await fixture.pollRfqs()
  const folder = testFolder()
  const config = testConfig({ reports: { directory: join(folder, 'reports'), settings: DEFAULT_SETTINGS } })
  const make = makeReportInProcess(fixture.store, viewConfigOf(config))
  for (const rfqId of ids) await make({ channel: KEY, rfqId, now: fixture.now() })
  const files = readdirSync(folder, { recursive: true }).map(String)
  const workbooks = files.filter((name) => name !== 'reports' && name !== 'reports/acme_forest')
  expect(workbooks).toHaveLength(ids.length)
  for (const name of workbooks)
    expect(name).toMatch(/^reports\/acme_forest\/rfq-[a-z0-9-]+(_[0-9a-f]{8})?_asof-[0-9TZ]+\.xlsx$/)
})
