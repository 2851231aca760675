import { readFileSync } from 'node:fs'
import JSZip from 'jszip'
import { expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../src/core/decision/settings.js'
import { REPORT_FORMATS } from '../../../src/core/report-record.js'
import { makeChannelReport, makeRfqReport } from '../../../src/report-files/make-report.js'
import { CHANNEL, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { testFolder } from '../../helpers/test-folder.js'

const MADE_BY = /Made by<.{1,100}>Ana &#60;b/

it('reports are written in every format from the same comparison', async () => {
  const fixture = await openChannelFixture()
  const { id } = fixture.sandbox.world.addRfq(CHANNEL, {
    title: '=HYPERLINK("http://x")',
    responseDueDate: '2026-11-20',
  })
  const offer = fixture.sandbox.world.addResponse(id, { projectDeveloperName: '=1+1', projectName: '<b>bold</b>' })
  await fixture.pollRfqs()
  const reports = { directory: testFolder(), settings: DEFAULT_SETTINGS }
  const context = { asOf: fixture.now(), now: fixture.now(), version: 'test', madeBy: 'Ana <b>bold</b>' }
  const source = { store: fixture.store, config: { reports }, channel: { key: KEY, timeZone: 'UTC' }, ...context }
  const texts: Record<string, string> = {}
  for (const format of REPORT_FORMATS) {
    const { path, bytes } = await makeRfqReport({ ...source, rfqId: id, format })
    expect(path.endsWith(`.${format}`)).toBe(true)
    expect(bytes).toBe(readFileSync(path).length)
    texts[format] = readFileSync(path, 'latin1')
    expect((await makeChannelReport({ ...source, format })).path.endsWith(`.${format}`)).toBe(true)
  }
  expect(JSON.parse(texts.json ?? '')).toMatchObject({
    schema: 'quotekeeper.rfq-report/2',
    context: { madeBy: 'Ana <b>bold</b>' },
  })
  expect(MADE_BY.test(texts.html ?? '')).toBe(true)
  expect(texts.json).toContain(offer.id)
  expect(texts.csv).not.toMatch(/(^|[,\n"])=1\+1/)
  expect(texts.html).not.toContain('<b>bold</b>')
  const workbook = await JSZip.loadAsync(Buffer.from(texts.xlsx ?? '', 'latin1'))
  const sheets = await Promise.all(workbook.file(/worksheets|sharedStrings/).map((part) => part.async('text')))
  expect(MADE_BY.test(sheets.join(''))).toBe(true)
})
