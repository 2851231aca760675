// What a sync costs beside a bare download loop over the same addresses: first, nothing changed, 1 % of the responses changed.
//   npm run bench:sync -- [RFQs] [responses per RFQ] [listings] [rounds]
// Each measurement and the marketplace run in separate processes. Times are those of the whole process, from its start to its
// last byte written; processor times are its own, so that other work on the machine disturbs them less. Medians of the rounds.
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

const dist = new URL('../../dist/src/', import.meta.url)
const channel = { org: 'bench', channel: 'large', apiKey: 'bench key' }
const limits = { concurrency: 16, perSecond: 1_000_000, timeoutMs: 60_000, retries: 2, maxBodyMiB: 512 }

const roles = {
  async marketplace([rfqs, responses, listings]) {
    const { createWorld, startSandbox } = await import(new URL('sandbox/index.js', dist))
    const counts = { listings: Number(listings), rfqs: Number(rfqs), responsesPerRfq: Number(responses) }
    const world = createWorld({ seed: 1, now: new Date(), still: true, channels: [{ ...channel, ...counts }] })
    const { url } = await startSandbox({ world, keepRequests: 0 })
    let price = 1000
    // Changes every hundredth response.
    process.on('message', () => {
      const { rfqs } = world.channel(channel)
      const ids = rfqs.flatMap(({ responses }) => responses.map(({ id }) => id))
      price++
      for (let at = price % 100; at < ids.length; at += 100)
        world.changeResponse(ids[at], { offer: { totalPrice: price } })
      process.send({ changed: true })
    })
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
      await get(`${base}/listings`)
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
    const { pollListings } = await import(new URL('sync/poll-listings.js', dist))
    const { pollRfqs } = await import(new URL('sync/poll-rfqs.js', dist))
    const store = await openStore({ path: database })
    const marketplace = createMarketplace({ baseUrl: url, limits, ledger: store.requestLedger(url), version: 'bench' })
    await measure(async () => {
      const context = () => ({ session: marketplace.session(channel), store, now: () => new Date() })
      const options = { recheckClosedHours: 24, concurrency: limits.concurrency, full: true }
      const runs = [(await pollListings(context())).run, (await pollRfqs(context(), options)).run]
      for (const { outcome, error } of runs) if (outcome !== 'complete') throw new Error(error)
      return runs[0].requests + runs[1].requests
    })
    await marketplace.close()
    await store.close()
  },
}

async function measure(work) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const requests = await work()
  const { user, system } = process.cpuUsage()
  process.send({
    requests,
    seconds: performance.now() / 1000,
    cpuSeconds: (user + system) / 1e6,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    maxBlockedMs: delay.max / 1e6,
  })
}

/** Medians of all rounds, by what was measured. */
export async function compareSync({ rfqs, responses, listings, rounds }) {
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-bench-'))
  const { child, answer } = await ask('marketplace', rfqs, responses, listings)
  const results = { bare: [], 'first sync': [], 'nothing changed': [], '1 % changed': [] }
  for (let round = 0; round < rounds; round++) {
    const database = join(folder, `${round}.db`)
    results.bare.push((await ask('bare', answer.url)).answer)
    results['first sync'].push((await ask('sync', answer.url, database)).answer)
    results['nothing changed'].push((await ask('sync', answer.url, database)).answer)
    await change(child)
    results['1 % changed'].push((await ask('sync', answer.url, database)).answer)
  }
  child.kill()
  rmSync(folder, { recursive: true })
  const base = medians(results.bare)
  return Object.entries(results).map(([name, all]) => {
    const found = medians(all)
    const { seconds, cpuSeconds } = found
    return { name, ...found, ratio: seconds / base.seconds, cpuRatio: cpuSeconds / base.cpuSeconds }
  })
}

function change(child) {
  return new Promise((resolve) => {
    child.once('message', resolve)
    child.send('change')
  })
}

const medians = (all) =>
  Object.fromEntries(Object.keys(all[0]).map((name) => [name, median(all.map((each) => each[name]))]))

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

const [role, ...args] = process.argv.slice(2)
if (process.send) {
  await roles[role](args)
  if (role !== 'marketplace') process.disconnect()
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [rfqs = 3000, responses = 10, listings = 2000, rounds = 5] = process.argv.slice(2).map(Number)
  console.log(
    `${rfqs} RFQs × ${responses} responses, ${listings} listings, ${rounds} rounds, medians (Node ${process.version})`,
  )
  for (const each of await compareSync({ rfqs, responses, listings, rounds })) {
    console.log(
      `${each.name.padEnd(16)} ${each.requests} requests  ${each.seconds.toFixed(2)} s  ${each.ratio.toFixed(2)} × bare  ` +
        `processor ${each.cpuSeconds.toFixed(2)} s  ${each.cpuRatio.toFixed(2)} × bare  peak ${each.peakMiB.toFixed(0)} MiB  ` +
        `longest block ${each.maxBlockedMs.toFixed(0)} ms`,
    )
  }
}
