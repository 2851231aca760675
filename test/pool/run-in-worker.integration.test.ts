import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatError } from '../../src/cli/output/error-message.js'
import { DEFAULT_SETTINGS } from '../../src/core/decision/settings.js'
import { makeReportInWorker } from '../../src/pool/run-in-worker.js'
import { makeReportInProcess, type ReportRequest } from '../../src/report-files/make-report.js'
import { KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { labelledCases } from '../helpers/long-tests.js'
import { databaseOf } from '../helpers/store-engine.js'
import { channelConfig, testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'

/** The compiled worker script (`npm run build`). */
const THREAD = new URL('../../dist/src/pool/report-thread.js', import.meta.url)

describe('report in a worker thread', () => {
  async function setUp() {
    const directory = testFolder()
    const fixture = await openChannelFixture({ rfqs: 1, responsesPerRfq: 2 })
    await fixture.pollListings()
    await fixture.pollRfqs()
    const rfqId = (await fixture.store.rfqs({ channel: KEY }))[0]?.rfq.id ?? 'none'
    const config = { reports: testConfig({ reports: { directory, settings: DEFAULT_SETTINGS } }).reports }
    const { key, timeZone } = channelConfig(KEY)
    const request: ReportRequest = {
      config,
      channel: { key, timeZone },
      asOf: fixture.now(),
      now: fixture.now(),
      version: '1',
      rfqId,
    }
    const workerOptions = { thread: THREAD, database: databaseOf(fixture.store) }
    return {
      directory,
      request,
      workerOptions,
      inProcess: makeReportInProcess(fixture.store),
      inWorker: makeReportInWorker(workerOptions),
    }
  }

  it('is byte for byte the same as one made in process, for an RFQ and for a channel', async () => {
    const { request, directory, inProcess, inWorker } = await setUp()
    const sheets: string[] = []
    const onProgress = ({ sheet }: { sheet: string }) => sheets.push(sheet)
    const rfq = await inWorker({ ...request, out: join(directory, 'worker.xlsx') }, { onProgress })
    const same = await inProcess({ ...request, out: join(directory, 'in-process.xlsx') })
    expect(readFileSync(rfq.path).equals(readFileSync(same.path))).toBe(true)
    expect(rfq.bytes).toBe(same.bytes)
    expect(sheets).toEqual(expect.arrayContaining(['Summary', 'Offers', 'Choices', 'About']))
    const { rfqId: _, ...overview } = request
    const page = await inWorker({ ...overview, format: 'html' })
    expect(readFileSync(page.path, 'utf8')).toContain(`Channel ${KEY}: overview`)
  })

  it('fails with a readable error message', async () => {
    const { request, inWorker, directory } = await setUp()
    const unknown = await inWorker({ ...request, rfqId: 'nobody' }).catch((error: unknown) => error)
    expect(formatError(unknown)).toBe(
      `quotekeeper: RFQ nobody of ${KEY} was not known at ${request.asOf.toISOString()}\n`,
    )
    const folder = await inWorker({ ...request, out: directory }).catch((error: unknown) => error)
    expect(formatError(folder)).toContain('is a folder, but a file is needed')
  })

  it('stops when aborted, and leaves no file behind', async () => {
    const { request, inWorker, directory } = await setUp()
    const stop = new AbortController()
    const out = join(directory, 'report.xlsx')
    const onProgress = () => stop.abort(new Error('the service is shutting down'))
    await expect(inWorker({ ...request, out }, { signal: stop.signal, onProgress })).rejects.toThrow('shutting down')
    expect(existsSync(out)).toBe(false)
    expect(readdirSync(directory)).toEqual([])
  })

  it('reuses one idle thread, and replaces it after an error and after the last of its reports', async () => {
    const { request, workerOptions, directory } = await setUp()
    const inWorker = makeReportInWorker({ ...workerOptions, maxReports: 3 })
    let started = 0
    const count = () => void started++
    process.on('worker', count)
    const make = (name: string) => inWorker({ ...request, format: 'csv', out: join(directory, name) })
    const starts: number[] = []
    for (let at = 0; at < 4; at++) {
      await make(`${at}.csv`)
      starts.push(started)
    }
    expect(starts).toEqual([1, 1, 1, 2])
    await inWorker({ ...request, rfqId: 'nobody' }).catch(() => undefined)
    await make('after-error.csv')
    expect(started).toBe(3)
    await Promise.all([make('one.csv'), make('other.csv')])
    expect(started).toBe(4)
    process.off('worker', count)
    expect(readFileSync(join(directory, '0.csv')).equals(readFileSync(join(directory, '3.csv')))).toBe(true)
  })

  it('ends the idle thread after a while, and does not keep the process alive', async () => {
    const { request, workerOptions, directory } = await setUp()
    const inWorker = makeReportInWorker({ ...workerOptions, idleMilliseconds: 50 })
    const ended = new Promise((resolve) => process.once('worker', (worker) => worker.once('exit', resolve)))
    await inWorker({ ...request, format: 'csv', out: join(directory, 'report.csv') })
    await ended
    const script = `
      import { makeReportInWorker } from ${JSON.stringify(new URL('run-in-worker.js', THREAD).href)}
      const make = makeReportInWorker({ thread: new URL(${JSON.stringify(THREAD.href)}), database: ${JSON.stringify(workerOptions.database)} })
      const request = JSON.parse(process.argv[2], (key, value) => (key === 'asOf' || key === 'now' ? new Date(value) : value))
      await make(request)
      process.stdout.write('made')`
    const file = join(directory, 'child.mjs')
    writeFileSync(file, script)
    const sent = JSON.stringify({ ...request, format: 'csv', out: join(directory, 'child.csv') })
    const child = spawnSync(process.execPath, [file, sent], { timeout: 20_000 })
    expect([String(child.stdout), child.status, String(child.stderr)]).toEqual(['made', 0, ''])
  })

  it.each(labelledCases({ 'while it loads modules': 9, 'while it writes': 14 }, ['while it loads modules']))(
    'is retried without memory limits when it runs out of memory %s',
    async (_, maxOldGenerationSizeMb) => {
      const { request, workerOptions, directory } = await setUp()
      const inWorker = makeReportInWorker({ ...workerOptions, limits: { maxOldGenerationSizeMb } })
      const out = join(directory, 'report.xlsx')
      let started = 0
      const count = () => void started++
      process.on('worker', count)
      await inWorker({ ...request, out })
      process.off('worker', count)
      expect(started).toBe(2)
      expect(existsSync(out)).toBe(true)
      expect(readdirSync(directory).filter((name) => name !== 'report.xlsx')).toEqual([])
    },
  )
})
