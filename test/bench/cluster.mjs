/**
 * How much faster several workers are than one, on PostgreSQL and Redis, with a marketplace that takes 20 ms for each reply: the first
 * polls of twelve channels, each one job. Prints the table of docs/SCALING.md.
 *
 *   npm run bench:cluster -- [RFQS PER CHANNEL] [ROUNDS]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { createBullRunner } from '../../dist/jobs/queue/bullmq-runner.js'
import { PostgresServer, postgresUrl } from '../soak/postgres.mjs'
import { dist, inFolder, median, runRole, startRole } from './bench-process.mjs'

const [RFQS, ROUNDS] = [60, 3].map((usual, at) => Number(process.argv[2 + at]) || usual)
const RESPONSES = 3
const LATENCY_MS = 20
const channels = Array.from({ length: 12 }, (_, index) => ({ org: 'acme', channel: `c${index}` }))
const KEY = 'key of acme'
/** The requests in flight, and per second, of all processes together. */
const CASES = [
  { concurrency: 64, perSecond: 10_000, workers: [1, 2, 3] },
  { concurrency: 64, perSecond: 200, workers: [1, 3] },
]

const roles = {
  async marketplace(rfqs) {
    const { createWorld, startSandbox } = await import(new URL('src/sandbox/index.js', dist))
    const all = channels.map((each) => ({
      ...each,
      apiKey: KEY,
      listings: 1,
      rfqs: Number(rfqs),
      responsesPerRfq: RESPONSES,
    }))
    const world = createWorld({ seed: 1, now: new Date(), still: true, channels: all })
    const sandbox = await startSandbox({ world, keepRequests: 1_000_000 })
    for (const operation of ['listRfqs', 'readRfq', 'readResponse'])
      sandbox.faults.add({ operation, times: Number.POSITIVE_INFINITY, effect: { kind: 'delay', ms: LATENCY_MS } })
    let known = 0
    // Since it was asked last: how many requests, and the most within a second.
    process.on('message', () => {
      const times = sandbox.requests.slice(known).map(({ at }) => at.getTime())
      known = sandbox.requests.length
      let first = 0
      const maxPerSecond = times.reduce((max, time, at) => {
        while (times[first] <= time - 1000) first++
        return Math.max(max, at - first + 1)
      }, 0)
      process.send({ requests: times.length, maxPerSecond })
    })
    process.send({ url: sandbox.url })
  },
}

const quiet = { debug() {}, info() {}, warn: console.error, error: console.error }

/** Ends a process, and waits for its end. */
async function stopped(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGQUIT')
  await ended
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** Processor seconds of a process so far. */
async function cpuSeconds({ pid }) {
  const { readFileSync } = await import('node:fs')
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Starts `quotekeeper work`. */
async function startWorker(file) {
  const program = new URL('src/cli/main.js', dist).pathname
  const args = [program, '--config', file, 'work']
  const child = spawn(process.execPath, args, { env: { ...process.env, KEY }, stdio: ['ignore', 'pipe', 'inherit'] })
  let log = ''
  await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`a worker ended with ${code}: ${log}`)))
    child.stdout.on('data', (data) => {
      log += data
      if (log.includes('quotekeeper started')) resolve()
    })
  })
  return child
}

