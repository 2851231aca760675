// Memory and the longest block of the event loop when a list of 60 MB is polled, beside downloading and parsing it.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { dist, inFolder, measure, measureIn, medians, runRole, startRole, times } from './bench-process.mjs'

const BYTES = 60_000_000
const channel = { org: 'bench', channel: 'large', apiKey: 'bench key' }
const path = `/v1/orgs/${channel.org}/channels/${channel.channel}/listings`
const src = new URL('src/', dist)

const roles = {
  async marketplace() {
    const { createWorld } = await import(new URL('sandbox/index.js', src))
    const world = createWorld({
      seed: 1,
      now: new Date(),
      still: true,
      channels: [{ ...channel, listings: 200, rfqs: 0 }],
    })
    const texts = world.channel(channel).listings.map((listing) => JSON.stringify(listing))
    const items = []
    for (let at = 0, bytes = 0; bytes < BYTES; at++) {
      const text = texts[at % texts.length].replace(/"id":"[^"]*"/, `"id":"listing-${at}"`)
      items.push(text)
      bytes += Buffer.byteLength(text) + 1
    }
    const body = Buffer.from(`{"items":[${items.join()}]}`)
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const server = createServer((_request, response) => response.writeHead(200, headers).end(body))
    server.listen(0, '127.0.0.1', () => {
      process.send({ url: `http://127.0.0.1:${server.address().port}`, entries: items.length })
    })
  },
  async bare(url) {
    const { request } = await import('undici')
    const result = await measure(async () => {
      const { body } = await request(url + path)
      return { entries: (await body.json()).items.length }
    })
    process.send(result, () => process.exit())
  },
  async poll(url, database) {
    const { createMarketplace } = await import(new URL('marketplace/client.js', src))
    const { openStore } = await import(new URL('store/sqlite/store.js', src))
    const { pollListings } = await import(new URL('sync/poll-listings.js', src))
    const store = await openStore({ path: database })
    const limits = { concurrency: 4, perSecond: 1000, timeoutMs: 60_000, retries: 0, maxBodyMiB: 512 }
    const marketplace = createMarketplace({ baseUrl: url, limits, version: 'bench' })
    const result = await measure(async () => {
      const { run } = await pollListings({ session: marketplace.session(channel), store, now: () => new Date() })
      if (run.outcome !== 'complete') throw new Error(run.error)
      return { entries: run.seen }
    })
    await store.close()
    process.send(result, () => process.exit())
  },
}

/** The section of docs/BENCHMARKS.md. */
export function largeListSection(rounds) {
  return inFolder(async (folder) => {
    const { child, answer } = await startRole(import.meta.url, 'marketplace')
    const measured = {
      'download and JSON.parse': await times(rounds, () => measureIn(import.meta.url, 'bare', answer.url)),
      'first poll': [],
      'second poll': [],
    }
    await times(rounds, async (round) => {
      const database = join(folder, `${round}.db`)
      measured['first poll'].push(await measureIn(import.meta.url, 'poll', answer.url, database))
      measured['second poll'].push(await measureIn(import.meta.url, 'poll', answer.url, database))
    })
    child.kill()
    const rows = Object.entries(measured).map(([name, all]) => ({ name, ...medians(all) }))
    const [base] = rows
    return {
      title: 'A list of 60 MB',
      text: `One list of ${answer.entries.toLocaleString('en')} listings, 60 MB, is polled.`,
      header: ['', 'whole time', 'processor', 'peak memory', 'beside bare', 'longest block'],
      rows: rows.map(({ name, seconds, cpuSeconds, peakMiB, maxBlockedMs }) => [
        name,
        `${seconds.toFixed(1)} s`,
        `${cpuSeconds.toFixed(1)} s`,
        `${peakMiB.toFixed(0)} MiB`,
        `${(peakMiB / base.peakMiB).toFixed(2)} ×`,
        `${maxBlockedMs.toFixed(0)} ms`,
      ]),
      chart: {
        title: 'Peak memory beside downloading and parsing',
        bars: rows.map(({ name, peakMiB }) => [name, peakMiB / base.peakMiB]),
      },
    }
  })
}

if (process.send) await runRole(roles)
