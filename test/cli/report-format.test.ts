import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FORMATS } from '../../reports/formats.js'
import { DEFAULT_SETTINGS } from '../../src/domain/comparison/settings.js'
import { makeChannelReport } from '../../src/reporting/channel-report.js'
import { makeRfqReport } from '../../src/reporting/rfq-report.js'
import { CHANNEL, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { testFolder } from '../helpers/test-folder.js'

it('a report is written in each format, all from one comparison', async () => {
  const desk = await openChannelFixture()
  const { id } = desk.sandbox.world.addRfq(CHANNEL, { title: '=HYPERLINK("http://x")', responseDueDate: '2026-11-20' })
  const offer = desk.sandbox.world.addResponse(id, { projectDeveloperName: '=1+1', projectName: '<b>bold</b>' })
  await desk.pollRfqs()
  const reports = { directory: testFolder(), settings: DEFAULT_SETTINGS }
  const circumstances = { asOf: desk.now(), now: desk.now(), version: 'test' }
  const source = { store: desk.store, config: { reports }, channel: { key: KEY, timeZone: 'UTC' }, ...circumstances }
  const texts: Record<string, string> = {}
  for (const format of FORMATS) {
    const { path, bytes } = await makeRfqReport({ ...source, rfqId: id, format })
    expect(path.endsWith(`.${format}`)).toBe(true)
    expect(bytes).toBe(readFileSync(path).length)
    texts[format] = readFileSync(path, 'latin1')
    expect((await makeChannelReport({ ...source, format })).path.endsWith(`.${format}`)).toBe(true)
  }
  expect(JSON.parse(texts.json ?? '')).toMatchObject({ schema: 'quotekeeper.rfq-report/1' })
  expect(texts.json).toContain(offer.id)
  expect(texts.csv).not.toMatch(/(^|[,\n"])=1\+1/)
  expect(texts.html).not.toContain('<b>bold</b>')
  expect(texts.xlsx?.startsWith('PK')).toBe(true)
}, 60_000)
