/**
 * Time that pages need, and how long they block the service's event loop. Run it with:
 *
 *   npm run bench:pages
 *
 * A database with 5,000 RFQs, and one RFQ with 300 offers of 10 lines each. Requests come from another process over HTTP,
 * ten of each kind after the first; the median and the slowest are shown. The event loop is that of the service. The
 * figures of all RFQs are computed ahead, as after the start of the service.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

const NOW = new Date('2026-03-10T10:00:00.000Z')
const CHANNEL = 'acme/forest'
const CONFIG = `baseUrl: http://127.0.0.1:1
database: ./bench.db
reports: { directory: . }
schedule: { listings: null, rfqs: null }
channels: [{ org: acme, channel: forest, apiKey: { env: NO_KEY }, autoClose: off }]
`

/** In a process of its own: prints the times of each address, in milliseconds. */
async function fetchAll(base) {
  const results = {}
  for (const path of PATHS) {
    const times = []
    for (let round = 0; round < 11; round++) {
      const address = path.replace('ROUND', String(round))
      const began = performance.now()
      const response = await fetch(base + address)
      await response.text()
      if (response.status !== 200) throw new Error(`${response.status} ${address}`)
      times.push(performance.now() - began)
    }
    results[path] = { first: times[0], others: times.slice(1).sort((a, b) => a - b) }
  }
  process.stdout.write(JSON.stringify(results))
}

