import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/domain/comparison/settings.js'
import { reportDestination } from '../../src/reporting/report-destination.js'
import { buildRfqReport, makeRfqReport, type RfqReportSource } from '../../src/reporting/rfq-report.js'
import { CHANNEL, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { channelConfig, testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'

const config = (directory: string) => testConfig({ reports: { directory, settings: DEFAULT_SETTINGS } })

async function source(): Promise<RfqReportSource & { directory: string }> {
  const directory = testFolder()
  const desk = await openChannelFixture({ rfqs: 1, responsesPerRfq: 2 })
  await desk.pollListings()
  await desk.pollRfqs()
  const rfqId = (await desk.store.rfqs({ channel: KEY }))[0]?.rfq.id ?? 'none'
  const [asOf, now, version] = [desk.now(), desk.now(), '1.2.3']
  return {
    store: desk.store,
    config: config(directory),
    channel: channelConfig(KEY),
    rfqId,
    asOf,
    now,
    version,
    directory,
  }
}

describe('the report on an RFQ', () => {
  it('is written as a workbook into the folder of its channel', async () => {
    const from = await source()
    const { path, bytes } = await makeRfqReport(from)
    const { rfq, offers } = await buildRfqReport(from)
    expect(path).toBe(join(from.directory, 'acme_forest', `rfq-${rfq.number}_asof-20261121T1200Z.xlsx`))
    expect(readFileSync(path)).toHaveLength(bytes)
    const workbook = new ExcelJS.Workbook()
    await workbook.xlsx.readFile(path)
    expect(workbook.worksheets.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Summary', 'Comparison', 'About']),
    )
    expect(offers).toHaveLength(2)
  })

  it('is written where it is asked for, and gives equal bytes for equal knowledge', async () => {
    const from = await source()
    const [one, two] = [join(from.directory, 'one.xlsx'), join(from.directory, 'two.xlsx')]
    expect((await makeRfqReport({ ...from, out: one })).path).toBe(one)
    await makeRfqReport({ ...from, out: two })
    expect(readFileSync(one).equals(readFileSync(two))).toBe(true)
  })

  it('stops when it is told to, and leaves nothing behind', async () => {
    const from = await source()
    const out = join(from.directory, 'report.xlsx')
    const signal = AbortSignal.abort(new Error('the service is shutting down'))
    await expect(makeRfqReport({ ...from, out, signal })).rejects.toThrow('shutting down')
    expect(existsSync(out)).toBe(false)
  })
})

describe('reports on RFQs that a channel names alike', () => {
  it('do not overwrite one another, though made for the same minute', async () => {
    const directory = testFolder()
    const desk = await openChannelFixture()
    const alike = { number: 1042 }
    const twins = [desk.sandbox.world.addRfq(CHANNEL, alike), desk.sandbox.world.addRfq(CHANNEL, alike)]
    const renumbered = desk.sandbox.world.addRfq(CHANNEL, { number: 77 })
    const unnumbered = ['AB 12', 'ab-12', 'ab_12'].map((id) =>
      desk.sandbox.world.addRfq(CHANNEL, { id, number: null as never }),
    )
    await desk.pollRfqs()
    desk.sandbox.world.changeRfq(renumbered.id, { number: 78 })
    const successor = desk.sandbox.world.addRfq(CHANNEL, { number: 77 })
    await desk.pollRfqs({ full: true })
    const [asOf, now, version] = [desk.now(), desk.now(), '1.2.3']
    const from = { store: desk.store, config: config(directory), channel: channelConfig(KEY), asOf, now, version }
    const rfqs = [...twins, renumbered, successor, ...unnumbered]
    for (const { id } of rfqs) await makeRfqReport({ ...from, rfqId: id, format: 'json' })
    const files = readdirSync(join(directory, 'acme_forest'))
    expect(files.map((name) => idIn(join(directory, 'acme_forest', name))).sort()).toEqual(
      rfqs.map(({ id }) => id).sort(),
    )
    const moment = '_asof-20261121T1200Z.json'
    const plain = [
      'rfq-78',
      'rfq-ab-12',
      ...[...twins].map(({ id }) => `rfq-1042_id-${id}`),
      `rfq-77_id-${successor.id}`,
    ]
    expect(files).toEqual(expect.arrayContaining(plain.map((name) => `${name}${moment}`)))
  })
})

const idIn = (file: string): string => JSON.parse(readFileSync(file, 'utf8')).rfq.id

describe('the folder of a channel', () => {
  const folder = (channel: string) => reportDestination(config('/reports'), channel)

  it('says whose reports are in it', () => {
    expect(folder('acme/forest')).toEqual({ directory: '/reports/acme_forest' })
  })

  it('is never that of another channel, nor outside of the reports', () => {
    const channels = [
      'a-b/c',
      'a/b-c',
      'A/b',
      'a/b',
      'a/b c',
      'a/b_c',
      'a/b/c',
      '../..',
      './',
      'é/c',
      'e/c',
      '%2e%2e/x',
    ]
    const folders = channels.map((channel) => (folder(channel) as { directory: string }).directory)
    expect(new Set(folders).size).toBe(channels.length)
    expect(folders.every((path) => /^\/reports\/[a-z0-9-]+_[a-z0-9_-]+$/.test(path))).toBe(true)
  })
})
