/**
 * Time that every page needs while the service's process records a poll. Run it with:
 *
 *   npm run bench:pages             with 1,000 RFQs of ten offers
 *   npm run bench:pages -- 10000    with more
 *
 * The poll records RFQs with changed prices, as many a second as the default request limit allows. Figures are written. The
 * service runs in this process; requests come from another process over HTTP, twenty of each page after the first.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from 'undici'
import { dist, inFolder, measureIn, median, runRole, sampleWorld } from './bench-process.mjs'

const { observe } = await import(new URL('src/core/documents/observation.js', dist))

/** When the service starts; its clock runs on from there. */
const NOW = new Date('2026-03-10T10:00:00.000Z')
const began = performance.now()
const now = () => new Date(NOW.getTime() + performance.now() - began)
/** Polls before NOW and during the measurement record as many RFQs a second as the default request limit allows: so many of ten offers. */
const POLLED_PER_SECOND = 2
const CHANNEL = { org: 'acme', channel: 'forest' }
const KEY = 'acme/forest'
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
/** So many RFQs are open, from the first number on; the others are closed. */
const OPEN = 60
const FIRST = 10_000

/** In a process of its own: the times of each address, in milliseconds. */
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
  process.send(everyPage, () => process.exit())
}

const serveAndMeasure = () =>
  inFolder(async (folder) => {
    const world = await sampleWorld(CHANNEL, { rfqs: RFQS, offers: 10, now: NOW, termsOf })
    const { rfqs } = world.channel(CHANNEL)
    await fill(join(folder, 'bench.db'), rfqs)
    writeFileSync(join(folder, 'quotekeeper.yaml'), CONFIG)
    await writeFigures(folder)
    const { url, stop } = await startService(folder)
    const poll = await recordPoll(join(folder, 'bench.db'), rfqs)
    const everyPage = await measureIn(import.meta.url, 'fetch', url)
    await poll.stop()
    console.log(`every page, while a poll records (${poll.recorded()} RFQs): median, 95th percentile, size`)
    for (const [path, { times, bytes }] of Object.entries(everyPage)) {
      const sorted = times.toSorted((a, b) => a - b)
      const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1]
      console.log(`${path.padEnd(52)} ${ms(median(times))} ${ms(p95)} ${(bytes / 1000).toFixed(0).padStart(5)} kB`)
    }
    await stop()
  })

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

/** Records RFQs with changed prices in this process, until it is stopped. */
async function recordPoll(path, rfqs) {
  const { openStore } = await import(new URL('src/store/sqlite/store.js', dist))
  const store = await openStore({ path })
  const run = await store.beginRun({ channel: KEY, kind: 'rfqs', now: now() })
  let release = () => {}
  const step = run.step(() => new Promise((released) => (release = released)))
  let recorded = 0
  const next = async () => {
    const rfq = rfqs[(recorded * 37) % RFQS]
    for (const { offer } of rfq.responses) offer.totalPrice += recorded + 1
    await recordRfq(store, run, rfq, now())
    recorded++
  }
  const timer = setInterval(next, 1000 / POLLED_PER_SECOND)
  return {
    recorded: () => recorded,
    async stop() {
      clearInterval(timer)
      release()
      await step
      await run.finish({ ...COUNTS, seen: recorded, changed: recorded }, now())
      await store.close()
    },
  }
}

const COUNTS = {
  ...{ requests: 0, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0 },
  ...{ outcome: 'complete', error: null },
}
const observed = (kind, body) => observe(kind, JSON.stringify(body))

const recordRfq = (store, run, rfq, at) =>
  store.recordRfq(
    run,
    {
      rfq: observed('rfq', rfq.singleShape()),
      shape: 'full',
      responses: rfq.responses.map((body) => ({
        ...observed('response', body),
        ...{ summaryHash: 'summary', shape: 'full', requested: true },
      })),
      responsesComplete: true,
      readAt: at,
    },
    at,
  )

async function fill(path, rfqs) {
  const { openStore } = await import(new URL('src/store/sqlite/store.js', dist))
  const store = await openStore({ path })
  const start = new Date(NOW.getTime() - (RFQS / POLLED_PER_SECOND) * 1000)
  const run = await store.beginRun({ channel: KEY, kind: 'rfqs', now: start })
  await run.step(async () => {
    for (const [at, rfq] of rfqs.entries())
      await recordRfq(store, run, rfq, new Date(start.getTime() + (at / POLLED_PER_SECOND) * 1000))
  })
  await run.finish({ ...COUNTS, seen: RFQS, inserted: RFQS }, NOW)
  await store.close()
}

const termsOf = (at) => ({
  ...{ number: FIRST + at, title: `Batch ${FIRST + at}` },
  ...{ state: at < OPEN ? 'open' : 'closed', responseDueDate: '2026-03-20' },
})

if (process.send) await runRole({ fetch: fetchAll })
else await serveAndMeasure()
