// Requests and duration of a first and a second sync, compared with a bare download loop over the same URLs.
//   npm run bench:sync -- [RFQs] [responses per RFQ] [rounds]
// Each measurement and the marketplace run in separate processes. Prints medians over the rounds.
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const dist = new URL('../../dist/src/', import.meta.url)
const channel = { org: 'bench', channel: 'large', apiKey: 'bench key' }
const limits = { concurrency: 16, perSecond: 1_000_000, timeoutMs: 60_000, retries: 2, maxBodyMiB: 512 }

const roles = {
  async marketplace([rfqs, responses]) {
    const { createWorld, startSandbox } = await import(new URL('sandbox/index.js', dist))
    const spec = { ...channel, listings: 50, rfqs: Number(rfqs), responsesPerRfq: Number(responses) }
    const world = createWorld({ seed: 1, now: new Date(), still: true, channels: [spec] })
    const { url } = await startSandbox({ world, keepRequests: 0 })
    process.send({ url })
  },
  async bare([url]) {
    const { Pool } = await import('undici')
    const pool = new Pool(url, { connections: limits.concurrency })
    const base = `/v1/orgs/${channel.org}/channels/${channel.channel}`
    let requests = 0
    const get = async (path) => {
      requests++
      const { body } = await pool.request({ method: 'GET', path, headers: { authorization: channel.apiKey } })
      return body.json()
    }
    await measure(async () => {
      const { items } = await get(`${base}/rfqs`)
      let next = 0
      const loop = async () => {
        while (next < items.length) {
          const { id } = items[next++]
          const rfq = await get(`${base}/rfqs/${id}`)
          await Promise.all(rfq.responses.map((response) => get(`${base}/rfqs/${id}/responses/${response.id}`)))
        }
      }
      await Promise.all(Array.from({ length: limits.concurrency }, loop))
      return requests
    })
  },
  async sync([url, database]) {
    const { createMarketplace } = await import(new URL('marketplace/client.js', dist))
    const { openStore } = await import(new URL('store/store.js', dist))
    const { pollRfqs } = await import(new URL('sync/poll-rfqs.js', dist))
    const store = await openStore({ path: database })
    const marketplace = createMarketplace({ baseUrl: url, limits, ledger: store.requestLedger(url), version: 'bench' })
    await measure(async () => {
      const context = { session: marketplace.session(channel), store, now: () => new Date() }
      const { run } = await pollRfqs(context, { recheckClosedHours: 24, concurrency: limits.concurrency, full: true })
      if (run.outcome !== 'complete') throw new Error(run.error)
      return run.requests
    })
    await marketplace.close()
    await store.close()
  },
}

async function measure(work) {
  const began = performance.now()
  const requests = await work()
  const seconds = (performance.now() - began) / 1000
  process.send({ requests, seconds, peakMiB: process.resourceUsage().maxRSS / 1024 })
}

const [role, ...args] = process.argv.slice(2)
if (process.send) {
  await roles[role](args)
  if (role !== 'marketplace') process.disconnect()
} else {
  await compare(Number(role ?? 1000), Number(args[0] ?? 10), Number(args[1] ?? 5))
}

async function compare(rfqs, responses, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-bench-'))
  const { child, answer } = await ask('marketplace', rfqs, responses)
  const results = { bare: [], 'first sync': [], 'second sync': [] }
  for (let round = 0; round < rounds; round++) {
    const database = join(folder, `${round}.db`)
    results.bare.push((await ask('bare', answer.url)).answer)
    results['first sync'].push((await ask('sync', answer.url, database)).answer)
    results['second sync'].push((await ask('sync', answer.url, database)).answer)
  }
  child.kill()
  rmSync(folder, { recursive: true })
  console.log(`${rfqs} RFQs × ${responses} responses, ${rounds} rounds, medians (Node ${process.version})`)
  const base = median(results.bare.map((each) => each.seconds))
  for (const [name, all] of Object.entries(results)) {
    const seconds = median(all.map((each) => each.seconds))
    const peak = median(all.map((each) => each.peakMiB))
    const rate = all[0].requests / seconds
    console.log(
      `${name.padEnd(12)} ${all[0].requests} requests  ${seconds.toFixed(2)} s  ${rate.toFixed(0)}/s  ` +
        `${(seconds / base).toFixed(2)} × bare  peak ${peak.toFixed(0)} MiB`,
    )
  }
}

function ask(name, ...values) {
  const child = fork(new URL(import.meta.url), [name, ...values.map(String)])
  return new Promise((resolve, reject) => {
    child.once('message', (answer) => {
      if (name === 'marketplace') return resolve({ child, answer })
      child.once('exit', () => resolve({ child, answer }))
    })
    child.once('exit', (code) => code && reject(new Error(`${name} ended with ${code}`)))
  })
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
