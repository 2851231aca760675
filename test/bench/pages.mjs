/**
 * Time that every page needs while the service's process records a poll. Run it with:
 *
 *   npm run bench:pages             with 1,000 RFQs of ten offers
 *   npm run bench:pages -- 10000    with more
 *
 * The poll records RFQs with changed prices, as many a second as the default request limit allows. Figures are written. The
 * service runs in this process; requests come from another process over HTTP, twenty of each page after the first.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { dist, median } from './bench-process.mjs'

/** When the service starts; its clock runs on from there. */
const NOW = new Date('2026-03-10T10:00:00.000Z')
const began = performance.now()
const now = () => new Date(NOW.getTime() + performance.now() - began)
/** Polls before NOW and during the measurement record as many RFQs a second as the default request limit allows: so many of ten offers. */
const POLLED_PER_SECOND = 2
const CHANNEL = 'acme/forest'
const TOKEN = 'token of the one who reads'
const CONFIG = `baseUrl: http://127.0.0.1:1
database: ./bench.db
reports: { directory: . }
schedule: { listings: null, rfqs: null, closeExpired: null, channelReport: null }
channels: [{ org: acme, channel: forest, apiKey: { env: NO_KEY }, autoClose: off }]
web:
  port: 0
  tokens:
    - { name: reader, role: viewer, token: { env: TOKEN } }
`

/** Every page, with the RFQ of ten offers that is recorded last. */
const PAGES = [
  ...[
    '/',
    '/rfqs',
    '/rfqs?waiting=true',
    '/rfqs?sort=-total',
    '/rfqs?q=batch+12',
    '/awards',
    '/changes',
    '/changes?kind=recommendation',
  ],
  ...['/reports', '/listings', '/system', '/closings'],
  ...['/rfqs?q=Batch+12', '/rfqs?q=Developer+7', '/rfqs/acme/forest/10000'],
  ...['/rfqs/acme/forest/10000/award', '/rfqs/acme/forest/10000/closing'],
]
const PAGE_ROUNDS = 20

const RFQS = Number(process.argv[2]) || 1000
/** So many RFQs are open, from number 10,000 on; the others are closed. */
const OPEN = 60

/** In a process of its own: prints the times of each address, in milliseconds. */
async function fetchAll(base) {
  const everyPage = {}
  for (const path of PAGES) {
    everyPage[path] = { times: [], bytes: 0 }
    for (let round = 0; round <= PAGE_ROUNDS; round++) {
      const began = performance.now()
      const { statusCode, body } = await request(base + path, {
        headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/html', 'accept-encoding': 'gzip' },
      })
      const sent = await body.bytes()
      if (statusCode !== 200) throw new Error(`${statusCode} ${path}`)
      if (round > 0) everyPage[path].times.push(performance.now() - began)
      everyPage[path].bytes = sent.length
    }
  }
  process.stdout.write(JSON.stringify(everyPage))
}

async function serveAndMeasure() {
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-bench-'))
  try {
    await fill(join(folder, 'bench.db'))
    writeFileSync(join(folder, 'quotekeeper.yaml'), CONFIG)
    await writeFigures(folder)
    const { url, stop } = await startService(folder)
    const poll = await recordPoll(join(folder, 'bench.db'))
    const everyPage = await measurePages(url)
    await poll.stop()
    console.log(`every page, while a poll records (${poll.recorded()} RFQs): median, 95th percentile, size`)
    for (const [path, { times, bytes }] of Object.entries(everyPage)) {
      const sorted = times.toSorted((a, b) => a - b)
      const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1]
      console.log(`${path.padEnd(52)} ${ms(median(times))} ${ms(p95)} ${(bytes / 1000).toFixed(0).padStart(5)} kB`)
    }
    await stop()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A command line in this process, at the time of the database. */
async function createIo(folder, overrides = {}) {
  const { processIo } = await import(new URL('src/cli/process/process-io.js', dist))
  const env = { TOKEN, NO_KEY: 'a key of nobody' }
  const io = processIo(new AbortController().signal)
  return { ...io, env, cwd: folder, now, ...overrides }
}

/** Writes the figures of all of them, as after a poll. */
async function writeFigures(folder) {
  const { createCli } = await import(new URL('src/cli/program.js', dist))
  const { withServices } = await import(new URL('src/cli/app.js', dist))
  const { claimFigures, refreshFigures } = await import(new URL('src/cli/service/keep-figures.js', dist))
  const cli = createCli(await createIo(folder))
  await withServices(cli, async (app) => {
    await claimFigures(cli, await app.store())
    await refreshFigures(await app.store(), app, now, () => false)
  })
}

/** Starts the service in this process. */
async function startService(folder) {
  const { run } = await import(new URL('src/cli/program.js', dist))
  const stop = new AbortController()
  let log = ''
  let ended
  const url = await new Promise((resolve, reject) => {
    const out = (text) => {
      log += text
      const found = /"url":"([^"]+)"/.exec(log)
      if (found !== null) resolve(found[1])
    }
    const started = createIo(folder, { out, stop: stop.signal })
    ended = started.then((io) => run(['start'], io))
    ended.then(() => reject(new Error(log)), reject)
  })
  return {
    url,
    stop() {
      stop.abort()
      return ended
    },
  }
}

