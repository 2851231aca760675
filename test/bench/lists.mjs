/**
 * How the time of commands that list grows with the number of RFQs: 30 and 3,000 with 10 offers each. Run it with:
 *
 *   npm run bench:lists
 *
 * 8 RFQs of each database are past due and open, 12 are open and due later, the others are closed. They are polled from a marketplace in
 * another process, three days before, and again just before. Commands are whole processes, from start to end; `close-expired` polls the
 * marketplace first, so its time contains the list of all RFQs: the row above it is that poll alone. All are medians of five; the
 * sizes take turns.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dist, inFolder, measureIn, median, runRole, sampleWorld, startRole, times } from './bench-process.mjs'

const src = new URL('src/', dist)
const program = fileURLToPath(new URL('cli/main.js', src))
const channel = { org: 'bench', channel: 'lists', apiKey: 'bench key' }
const SIZES = [30, 3000]
const OFFERS = 10
const PAST_DUE = 8
const OPEN = 20
const ROUNDS = 5

const roles = {
  async marketplace(count) {
    const { startSandbox } = await import(new URL('sandbox/index.js', src))
    const world = await sampleWorld(channel, { rfqs: Number(count), offers: OFFERS, now: new Date(), termsOf })
    const { url } = await startSandbox({ world, keepRequests: false })
    process.once('disconnect', () => process.exit())
    process.send({ url })
  },
  async fill(url, database) {
    const { createMarketplace } = await import(new URL('marketplace/client.js', src))
    const { openStore } = await import(new URL('store/sqlite/store.js', src))
    const { pollRfqs } = await import(new URL('sync/poll-rfqs.js', src))
    const store = await openStore({ path: database })
    const limits = { concurrency: 16, perSecond: 1_000_000, timeoutMs: 60_000, retries: 0, maxBodyMiB: 512 }
    const marketplace = createMarketplace({ baseUrl: url, limits, version: 'bench' })
    // Known for three days, so that lists show no first poll.
    const context = { session: marketplace.session(channel), store, now: () => new Date(Date.now() - 3 * 86_400_000) }
    const { run } = await pollRfqs(context, { recheckClosedHours: 24, concurrency: 8 })
    if (run.outcome !== 'complete') throw new Error(run.error)
    await marketplace.close()
    await store.close()
    process.send({ seen: run.seen }, () => process.exit())
  },
}

const day = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const termsOf = (at) => ({
  state: at < OPEN ? 'open' : 'closed',
  responseDueDate: at < PAST_DUE || at >= OPEN ? day(-5) : day(30),
})

const configOf = ({ url, database }) => `baseUrl: ${url}
database: ${database}
requests: { perSecond: 10000 }
schedule: { listings: null, rfqs: null, closeExpired: null }
channels: [{ org: bench, channel: lists, apiKey: { env: BENCH_KEY }, autoClose: "on" }]
`

/** Seconds from the start of a process to its end. */
function run(...args) {
  const began = performance.now()
  const env = { ...process.env, BENCH_KEY: channel.apiKey }
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 28, env })
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr || stdout}`)
  return (performance.now() - began) / 1000
}

const COMMANDS = {
  today: ['today'],
  rfqs: ['rfqs'],
  'sync --only rfqs': ['sync', '--only', 'rfqs'],
  'close-expired --dry-run': ['close-expired', '--dry-run'],
}

/** A database of a size, its configuration, and the marketplace that it was polled from. */
async function openSize(folder, size) {
  const { child, answer } = await startRole(import.meta.url, 'marketplace', size)
  const database = join(folder, `${size}.db`)
  await measureIn(import.meta.url, 'fill', answer.url, database)
  const config = join(folder, `${size}.yaml`)
  writeFileSync(config, configOf({ url: answer.url, database }), { mode: 0o600 })
  // Records recommendations, which lists read.
  run(program, '--config', config, 'sync', '--only', 'rfqs')
  return { config, close: () => child.kill() }
}

/** Medians of each size. The sizes take turns, so that other work on the machine disturbs them alike. */
async function mediansOf(sizes, secondsOf) {
  for (const size of sizes) await secondsOf(size)
  const rounds = await times(ROUNDS, async () => {
    const seconds = []
    for (const size of sizes) seconds.push(await secondsOf(size))
    return seconds
  })
  return sizes.map((_size, at) => median(rounds.map((seconds) => seconds[at])))
}

async function compareSizes(sizes) {
  console.log(`quotekeeper --version: ${ms(median(await times(ROUNDS, () => run(program, '--version'))))}\n`)
  print(`RFQs with ${OFFERS} offers`, ...SIZES.map(String), 'ratio')
  for (const [name, args] of Object.entries(COMMANDS)) {
    const seconds = await mediansOf(sizes, ({ config }) => run(program, '--config', config, ...args))
    print(name, ...seconds.map(ms), `${(seconds.at(-1) / seconds[0]).toFixed(1)} ×`)
  }
}

const print = (name, ...cells) => console.log([name.padEnd(26), ...cells.map((cell) => cell.padStart(10))].join(''))
const ms = (seconds) => `${(seconds * 1000).toFixed(0)} ms`

const main = () =>
  inFolder(async (folder) => {
    const opened = []
    try {
      for (const size of SIZES) opened.push(await openSize(folder, size))
      await compareSizes(opened)
    } finally {
      for (const { close } of opened) close()
    }
  })

await (Object.hasOwn(roles, process.argv[2] ?? '') ? runRole(roles) : main())
