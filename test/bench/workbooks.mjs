/**
 * Time and memory needed for a workbook, compared with plain exceljs writing the same cells. Run it with:
 *
 *   npm run bench:workbooks
 *
 * Each measurement runs in a separate process; medians of three. `quotekeeper report` is the whole command, from the database
 * to the file, `comparison` its calculation from documents in memory. `workbook` and the bare ways write the same cells of
 * the same comparison; bare exceljs writes them without styles, widths, charts or notes. Peak is the process's maximum memory.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const OFFERS = [
  [300, 10],
  [5_000, 10],
]
const ROUNDS = 3
const WAYS = ['quotekeeper report', 'comparison', 'workbook', 'bare exceljs, document', 'bare exceljs, streaming']

/** `offers` responses with `lines` deliveries each, as the marketplace sends them. */
function documents(offers, lines) {
  let state = 7
  const next = (from, to) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return from + Math.floor((state / 2_147_483_648) * (to - from + 1))
  }
  const vintage = (year) => ({
    reportingPeriodStart: `${year}-01-01`,
    reportingPeriodEnd: `${year}-12-31`,
    volume: next(50, 900),
    unitPrice: next(800, 1600) / 100,
    name: `Vintage ${year}`,
    mitigationTypes: ['removal'],
  })
  const response = (_, at) => {
    const scheduledDeliveries = Array.from({ length: lines }, (_line, index) => ({
      fulfilmentDueDate: `2026-${String(1 + (index % 12)).padStart(2, '0')}-15`,
      fulfilmentMethod: 'registryTransfer',
      vintages: [vintage(2018 + (index % 8))],
    }))
    const all = scheduledDeliveries.flatMap((delivery) => delivery.vintages)
    const offer = {
      contractType: at % 3 ? 'forward' : 'spot',
      currency: 'USD',
      scheduledDeliveries,
      prePayments: at % 4 ? [] : [{ amount: next(100, 900), paymentDueDate: '2026-05-01' }],
      totalVolume: all.reduce((sum, line) => sum + line.volume, 0),
      totalPrice: all.reduce((sum, line) => sum + line.volume * line.unitPrice, 0),
      additionalNotesToBuyer: `Note ${at}`,
      expiryDate: '2026-12-31',
      review: null,
    }
    return {
      id: `offer-${at}`,
      listingId: `listing-${at % 50}`,
      projectName: `Project ${at}`,
      projectDeveloperName: `Developer ${next(1, Math.ceil(offers / 2))}`,
      status: 'submitted',
      submittedAt: '2026-03-01T09:00:00.000Z',
      offer,
    }
  }
  return Array.from({ length: offers }, response)
}

const RFQ = {
  id: 'rfq',
  listingIds: ['listing-1'],
  state: 'open',
  number: 1,
  reference: 'R',
  contractTypes: ['spot', 'forward'],
  title: 'Many offers',
  fulfilmentDueDate: '2026-12-31',
  minVolume: 100_000,
  maxVolume: 200_000,
  minVintageYear: 'Any',
  maxVintageYear: 'Any',
  pricing: { minUnitPrice: 5, maxUnitPrice: 15, currency: 'USD' },
  createdAt: '2026-02-01T08:00:00.000Z',
  updatedAt: '2026-02-01T08:00:00.000Z',
  responseDueDate: '2026-03-20',
  responses: [],
}

async function reportOf(offers, lines) {
  const { compareOffers } = await import('../../dist/src/compare/report/compare-offers.js')
  const { parseStoredResponse, parseStoredRfq } = await import('../../dist/src/compare/input/stored-documents.js')
  const stored = (body) => ({
    id: body.id,
    version: 1,
    contentHash: 'a'.repeat(64),
    notBefore: null,
    observedAt: '2026-03-10T10:00:00.000Z',
    missingSince: null,
    runId: 7,
    valid: true,
    shape: 'full',
    body,
  })
  return compareOffers({
    channel: 'acme/forest',
    timeZone: 'UTC',
    asOf: new Date('2026-03-16T12:00:00.000Z'),
    generatedAt: new Date('2026-03-16T12:00:00.000Z'),
    programVersion: 'bench',
    rfq: parseStoredRfq(stored(RFQ)),
    responses: documents(offers, lines).map(stored).map(parseStoredResponse),
    listings: [],
    versions: [],
    absences: [],
    problems: [],
    decisions: [],
  })
}

/** Writes a database with the RFQ and a configuration into the folder. */
async function prepare(folder, offers, lines) {
  const { openStore } = await import('../../dist/src/store/sqlite/store.js')
  const now = new Date('2026-03-10T10:00:00.000Z')
  const snapshot = (body) => ({ id: body.id, body, valid: true, problems: [] })
  const responses = documents(offers, lines).map((body) => ({ ...snapshot(body), shape: 'full' }))
  const store = await openStore({ path: join(folder, 'bench.db'), clock: () => now })
  const run = await store.beginRun({ channel: 'acme/forest', kind: 'rfqs', now })
  const observed = {
    rfq: snapshot(RFQ),
    shape: 'full',
    responses,
    responsesComplete: true,
    readAt: now,
  }
  await store.recordRfq(run, observed, now)
  await store.close()
  writeFileSync(
    join(folder, 'quotekeeper.yaml'),
    `baseUrl: http://127.0.0.1:1
database: ./bench.db
reports: { directory: . }
channels: [{ org: acme, channel: forest, apiKey: { env: NO_KEY }, autoClose: off }]
`,
  )
}