async function serveAndMeasure() {
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-bench-'))
  try {
    const database = join(folder, 'bench.db')
    await fill(database)
    const { openStore } = await import('../../dist/src/store/sqlite/store.js')
    const { queryInThread } = await import('../../dist/src/pool/page-client.js')
    const { pageRoutes } = await import('../../dist/src/web/pages/pages.js')
    const { startWebServer } = await import('../../dist/src/web/server.js')
    const { apiConfigOf } = await import('../../dist/src/views/api-queries.js')
    const { loadConfig } = await import('../../dist/src/config/load.js')
    const store = await openStore({ path: database })
    const script = new URL('../../dist/src/pool/page-thread.js', import.meta.url)
    writeFileSync(join(folder, 'quotekeeper.yaml'), CONFIG)
    const config = loadConfig({ env: {}, cwd: folder, secrets: 'if-set' })
    const { queries, close } = queryInThread(script, { database, config: apiConfigOf(config) })
    const onError = (error) => console.error(error)
    const now = () => NOW
    // What the measured pages do not ask for.
    const unused = { reports: {}, closing: {}, notifications: {}, suggest: () => [] }
    const deps = { queries, channels: [CHANNEL], now, settings: config.reports.settings, onError }
    const pages = pageRoutes({ ...deps, ...unused, queue: { kind: 'in-process' } })
    const web = { host: '127.0.0.1', port: 0, publicUrl: null, token: null, tokens: [], proxySecret: null }
    const server = await startWebServer({
      ...{
        ...web,
        trustedUserHeader: null,
        trustedUserRole: 'viewer',
        trustedProxies: [],
        localUser: 'bench',
        now,
        plugins: [pages],
        onError,
      },
    })
    const delay = monitorEventLoopDelay({ resolution: 1 })
    const began = performance.now()
    await computeAhead(queries)
    console.log(`figures of all RFQs were computed ahead in ${ms(performance.now() - began)}`)
    const { results, blocked } = await measureIn(server.url, delay)
    for (const [path, { first, others }] of Object.entries(results)) {
      const [median, slowest] = [others[Math.floor(others.length / 2)], others.at(-1)]
      console.log(`${path.padEnd(58)} first ${ms(first)}  median ${ms(median)}  slowest ${ms(slowest)}`)
    }
    console.log(`longest block of the event loop: ${ms(blocked)}`)
    await server.close()
    await close()
    await store.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Resolves when the figures of all RFQs are in memory. */
async function computeAhead(queries) {
  const { keepFigures } = await import('../../dist/src/cli/pages/keep-figures.js')
  await new Promise((resolve, onError) => {
    const computeFigures = async (moment) => {
      const isDone = await queries.computeFigures(moment)
      if (isDone) resolve()
      return isDone
    }
    keepFigures({ computeFigures }, { now: () => NOW, onError, firstMs: 0 })
  })
}

const ms = (value) => `${value.toFixed(0).padStart(5)} ms`

const PATHS = [
  '/rfqs',
  '/rfqs?q=batch+12&sort=-number',
  '/rfqs?sort=bestPricePerTonne',
  '/',
  '/rfqs/acme/forest/300',
  '/rfqs/acme/forest/300?weights.price=ROUND',
  '/rfqs/acme/forest/300?awardRule=best-score&weights.vintage=ROUND',
]

async function measureIn(base, delay) {
  delay.enable()
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--fetch', base], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of child.stdout) text += chunk
  delay.disable()
  return { results: JSON.parse(text), blocked: delay.max / 1e6 }
}

async function fill(path) {
  const { openStore } = await import('../../dist/src/store/sqlite/store.js')
  const store = await openStore({ path })
  const run = await store.beginRun({ channel: CHANNEL, kind: 'rfqs', now: NOW })
  const snapshot = (body) => ({ id: body.id, body, valid: true, problems: [] })
  const record = (rfq, responses) =>
    store.recordRfq(
      run,
      {
        rfq: snapshot(rfq),
        shape: 'full',
        responses: responses.map((body) => ({ ...snapshot(body), shape: 'full' })),
        responsesComplete: true,
        readAt: NOW,
      },
      NOW,
    )
  await record(rfqOf(300), offersOf(300, 300, 10))
  for (let number = 1000; number < 6000; number++) await record(rfqOf(number), offersOf(number, 2, 2))
  const counts = { requests: 0, seen: 5001, inserted: 5001, changed: 0, unchanged: 0, missing: 0, invalid: 0 }
  await run.finish({ ...counts, outcome: 'complete', error: null }, NOW)
  await store.close()
}

const rfqOf = (number) => ({
  id: `rfq-${number}`,
  number,
  reference: `R-${number}`,
  title: `Batch ${number}`,
  state: number % 4 ? 'closed' : 'open',
  contractTypes: ['spot', 'forward'],
  listingIds: [],
  minVolume: number === 300 ? 100_000 : 1000,
  maxVolume: number === 300 ? 200_000 : 9000,
  minVintageYear: 'Any',
  maxVintageYear: 'Any',
  pricing: { minUnitPrice: 5, maxUnitPrice: 15, currency: 'USD' },
  fulfilmentDueDate: '2027-12-31',
  responseDueDate: '2026-03-20',
  createdAt: '2026-02-01T08:00:00.000Z',
  updatedAt: '2026-02-01T08:00:00.000Z',
  responses: [],
})

function offersOf(rfq, count, lines) {
  let state = rfq
  const next = (from, to) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return from + Math.floor((state / 2_147_483_648) * (to - from + 1))
  }
  return Array.from({ length: count }, (_, at) => {
    const scheduledDeliveries = Array.from({ length: lines }, (_line, index) => ({
      fulfilmentDueDate: `2026-${String(4 + (index % 9)).padStart(2, '0')}-15`,
      fulfilmentMethod: 'registryTransfer',
      vintages: [
        {
          reportingPeriodStart: `${2018 + (index % 8)}-01-01`,
          reportingPeriodEnd: `${2018 + (index % 8)}-12-31`,
          volume: next(50, 900),
          unitPrice: next(800, 1600) / 100,
          name: `Vintage ${index}`,
          mitigationTypes: ['removal'],
        },
      ],
    }))
    const all = scheduledDeliveries.flatMap(({ vintages }) => vintages)
    const offer = {
      contractType: at % 3 ? 'forward' : 'spot',
      currency: 'USD',
      scheduledDeliveries,
      prePayments: [],
      totalVolume: all.reduce((sum, { volume }) => sum + volume, 0),
      totalPrice: all.reduce((sum, { volume, unitPrice }) => sum + volume * unitPrice, 0),
      additionalNotesToBuyer: null,
      expiryDate: '2026-12-31',
      review: null,
    }
    return {
      id: `offer-${rfq}-${at}`,
      listingId: `listing-${at % 50}`,
      projectName: `Project ${at}`,
      projectDeveloperName: `Developer ${next(1, 100)}`,
      status: 'submitted',
      submittedAt: '2026-03-01T09:00:00.000Z',
      offer,
    }
  })
}

if (process.argv[2] === '--fetch') await fetchAll(process.argv[3])
else await serveAndMeasure()
