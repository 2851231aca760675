// What a sync with figures costs beside a bare download loop over the same addresses: first, nothing changed, 1 % of the responses
// changed; and a first one without figures.
//   npm run bench:sync -- [RFQs] [responses per RFQ] [listings] [rounds]
// Each measurement and the marketplace run in separate processes. Times are those of the whole process, from its start to its
// last byte written; processor times are its own, so that other work on the machine disturbs them less. Medians of the rounds.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dist, inFolder, measure, measureIn, medians, runRole, startRole } from './bench-process.mjs'

const src = new URL('src/', dist)
const channel = { org: 'bench', channel: 'large', apiKey: 'bench key' }
const limits = { concurrency: 16, perSecond: 1_000_000, timeoutMs: 60_000, retries: 2, maxBodyMiB: 512 }

const roles = {
  async marketplace(rfqs, responses, listings) {
    const { createWorld, startSandbox } = await import(new URL('sandbox/index.js', src))
    const counts = { listings: Number(listings), rfqs: Number(rfqs), responsesPerRfq: Number(responses) }
    const world = createWorld({ seed: 1, now: new Date(), still: true, channels: [{ ...channel, ...counts }] })
    const { url } = await startSandbox({ world, keepRequests: false })
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
  async bare(url) {
    const { Pool } = await import('undici')
    const pool = new Pool(url, { connections: limits.concurrency })
    const base = `/v1/orgs/${channel.org}/channels/${channel.channel}`
    let requests = 0
    const get = async (path) => {
      requests++
      const { body } = await pool.request({ method: 'GET', path, headers: { authorization: channel.apiKey } })
      return body.json()
    }
    await reportAndEnd(async () => {
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
  async sync(url, database, withFigures) {
    const { createMarketplace } = await import(new URL('marketplace/client.js', src))
    const { openStore } = await import(new URL('store/sqlite/store.js', src))
    const { pollListings } = await import(new URL('sync/poll.js', src))
    const { pollRfqs } = await import(new URL('sync/poll-rfqs.js', src))
    const { createFigureComputer } = await import(new URL('figures/compute-figures.js', src))
    const { DEFAULT_SETTINGS: settings } = await import(new URL('core/decision/settings.js', src))
    const onFailed = (_rfq, message) => {
      throw new Error(message)
    }
    const figures = createFigureComputer({ settings, timeZoneOf: () => 'UTC', onFailed })
    const store = await openStore({ path: database, ...(withFigures === 'figures' && { figures }) })
    await store.claimFigures('process')
    const marketplace = createMarketplace({ baseUrl: url, limits, ledger: store.requestLedger(url), version: 'bench' })
    await reportAndEnd(async () => {
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

/** What one sync takes, in a process of its own. */
const reportAndEnd = async (work) => {
  process.send(await measure(async () => ({ requests: await work() })))
  process.disconnect()
}

/** Medians of all rounds, by what was measured. */
function compareSync({ rfqs, responses, listings, rounds }) {
  return inFolder(async (folder) => {
    const { child, answer } = await startRole(import.meta.url, 'marketplace', rfqs, responses, listings)
    const names = ['bare download', 'without figures', 'first sync', 'nothing changed', '1 % changed']
    const results = Object.fromEntries(names.map((name) => [name, []]))
    const measureRole = (...values) => measureIn(import.meta.url, ...values)
    for (let round = 0; round < rounds; round++) {
      const database = join(folder, `${round}.db`)
      results['bare download'].push(await measureRole('bare', answer.url))
      const sync = (name) => measureRole('sync', answer.url, name, 'figures')
      results['without figures'].push(await measureRole('sync', answer.url, `${database}.plain`, 'none'))
      results['first sync'].push(await sync(database))
      results['nothing changed'].push(await sync(database))
      await changeSome(child)
      results['1 % changed'].push(await sync(database))
    }
    child.kill()
    const base = medians(results['bare download'])
    return Object.entries(results).map(([name, all]) => {
      const found = medians(all)
      return { name, ...found, ratio: found.seconds / base.seconds, cpuRatio: found.cpuSeconds / base.cpuSeconds }
    })
  })
}

function changeSome(child) {
  return new Promise((resolve) => {
    child.once('message', resolve)
    child.send('change')
  })
}

const cells = ({ name, requests, seconds, ratio, cpuSeconds, cpuRatio, peakMiB, maxBlockedMs }) => [
  name,
  requests,
  `${seconds.toFixed(2)} s`,
  `${ratio.toFixed(2)} ×`,
  `${cpuSeconds.toFixed(2)} s`,
  `${cpuRatio.toFixed(2)} ×`,
  `${peakMiB.toFixed(0)} MiB`,
  `${maxBlockedMs.toFixed(0)} ms`,
]
const header = ['', 'requests', 'whole time', 'beside bare', 'processor', 'beside bare', 'peak memory', 'longest block']

if (process.send) await runRole(roles)
else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [rfqs = 3000, responses = 10, listings = 2000, rounds = 5] = process.argv.slice(2).map(Number)
  const counts = `${rfqs} RFQs × ${responses} responses, ${listings} listings`
  console.log(`${counts}, ${rounds} rounds, medians (Node ${process.version})`)
  const rows = (await compareSync({ rfqs, responses, listings, rounds })).map(cells)
  for (const row of [header, ...rows]) console.log(row.map((cell) => String(cell).padEnd(26)).join(''))
}