/** Runs the `report` command in this process. */
async function command(folder) {
  const { processIo } = await import('../../dist/src/cli/process/process-io.js')
  const { run } = await import('../../dist/src/cli/program.js')
  const out = join(folder, 'report.xlsx')
  const args = ['--config', join(folder, 'quotekeeper.yaml'), 'report', '1', '--out', out, '--force']
  const io = { ...processIo(new AbortController().signal), out: () => undefined, err: () => undefined }
  if ((await run(args, io)) !== 0) throw new Error('the command failed')
  return statSync(out).size
}

/** Writes values and formulas only: no styles, widths or charts. */
async function fill(book, report) {
  const { rfqSheets } = await import('../../dist/reports/rfq/workbook.js')
  for (const make of rfqSheets(report)) {
    const plan = make()
    const sheet = book.addWorksheet(plan.name)
    for (const { cells } of plan.rows()) {
      const row = sheet.addRow(cells.map((cell) => cell?.value ?? null))
      if (sheet.commit) row.commit()
    }
    sheet.commit?.()
  }
}

async function bareDocument(report) {
  const { default: ExcelJS } = await import('exceljs')
  const book = new ExcelJS.Workbook()
  await fill(book, report)
  return (await book.xlsx.writeBuffer()).byteLength
}

async function bareStreaming(report) {
  const { default: ExcelJS } = await import('exceljs')
  let bytes = 0
  const stream = new Writable({
    write(chunk, _encoding, done) {
      bytes += chunk.length
      done()
    },
  })
  const book = new ExcelJS.stream.xlsx.WorkbookWriter({ stream, useSharedStrings: true })
  await fill(book, report)
  await book.commit()
  return bytes
}

async function workbook(report) {
  const { rfqSheets } = await import('../../dist/reports/rfq/workbook.js')
  const { rfqIdentity } = await import('../../dist/reports/rfq/layout.js')
  const { streamWorkbook } = await import('../../dist/reports/xlsx/workbook-writer.js')
  let bytes = 0
  for await (const chunk of streamWorkbook(rfqSheets(report), rfqIdentity(report))) bytes += chunk.length
  return bytes
}

const WRITERS = { workbook, 'bare exceljs, document': bareDocument, 'bare exceljs, streaming': bareStreaming }

/** Measures the longest time, in milliseconds, for which the event loop was blocked. */
function measureBlocking() {
  let maxMs = 0
  let last = performance.now()
  const timer = setInterval(() => {
    maxMs = Math.max(maxMs, performance.now() - last - 20)
    last = performance.now()
  }, 20)
  return () => {
    clearInterval(timer)
    return Math.round(Math.max(maxMs, performance.now() - last - 20))
  }
}

/** The function to time. */
async function taskFor(way, { folder, offers, lines }) {
  if (way === 'quotekeeper report') return () => command(folder)
  if (way === 'comparison') {
    return async () => {
      await reportOf(offers, lines)
      return 0
    }
  }
  const report = await reportOf(offers, lines)
  return () => WRITERS[way](report)
}

/** Prints seconds, peak memory, file size and the longest block of the event loop as JSON. */
async function measure(way, of) {
  const task = await taskFor(way, of)
  globalThis.gc?.()
  const begin = performance.now()
  const blocked = measureBlocking()
  await new Promise((resolve) => setTimeout(resolve, 25))
  const bytes = await task()
  const seconds = (performance.now() - begin) / 1_000
  const peakMiB = process.resourceUsage().maxRSS / 1_024
  console.log(JSON.stringify({ seconds, peakMiB, bytes, blockedMs: blocked() }))
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]

function compareWays(offers, lines) {
  console.log(`${offers} offers, ${offers * lines} lines, medians of ${ROUNDS} (Node ${process.version})`)
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-bench-'))
  const inProcess = (way) => {
    const args = ['--expose-gc', fileURLToPath(import.meta.url), way, folder, String(offers), String(lines)]
    return execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  }
  inProcess('prepare')
  const rounds = new Map(WAYS.map((way) => [way, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of WAYS) rounds.get(way).push(JSON.parse(inProcess(way)))
  }
  const medianOf = (way, key) => median(rounds.get(way).map((each) => each[key]))
  const base = medianOf('bare exceljs, document', 'seconds')
  for (const way of WAYS) {
    const seconds = medianOf(way, 'seconds')
    console.log(
      `${way.padEnd(24)} ${seconds.toFixed(2).padStart(6)} s  ${(seconds / base).toFixed(2)} × bare document  ` +
        `peak ${medianOf(way, 'peakMiB').toFixed(0).padStart(4)} MiB  file ${(medianOf(way, 'bytes') / 1e6).toFixed(1)} MB  ` +
        `event loop blocked for at most ${medianOf(way, 'blockedMs')} ms`,
    )
  }
  rmSync(folder, { recursive: true })
}

const [way, folder, offers, lines] = process.argv.slice(2)
if (way === 'prepare') await prepare(folder, Number(offers), Number(lines))
else if (way !== undefined) await measure(way, { folder, offers: Number(offers), lines: Number(lines) })
else for (const size of OFFERS) compareWays(...size)
