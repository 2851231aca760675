import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/core/decision/settings.js'
import { reportFolder, rfqFileName } from '../../src/report-files/file-names.js'
import { makeReportInProcess } from '../../src/report-files/make-report.js'
import { viewConfigOf } from '../../src/tables/source.js'
import { CHANNEL, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'

const config = (directory: string) => viewConfigOf(testConfig({ reports: { directory, settings: DEFAULT_SETTINGS } }))

describe('RFQ reports with equal numbers', () => {
  it('do not overwrite each other within the same minute', async () => {
    const directory = testFolder()
    const fixture = await openChannelFixture()
    const sameNumber = { number: 1042 }
    const twins = [fixture.sandbox.world.addRfq(CHANNEL, sameNumber), fixture.sandbox.world.addRfq(CHANNEL, sameNumber)]
    const renumbered = fixture.sandbox.world.addRfq(CHANNEL, { number: 77 })
    const unnumbered = ['AB 12', 'ab-12', 'ab_12'].map((id) =>
      fixture.sandbox.world.addRfq(CHANNEL, { id, number: null as never }),
    )
    await fixture.pollRfqs()
    fixture.sandbox.world.changeRfq(renumbered.id, { number: 78 })
    const successor = fixture.sandbox.world.addRfq(CHANNEL, { number: 77 })
    await fixture.pollRfqs({ recheckClosedHours: 0 })
    const make = makeReportInProcess(fixture.store, config(directory))
    const rfqs = [...twins, renumbered, successor, ...unnumbered]
    for (const { id: rfqId } of rfqs) await make({ channel: KEY, rfqId, now: fixture.now() })
    const files = readdirSync(join(directory, 'acme_forest'))
    expect(files).toHaveLength(rfqs.length)
    const moment = '_asof-20261121T1200Z.xlsx'
    const plain = ['rfq-78', 'rfq-ab-12', ...twins.map(({ id }) => `rfq-1042_id-${id}`), `rfq-77_id-${successor.id}`]
    expect(files).toEqual(expect.arrayContaining(plain.map((name) => `${name}${moment}`)))
  })
})

it('the report folder of a channel is named after it, unique, and inside the folder of reports', () => {
  const folder = (channel: string) => reportFolder('/reports', channel)
  expect(folder('acme/forest')).toBe('/reports/acme_forest')
  const plain = ['a-b/c', 'a/b-c', 'A/b', 'a/b', 'a/b c', 'a/b_c', 'a/b/c', 'e/c']
  const folders = [...plain, '../..', './', 'é/c', '%2e%2e/x'].map(folder)
  expect(new Set(folders).size).toBe(folders.length)
  expect(folders.every((path) => /^\/reports\/[a-z0-9-]+_[a-z0-9_-]+$/.test(path))).toBe(true)
})

it('no id leads the file of a report elsewhere, and no two share a file', () => {
  const ids = ['../../outside', 'C:\\Windows\\a\u0007b', '..', '-rf', '%2e%2e%2fx', 'a/b', 'a-b', '7', '']
  const names = [
    ...ids.map((id) => rfqFileName({ number: null, id }, new Date(0))),
    ...ids.map((id) => rfqFileName({ number: 7, id, ambiguous: true }, new Date(0))),
    ...['../7', '7\u0000'].map((number) => rfqFileName({ number: number as never, id: number }, new Date(0))),
  ]
  for (const name of names) expect(name).toMatch(/^rfq-[a-z0-9-]+(_id-[a-z0-9-]+)?(_[0-9a-f]{8})?_asof-[0-9TZ]+\.xlsx$/)
  expect(new Set(names).size).toBe(names.length)
})
