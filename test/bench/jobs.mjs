// What running a job costs, in this process and on Redis, beside calling its function and beside bare BullMQ.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { dist, inFolder, measureIn, medians, runRole, times } from './bench-process.mjs'

const JOBS = 2000
const CONCURRENCY = 4
const jobs = new URL('jobs/', dist)
const log = Object.fromEntries(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => [level, () => undefined]),
)
Object.assign(log, { child: () => log, level: 'silent' })

/** Handlers that do nothing, and a promise for the last of all jobs. */
function countingHandlers() {
  let done = 0
  let finish
  const finished = new Promise((resolve) => {
    finish = resolve
  })
  const handler = async () => {
    if (++done === JOBS) finish()
    return undefined
  }
  const names = ['poll-listings', 'poll-rfqs', 'close-expired', 'channel-report', 'rfq-report']
  return { handlers: Object.fromEntries(names.map((name) => [name, handler])), handler, finished }
}

/** Adds all jobs, each of a channel of its own, and resolves when all have run. */
async function timeRunner(runner) {
  const { handlers, finished } = countingHandlers()
  await runner.work(handlers)
  await report(async () => {
    for (let index = 0; index < JOBS; index++) {
      await runner.enqueue('poll-rfqs', { channel: `bench/c${index}`, cause: 'tick' }, `job-${index}`)
    }
    await finished
  })
  await runner.close(1000)
}

async function report(work) {
  const cpu = process.cpuUsage()
  const began = performance.now()
  await work()
  const { user, system } = process.cpuUsage(cpu)
  process.send({ seconds: (performance.now() - began) / 1000, cpuSeconds: (user + system) / 1e6 })
}

const roles = {
  async call() {
    const { handler } = countingHandlers()
    await report(async () => {
      for (let index = 0; index < JOBS; index++) await handler()
    })
    process.exit()
  },
  async 'in-process'() {
    const { createInProcessRunner } = await import(new URL('queue/in-process-runner.js', jobs))
    await timeRunner(createInProcessRunner({ concurrency: CONCURRENCY, log }))
    process.exit()
  },
  async redis(url) {
    const { createBullRunner } = await import(new URL('queue/bullmq-runner.js', jobs))
    const prefix = `q${process.pid}`
    const runner = await createBullRunner({ url, prefix, concurrency: CONCURRENCY, log })
    await timeRunner(runner)
    process.exit()
  },
  async bullmq(url) {
    const { Queue, Worker } = await import('bullmq')
    const { hostname: host, port } = new URL(url)
    const options = { connection: { host, port: Number(port) }, prefix: `b${process.pid}` }
    const queue = new Queue('bench', options)
    const { handler, finished } = countingHandlers()
    const worker = new Worker('bench', handler, { ...options, concurrency: CONCURRENCY })
    await worker.waitUntilReady()
    await report(async () => {
      for (let index = 0; index < JOBS; index++) {
        await queue.add('poll-rfqs', { channel: `bench/c${index}` }, { jobId: `job-${index}` })
      }
      await finished
    })
    process.exit()
  },
}

/** Calls a function with the URL of a Redis of its own, or with null if there is no redis-server. */
async function withRedis(work) {
  if (spawnSync('redis-server', ['--version']).status !== 0) return work(null)
  return inFolder(async (folder) => {
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address()
    probe.close()
    const settings = ['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes', '--save', '']
    const server = spawn('redis-server', settings.map(String), { stdio: ['ignore', 'pipe', 'ignore'] })
    for await (const line of server.stdout) if (String(line).includes('Ready to accept')) break
    try {
      return await work(`redis://127.0.0.1:${port}`)
    } finally {
      server.kill()
      await once(server, 'exit')
    }
  })
}

/** The section of docs/BENCHMARKS.md. */
export function jobsSection(rounds) {
  return withRedis(async (url) => {
    const measureRole = async (...role) => medians(await times(rounds, () => measureIn(import.meta.url, ...role)))
    const call = await measureRole('call')
    const found = [
      { name: 'function called', ...call },
      { name: 'in this process', ...(await measureRole('in-process')) },
    ]
    if (url) {
      const bare = await measureRole('bullmq', url)
      const ours = await measureRole('redis', url)
      found.push({ name: 'bare BullMQ on Redis', ...bare })
      found.push({ name: 'Quotekeeper on Redis', ...ours, ratio: ours.seconds / bare.seconds })
    }
    const micro = (seconds) => `${((seconds / JOBS) * 1e6).toFixed(1)} µs`
    return {
      title: 'Overhead of jobs',
      text: `${JOBS.toLocaleString('en')} jobs that do nothing, each of another channel, ${CONCURRENCY} at a time, are added one after another; time for each.`,
      header: ['', 'time', 'processor', 'beside bare BullMQ'],
      rows: found.map(({ name, seconds, cpuSeconds, ratio }) => [
        name,
        micro(seconds),
        micro(cpuSeconds),
        ratio === undefined ? '' : `${ratio.toFixed(2)} ×`,
      ]),
    }
  })
}

if (process.send) await runRole(roles)