/** Starts workers on a new schema, each with a folder of its own, and polls all channels once. */
async function poll({ folder, name, workers, limits, servers, marketplace }) {
  const database = `${servers.postgres.url}?schema=${name}`
  const queue = `redis://127.0.0.1:${servers.redisPort}`
  const children = []
  for (let index = 0; index < workers; index++) {
    const own = join(folder, `${name}-${index}`)
    mkdirSync(own)
    const text = `baseUrl: ${marketplace.answer.url}
database: ${database}
queue: ${queue}
channels:
${channels.map(({ org, channel }) => `  - { org: ${org}, channel: ${channel}, apiKey: { env: KEY }, autoClose: off }`).join('\n')}
requests: { concurrency: ${limits.concurrency}, perSecond: ${limits.perSecond} }
`
    const file = join(own, 'quotekeeper.yaml')
    writeFileSync(file, text)
    children.push(await startWorker(file))
  }
  const runner = await createBullRunner({ url: queue, concurrency: 1, log: quiet })
  const client = new pg.Client({ connectionString: servers.postgres.url })
  await client.connect()
  marketplace.child.send('count')
  await once(marketplace.child, 'message')
  const before = await Promise.all(children.map(cpuSeconds))
  const began = performance.now()
  for (const { org, channel } of channels)
    await runner.enqueue('poll-rfqs', { channel: `${org}/${channel}`, cause: 'api' }, `${name}-${channel}`)
  for (;;) {
    const { rows } = await client.query(`select outcome from ${name}.runs where finished_at is not null`)
    if (rows.some(({ outcome }) => outcome !== 'complete')) throw new Error('a poll is not complete')
    if (rows.length === channels.length) break
    await wait(20)
  }
  const seconds = (performance.now() - began) / 1000
  const after = await Promise.all(children.map(cpuSeconds))
  marketplace.child.send('count')
  const [{ requests, maxPerSecond }] = await once(marketplace.child, 'message')
  const { rows } = await client.query(`select sum(requests) as requests from ${name}.runs`)
  if (Number(rows[0].requests) !== requests) throw new Error('the runs have not counted all requests')
  await runner.close(1000)
  await client.end()
  for (const child of children) {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  const cpu = after.map((each, index) => each - before[index])
  return { seconds, requests, maxPerSecond, cpu: cpu.reduce((sum, each) => sum + each, 0) }
}

async function compare(folder, stops) {
  const [redisPort, port] = [await freePort(), await freePort()]
  const server = new PostgresServer(join(folder, 'postgres'))
  await server.initialize()
  const postmaster = server.launch(port)
  stops.push(() => stopped(postmaster))
  const redis = spawn('redis-server', ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', ''], {
    cwd: folder,
    stdio: 'ignore',
  })
  stops.push(() => stopped(redis))
  const marketplace = await startRole(import.meta.url, 'marketplace', RFQS)
  stops.push(() => stopped(marketplace.child))
  const postgres = { url: postgresUrl(port) }
  await wait(2000)
  await printTable({ folder, servers: { postgres, redisPort }, marketplace })
}

async function printTable(environment) {
  const columns = ['limit', 'workers', 'time', 'beside one', 'requests per second', 'most within 1 s', 'processor']
  const align = columns.map((_, column) => (column === 0 ? '---' : '--:'))
  for (const row of [columns, align]) console.log(`| ${row.join(' | ')} |`)
  for (const [at, { workers: counts, ...limits }] of CASES.entries()) {
    let one = 0
    for (const workers of counts) {
      const results = []
      for (let round = 0; round < ROUNDS; round++) {
        const name = `s${at}_${workers}_${round}`
        results.push(await poll({ ...environment, name, workers, limits }))
      }
      const mid = (key) => median(results.map((each) => each[key]))
      if (workers === 1) one = mid('seconds')
      const cells = [
        limits.perSecond >= 10_000 ? 'none' : `${limits.perSecond} per second`,
        ...[workers, `${mid('seconds').toFixed(1)} s`, `${(one / mid('seconds')).toFixed(2)} ×`],
        ...[Math.round(mid('requests') / mid('seconds')), mid('maxPerSecond'), `${mid('cpu').toFixed(1)} s`],
      ]
      console.log(`| ${cells.join(' | ')} |`)
    }
  }
}

if (process.send) await runRole(roles)
else {
  const { chmodSync } = await import('node:fs')
  console.log(
    `${channels.length} channels × ${RFQS} RFQs × ${RESPONSES} responses, ${LATENCY_MS} ms latency, medians of ${ROUNDS} rounds, ` +
      `${availableParallelism()} processors, load average ${loadavg()[0].toFixed(1)}\n`,
  )
  await inFolder(async (folder) => {
    chmodSync(folder, 0o711)
    const stops = []
    try {
      await compare(folder, stops)
    } finally {
      await Promise.all(stops.map((stop) => stop()))
    }
  })
}