const ms = (value) => `${value.toFixed(0).padStart(5)} ms`

async function measurePages(base) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--fetch', base], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of child.stdout) text += chunk
  return JSON.parse(text)
}

/** Records RFQs with changed prices in this process, until it is stopped. */
async function recordPoll(path) {
  const { openStore } = await import(new URL('src/store/sqlite/store.js', dist))
  const store = await openStore({ path })
  const run = await store.beginRun({ channel: CHANNEL, kind: 'rfqs', now: now() })
  let release = () => {}
  const step = run.step(() => new Promise((released) => (release = released)))
  let recorded = 0
  const next = async () => {
    const number = 10_000 + ((recorded * 37) % RFQS)
    const offers = offersOf(number + recorded + 1, 10, 2).map((offer, at) => ({
      ...offer,
      id: `offer-${number}-${at}`,
    }))
    await recordRfq(store, run, { rfq: rfqOf(number), offers, at: now() })
    recorded++
  }
  const timer = setInterval(next, 1000 / POLLED_PER_SECOND)
  return {
    recorded: () => recorded,
    async stop() {
      clearInterval(timer)
      release()
      await step
      const counts = {
        requests: 0,
        seen: recorded,
        inserted: 0,
        changed: recorded,
        unchanged: 0,
        missing: 0,
        invalid: 0,
      }
      await run.finish({ ...counts, outcome: 'complete', error: null }, now())
      await store.close()
    },
  }
}

const snapshot = (body) => ({ id: body.id, body, valid: true, problems: [] })

const recordRfq = (store, run, { rfq, offers, at }) =>
  store.recordRfq(
    run,
    {
      rfq: snapshot(rfq),
      shape: 'full',
      responses: offers.map((body) => ({ ...snapshot(body), shape: 'full' })),
      responsesComplete: true,
      readAt: at,
    },
    at,
  )

async function fill(path) {
  const { openStore } = await import(new URL('src/store/sqlite/store.js', dist))
  const store = await openStore({ path })
  const start = new Date(NOW.getTime() - (RFQS / POLLED_PER_SECOND) * 1000)
  const run = await store.beginRun({ channel: CHANNEL, kind: 'rfqs', now: start })
  await run.step(async () => {
    for (let at = 0; at < RFQS; at++) {
      const number = 10_000 + at
      const readAt = new Date(start.getTime() + (at / POLLED_PER_SECOND) * 1000)
      await recordRfq(store, run, { rfq: rfqOf(number), offers: offersOf(number, 10, 2), at: readAt })
    }
  })
  const counts = { requests: 0, seen: RFQS, inserted: RFQS, changed: 0, unchanged: 0, missing: 0, invalid: 0 }
  await run.finish({ ...counts, outcome: 'complete', error: null }, NOW)
  await store.close()
}

const rfqOf = (number) => ({
  id: `rfq-${number}`,
  number,
  reference: `R-${number}`,
  title: `Batch ${number}`,
  state: number < 10_000 + OPEN ? 'open' : 'closed',
  contractTypes: ['spot', 'forward'],
  listingIds: [],
  minVolume: 1000,
  maxVolume: 9000,
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
