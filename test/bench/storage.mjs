// How the database grows, and reads as of a moment at a depth of 50 versions.
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { dist, growthExponent, inFolder, median } from './bench-process.mjs'

const src = new URL('src/', dist)
const channel = { org: 'bench', channel: 'large', apiKey: 'bench key' }
const KEY = 'bench/large'
const DAY_MS = 86_400_000

/** The section of docs/BENCHMARKS.md on the size of the file. */
export function storageSection() {
  return inFolder(async (folder) => {
    const { createWorld, startSandbox } = await import(new URL('sandbox/index.js', src))
    const { createMarketplace } = await import(new URL('marketplace/client.js', src))
    const { openStore } = await import(new URL('store/store.js', src))
    const { pollListings } = await import(new URL('sync/poll-listings.js', src))
    const { pollRfqs } = await import(new URL('sync/poll-rfqs.js', src))
    const spec = { ...channel, listings: 50, rfqs: 100, responsesPerRfq: 10 }
    let time = Date.parse('2026-03-02T00:00:00.000Z')
    const now = () => new Date(time)
    const world = createWorld({ seed: 1, now: now(), still: true, channels: [spec] })
    const sandbox = await startSandbox({ world, now, keepRequests: 0, etags: false })
    const path = join(folder, 'storage.db')
    const store = await openStore({ path, clock: now })
    const limits = { concurrency: 16, perSecond: 1_000_000, timeoutMs: 60_000, retries: 0, maxBodyMiB: 64 }
    const marketplace = createMarketplace({ baseUrl: sandbox.url, limits, version: 'bench', now })
    const poll = async () => {
      const context = () => ({ session: marketplace.session(channel), store, now })
      const runs = [
        await pollListings(context()),
        await pollRfqs(context(), { recheckClosedHours: 24, concurrency: 8 }),
      ]
      for (const { run } of runs) if (run.outcome !== 'complete') throw new Error(run.error)
    }
    /** Of the pages in use. */
    const size = () => {
      const db = new Database(path)
      db.pragma('wal_checkpoint(truncate)')
      const used = db.pragma('page_count', { simple: true }) - db.pragma('freelist_count', { simple: true })
      const bytes = used * db.pragma('page_size', { simple: true })
      const bodies = db.prepare('select sum(octet_length(body)) from versions').pluck().get()
      db.close()
      return { bytes, bodies }
    }
    await poll()
    const first = size()
    // The newest text of a listing, whose signed address differs at every read, is stored from the second poll on.
    await poll()
    const second = size()
    const POLLS = 288
    for (let index = 0; index < POLLS; index++) {
      time += DAY_MS / POLLS
      await poll()
    }
    const day = size()
    await store.prune({ foldRunsBefore: new Date(time + DAY_MS), dropPlansBefore: null, dropEventsBefore: null })
    const pruned = size()
    await marketplace.close()
    await sandbox.close()
    await store.close()
    const perPoll = (end) => Math.round((end.bytes - second.bytes) / POLLS)
    const ratio = (each) => `${(each.bytes / each.bodies).toFixed(2)} ×`
    const MB = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`
    return {
      title: 'Growth of the file',
      rounds: 1,
      text:
        '100 RFQs with 10 responses each and 50 listings, polled every five minutes of a day in which nothing changes: each ' +
        'poll reads the listings and the RFQs. The baseline is the size of the bodies of all versions.',
      header: ['', 'file', 'bodies of versions', 'beside bodies', 'per poll with nothing changed'],
      rows: [
        ['after the first poll', MB(first.bytes), MB(first.bodies), ratio(first), ''],
        ['after a day', MB(day.bytes), MB(day.bodies), ratio(day), `${perPoll(day)} bytes`],
        ['pruned', MB(pruned.bytes), MB(pruned.bodies), ratio(pruned), `${perPoll(pruned)} bytes`],
      ],
    }
  })
}

const RESPONSES = 30
const RFQS = 20

/** The section of docs/BENCHMARKS.md on reads as of a moment. */
export function historySection(rounds) {
  return inFolder(async (folder) => {
    const { openStore } = await import(new URL('store/store.js', src))
    const start = Date.parse('2026-03-02T00:00:00.000Z')
    const at = (version) => new Date(start + version * 60_000)
    const filler = 'x'.repeat(1400)
    const measured = []
    for (const depth of [1, 10, 50]) {
      const store = await openStore({ path: join(folder, `${depth}.db`) })
      const run = await store.beginRun({ channel: KEY, kind: 'rfqs', now: at(0) })
      for (let version = 1; version <= depth; version++) {
        for (let rfq = 0; rfq < RFQS; rfq++) {
          const snapshot = (id, more = {}) => ({
            id,
            body: { id, version, filler },
            valid: true,
            problems: [],
            ...more,
          })
          const responses = Array.from({ length: RESPONSES }, (_, index) => snapshot(`r${index}`, { shape: 'full' }))
          const read = { shape: 'full', listHash: null, responses, responsesComplete: true, readAt: at(version) }
          await store.recordRfq(run, { rfq: snapshot(`rfq-${rfq}`), ...read }, at(version))
        }
      }
      const secondsFor = async (filter) => {
        const all = []
        for (let round = 0; round < rounds * 20; round++) {
          const began = process.cpuUsage()
          await store.rfqs({ channel: KEY, ids: [`rfq-${round % RFQS}`], ...filter })
          const { user, system } = process.cpuUsage(began)
          all.push((user + system) / 1e6)
        }
        return median(all)
      }
      const current = await secondsFor({})
      measured.push({ depth, current, seconds: await secondsFor({ asOf: at(Math.ceil(depth / 2) + 0.5) }) })
      await store.close()
    }
    const exponent = growthExponent(measured.map(({ depth, seconds }) => ({ size: depth, seconds })))
    const ms = (seconds) => `${(seconds * 1000).toFixed(2)} ms`
    return {
      title: 'Reads as of a moment',
      text:
        `An RFQ with ${RESPONSES} responses, of each of which the database has 1, 10 or 50 versions, is read as of the middle of ` +
        `its history (processor time). The baseline reads its current state. The time as of a ` +
        `moment grows as the number of versions to the power of ${exponent.toFixed(2)}.`,
      header: ['versions', 'current state', 'as of a moment', 'beside current'],
      rows: measured.map(({ depth, current, seconds }) => [
        depth,
        ms(current),
        ms(seconds),
        `${(seconds / current).toFixed(2)} ×`,
      ]),
      chart: {
        title: 'Reads as of a moment beside the current state',
        bars: measured.map(({ depth, current, seconds }) => [`${depth} versions`, seconds / current]),
      },
    }
  })
}
