import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/core/decision/settings.js'
import { makeReportInProcess } from '../../src/report-files/make-report.js'
import type { RfqTerms } from '../../src/sandbox/index.js'
import { viewConfigOf } from '../../src/tables/source.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { eventually } from '../helpers/eventually.js'
import { runsLongTests } from '../helpers/long-tests.js'
import { redisSkipReason } from '../helpers/servers/private-redis.js'
import { openProcessFixture } from '../helpers/servers/process-fixture.js'
import { useRedisRunners } from '../helpers/servers/redis-runners.js'
import { testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'
import { parseXml, partsOf } from '../reports/support/parts.js'
import { HOSTILE } from '../reports/support/rfq-cases.js'
import { readWorkbooks, whyNoTools } from '../reports/support/tools.js'
import { fault, faultUnless, longFaultUnless } from './fault-test.js'

const runners = useRedisRunners()

/** Adds RFQs, each with one response per text, polls them and writes their workbooks. */
async function reportOn(rfqs: Partial<RfqTerms>[], texts: readonly string[] = []) {
  const fixture = await openChannelFixture()
  // One RFQ with offers has all texts in all places; of the others, the name and the title differ.
  const ids = rfqs.map((terms, at) => addRfq(fixture, terms, at === 0 ? texts : []))
  await fixture.pollListings()
  await fixture.pollRfqs()
  const folder = testFolder()
  const config = testConfig({
    reports: { directory: join(folder, 'reports'), settings: DEFAULT_SETTINGS },
  })
  const make = makeReportInProcess(fixture.store, viewConfigOf(config))
  const paths: string[] = []
  for (const rfqId of ids) paths.push((await make({ channel: KEY, rfqId, now: fixture.now() })).path)
  return { paths, files: readdirSync(folder, { recursive: true }).map(String) }
}

function addRfq({ sandbox: { world } }: ChannelFixture, terms: Partial<RfqTerms>, texts: readonly string[]): string {
  const { id } = world.addRfq(CHANNEL, terms)
  for (const text of texts) {
    const offer = { additionalNotesToBuyer: text }
    world.addResponse(id, { projectDeveloperName: text, projectName: text, offer })
  }
  return id
}

const ALL_PATHS = ['../../outside', 'C:\\Windows\\a\u0000b', '..', '-rf', '%2e%2e%2fx']
const PATHS = runsLongTests ? ALL_PATHS : ALL_PATHS.slice(0, 2)

fault(
  'a file path in a title',
  'file names stay safe, also for references, ids and RFQs without a number',
  async () => {
    const numbered = PATHS.slice(0, 2).map((message) => ({ title: message, reference: message }))
    const named = PATHS.map((message) => ({ title: message, id: message, number: null as never }))
    const { files } = await reportOn([...numbered, ...named])
    const workbooks = files.filter((name) => name !== 'reports' && name !== 'reports/acme_forest')
    expect(workbooks).toHaveLength(numbered.length + named.length)
    for (const name of workbooks)
      expect(name).toMatch(/^reports\/acme_forest\/rfq-[a-z0-9-]+(_[0-9a-f]{8})?_asof-[0-9TZ]+\.xlsx$/)
  },
)

fault('formulas and control characters in text', 'every part of the workbook is well-formed XML', async () => {
  const titles = HOSTILE.filter((text) => /[<&\p{Cc}\p{Cs}]/u.test(text))
  const { paths } = await reportOn(
    titles.map((title) => ({ title, reference: title, buyerDescription: title })),
    HOSTILE,
  )
  expect(paths.length).toBeGreaterThan(2)
  for (const path of paths) {
    for (const [part, xml] of await partsOf(readFileSync(path))) expect(() => parseXml(xml), part).not.toThrow()
  }
})

/** Texts that a spreadsheet would evaluate as formulas. */
const FORMULAS = HOSTILE.filter((text) => /^[=+@-]/.test(text))

faultUnless(whyNoTools())(
  'formulas and control characters in text',
  'LibreOffice reads text that looks like a formula as text',
  async () => {
    const [title = ''] = FORMULAS
    const { paths } = await reportOn([{ title, reference: title }], FORMULAS)
    const [read] = readWorkbooks(paths)
    const cells = Object.values(read?.sheets ?? {}).flatMap((sheet) => Object.values(sheet))
    for (const message of FORMULAS) {
      const shown = cells.filter(({ f, v }) => f === null && v === message)
      expect(shown.length).toBeGreaterThan(1)
      expect(new Set(shown.map(({ t }) => t))).toEqual(new Set(['s']))
      for (const { f } of cells) expect(f ?? '').not.toContain(message)
    }
  },
)

longFaultUnless(redisSkipReason)(
  'NUL or an unpaired surrogate in text',
  'a poll, a close and a report through the queue succeed',
  async () => {
    const title = 'nul \u0000, unpaired surrogate \ud83d, and \u{1f333}'
    const fixture = await openProcessFixture({ rfqs: 0 })
    const { id } = fixture.sandbox.world.addRfq(CHANNEL, { title, reference: '\udc00', responseDueDate: '2020-01-31' })
    fixture.sandbox.world.addResponse(id, { projectDeveloperName: title })
    const worker = fixture.startWorker({ url: runners.redis.url, prefix: runners.prefix })
    const runner = await runners.open()
    const payload = { channel: KEY, cause: 'test' }
    await runner.enqueue('poll-rfqs', payload)
    await fixture.waitForRows('select kind, outcome from runs', [{ kind: 'rfqs', outcome: 'complete' }])
    await runner.enqueue('close-expired', payload)
    await eventually(() => expect(worker.out).toContain('report written'))
    expect(fixture.sql('select rfq_id, outcome from close_decisions')).toEqual([{ rfq_id: id, outcome: 'closed' }])
    const [file] = readdirSync(join(fixture.folder, 'data/reports/acme_forest'))
    const parts = await partsOf(readFileSync(join(fixture.folder, 'data/reports/acme_forest', file ?? '')))
    const texts = [...parts.values()].join('')
    expect(texts).toContain('nul \ufffd, unpaired surrogate \ufffd, and \u{1f333}')
    for (const xml of parts.values()) parseXml(xml)
  },
)
