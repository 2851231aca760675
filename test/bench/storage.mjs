// How the database grows, and reads as of a moment at a depth of 50 versions.
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { dist, growthExponent, inFolder, median } from './bench-process.mjs'

const src = new URL('src/', dist)
const channel = { org: 'bench', channel: 'large', apiKey: 'bench key' }
const KEY = 'bench/large'
const DAY_MS = 86_400_000

const POLLS = 288
const CHANGES = 20

/** The section of docs/BENCHMARKS.md on the size of the file. */
export function storageSection() {
  return inFolder(async (folder) => {
    const desk = await openPolled(join(folder, 'desk.db'), { listings: 50, rfqs: 100, responsesPerRfq: 10 })
    await desk.poll()
    // The newest text of a listing, whose signed address differs at every read, is stored from the second poll on.
    await desk.poll()
    const before = desk.size()
    for (let index = 0; index < POLLS; index++) {
      desk.advance(DAY_MS / POLLS)
      await desk.poll()
    }
    const day = desk.size()
    await desk.prune()
    const pruned = desk.size()
    await desk.close()
    const changing = await openPolled(join(folder, 'changing.db'), { listings: 50, rfqs: 100, responsesPerRfq: 10 })
    await changing.poll()
    const unchanged = changing.size()
    for (let change = 1; change <= CHANGES; change++) {
      changing.change(change)
      changing.advance(DAY_MS)
      await changing.poll()
    }
    const changed = changing.size()
    await changing.close()
    const doubleLength = { bytes: changed.bytes - unchanged.bytes, bodies: changed.bodies - unchanged.bodies }
    const large = await openPolled(join(folder, 'large.db'), { listings: 500, rfqs: 1000, responsesPerRfq: 10 })
    const empty = large.size()
    await large.poll()
    const first = large.size()
    await large.poll()
    const second = large.size()
    await large.close()
    const perPoll = ({ used }) => `${Math.round((used - before.used) / POLLS)} bytes`
    const MB = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`
    const row = (name, { bytes, bodies }, more = '') => [
      name,
      MB(bytes),
      MB(bodies),
      `${(bytes / bodies).toFixed(2)} ×`,
      more,
    ]
    return {
      title: 'Growth of the file',
      rounds: 1,
      text:
        '1,000 RFQs with 10 responses each and 500 listings, and a tenth of them, of which the RFQs and the listings are polled every ' +
        'five minutes of a day in which nothing changes. The baseline is the size of the bodies of all versions. The signed address of ' +
        'a listing differs at every read, so that its newest text is stored besides. An empty database has ' +
        `${MB(empty.bytes)}.`,
      header: ['', 'file', 'bodies of versions', 'beside bodies', 'per poll with nothing changed'],
      rows: [
        row('1,000 RFQs after the first poll', first),
        row('after the second poll', second),
        row(`${CHANGES} changes of 100 RFQs and their responses`, doubleLength),
        row('100 RFQs after a day', day, perPoll(day)),
        row('pruned', pruned, perPoll(pruned)),
      ],
    }
  })
}

/** A database that polls a marketplace of its own, on which nothing changes, at times that are set by hand. */
async function openPolled(path, counts) {
  const { createWorld, startSandbox } = await import(new URL('sandbox/index.js', src))
  const { createMarketplace } = await import(new URL('marketplace/client.js', src))
  const { openStore } = await import(new URL('store/sqlite/store.js', src))
  const { pollListings } = await import(new URL('sync/poll-listings.js', src))
  const { pollRfqs } = await import(new URL('sync/poll-rfqs.js', src))
  let time = Date.parse('2026-03-02T00:00:00.000Z')
  const now = () => new Date(time)
  const world = createWorld({ seed: 1, now: now(), still: true, channels: [{ ...channel, ...counts }] })
  const sandbox = await startSandbox({ world, now, keepRequests: 0 })
  const store = await openStore({ path, clock: now })
  const limits = { concurrency: 16, perSecond: 1_000_000, timeoutMs: 60_000, retries: 0, maxBodyMiB: 64 }
  const marketplace = createMarketplace({ baseUrl: sandbox.url, limits, version: 'bench', now })
  return {
    advance(ms) {
      time += ms
    },
    /** Changes every RFQ and every response. */
    change(number) {
      for (const { terms, responses } of world.channel(channel).rfqs) {
        world.changeRfq(terms.id, { title: `Title ${number}`, updatedAt: now().toISOString() })
        for (const { id } of responses) world.changeResponse(id, { offer: { totalPrice: number } })
      }
    },
    async poll() {
      const context = () => ({ session: marketplace.session(channel), store, now })
      const runs = [
        await pollListings(context()),
        await pollRfqs(context(), { recheckClosedHours: 24, concurrency: 8 }),
      ]
      for (const { run } of runs) if (run.outcome !== 'complete') throw new Error(run.error)
    },
    /** Of the pages in use, of what is used in them, and of the bodies. */
    size() {
      const db = new Database(path)
      db.pragma('wal_checkpoint(truncate)')
      const pages = db.pragma('page_count', { simple: true }) - db.pragma('freelist_count', { simple: true })
      const bytes = pages * db.pragma('page_size', { simple: true })
      const used = db.prepare('select sum(pgsize - unused) from dbstat').pluck().get()
      const bodies = db.prepare('select sum(octet_length(body)) from versions').pluck().get() ?? 0
      db.close()
      return { bytes, used, bodies }
    },
    prune: () => store.prune({ before: new Date(time + DAY_MS) }),
    async close() {
      await marketplace.close()
      await sandbox.close()
      await store.close()
    },
  }
}

const RESPONSES = 30
const RFQS = 20

/** The section of docs/BENCHMARKS.md on reads as of a moment. */
export function historySection(rounds) {
  return inFolder(async (folder) => {
    const { openStore } = await import(new URL('store/sqlite/store.js', src))
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
          const read = { shape: 'full', responses, responsesComplete: true, readAt: at(version) }
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
