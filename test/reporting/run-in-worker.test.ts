import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatError } from '../../src/cli/error-message.js'
import { DEFAULT_SETTINGS } from '../../src/domain/comparison/settings.js'
import { makeReportInProcess, type ReportRequest } from '../../src/reporting/make-report.js'
import { makeReportInWorker } from '../../src/reporting/run-in-worker.js'
import { KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { channelConfig, testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'

/** Of the compiled program (`npm run build`). */
const THREAD = new URL('../../dist/src/reporting/report-thread.js', import.meta.url)

describe('a report made in a thread of its own', () => {
  async function bench() {
    const directory = testFolder()
    const desk = await openChannelFixture({ rfqs: 1, responsesPerRfq: 2 })
    await desk.pollListings()
    await desk.pollRfqs()
    const rfqId = (await desk.store.rfqs({ channel: KEY }))[0]?.rfq.id ?? 'none'
    const config = { reports: testConfig({ reports: { directory, settings: DEFAULT_SETTINGS } }).reports }
    const { key, timeZone } = channelConfig(KEY)
    const order: ReportRequest = {
      config,
      channel: { key, timeZone },
      asOf: desk.now(),
      now: desk.now(),
      version: '1',
      rfqId,
    }
    const place = { thread: THREAD, database: desk.store.path }
    return { directory, order, place, here: makeReportInProcess(desk.store), apart: makeReportInWorker(place) }
  }

  it('is the same, byte for byte, as one made here, of an RFQ and of a channel', async () => {
    const { order, directory, here, apart } = await bench()
    const told: string[] = []
    const onProgress = ({ sheet }: { sheet: string }) => told.push(sheet)
    const rfq = await apart({ ...order, out: join(directory, 'apart.xlsx') }, { onProgress })
    const same = await here({ ...order, out: join(directory, 'here.xlsx') })
    expect(readFileSync(rfq.path).equals(readFileSync(same.path))).toBe(true)
    expect(rfq.bytes).toBe(same.bytes)
    expect(told).toHaveLength(12)
    const { rfqId: _, ...overview } = order
    const page = await apart({ ...overview, format: 'html' })
    expect(readFileSync(page.path, 'utf8')).toContain(`Channel ${KEY}: overview`)
  })

  it('fails with what a person can be told', async () => {
    const { order, apart, directory } = await bench()
    const unknown = await apart({ ...order, rfqId: 'nobody' }).catch((error: unknown) => error)
    expect(formatError(unknown)).toBe(`quotekeeper: no RFQ nobody was known in ${KEY} at ${order.asOf.toISOString()}\n`)
    const folder = await apart({ ...order, out: directory }).catch((error: unknown) => error)
    expect(formatError(folder)).toContain('is a folder, but a file is needed')
  })

  it('is given up when told so, and leaves nothing behind', async () => {
    const { order, apart, directory } = await bench()
    const stop = new AbortController()
    const out = join(directory, 'report.xlsx')
    const onProgress = () => stop.abort(new Error('the service is shutting down'))
    await expect(apart({ ...order, out }, { signal: stop.signal, onProgress })).rejects.toThrow('shutting down')
    expect(existsSync(out)).toBe(false)
    expect(readdirSync(directory)).toEqual([])
  })

  it('is begun again with more room where it does not fit', async () => {
    const { order, place, directory } = await bench()
    const apart = makeReportInWorker({ ...place, room: { maxOldGenerationSizeMb: 6 } })
    const out = join(directory, 'report.xlsx')
    let started = 0
    const count = () => void started++
    process.on('worker', count)
    await apart({ ...order, out })
    process.off('worker', count)
    expect(started).toBe(2)
    expect(existsSync(out)).toBe(true)
    expect(readdirSync(directory).filter((name) => name !== 'report.xlsx')).toEqual([])
  })
})
