// A long run with random failures, followed by an independent check.
//   npm run soak -- --minutes 20 [--seed 7] [--database postgres]
// A sandbox with random faults, hostile lists and changes; two services and two workers on a private Redis, all killed at
// random. With `--database postgres` they share a private PostgreSQL, which at random crashes, restarts and hangs, and no file: each has
// a folder of its own, and some have clocks that are wrong. What is checked then is a copy by copy-database. At the end the sandbox's own
// record is compared with the database:
// - every state returned to a read of a completed run is in the history;
// - every POST has a decision, none was sent before the due date ended, and none was repeated without a read in between;
// - all processes together kept the rate limit.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import pg from 'pg'
import { contentOf } from '../../dist/src/core/documents/canonical-json.js'
import { createWorld, startSandbox } from '../../dist/src/sandbox/index.js'
import { checkHistory, checkPosts, checkRate } from './check.mjs'
import { PostgresServer } from './postgres.mjs'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    database: { type: 'string', default: 'sqlite' },
  },
})
if (!['sqlite', 'postgres'].includes(values.database)) throw new Error('--database: sqlite or postgres')
const minutes = Number(values.minutes ?? 5)
const seed = Number(values.seed ?? Date.now() % 100_000)
const random = mulberry(seed)
const pick = (all) => all[Math.floor(random() * all.length)]
const PROGRAM = new URL('../../dist/src/cli/main.js', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-soak-'))
const channels = [
  { org: 'acme', channel: 'forest' },
  { org: 'acme', channel: 'blue' },
  { org: 'meridian', channel: 'removals' },
]
/** Requests of all processes together. */
const PER_SECOND = 80
/** More faults of one operation do not wait for requests: on a busy machine none would succeed any more. */
const MAX_WAITING_FAULTS = 6
const SERVERS = ['service-1', 'service-2', 'worker-1', 'worker-2']
const counts = {
  ...{ faults: 0, hostileLists: 0, changes: 0, kills: 0, redisKills: 0, postgresCrashes: 0, postgresRestarts: 0 },
  ...{ postgresPauses: 0, flushes: 0, stops: 0, pauses: 0, wrongClocks: 0 },
}
const day = (offset) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)

// --- the marketplace ------------------------------------------------------------------------------------------------

const world = createWorld({
  seed,
  now: new Date(),
  still: true,
  channels: channels.map((each) => ({ ...each, listings: 12, rfqs: 6 })),
})
const sandbox = await startSandbox({ world })
/** The states in successful replies: {at, kind, id, content, state, due}. */
const shown = []
const record = (kind) => (body) => {
  const { id, state, responseDueDate: due } = body
  shown.push({ at: Date.now(), kind, id, content: contentOf(body), state, due })
  return body
}
let observers = []
/** Observers are added after all faults, so that they see only replies that are sent completely. */
function observe() {
  for (const each of observers) each.remove()
  const watch = (operation, kind) =>
    sandbox.faults.add({
      operation,
      times: Number.POSITIVE_INFINITY,
      effect: { kind: 'transform', change: record(kind) },
    })
  observers = [watch('readRfq', 'rfq'), watch('readResponse', 'response')]
}
observe()

const readFaults = [
  () => ({ kind: 'status', status: pick([500, 502, 503, 408]) }),
  () => ({ kind: 'status', status: 429, headers: { 'Retry-After': '3' } }),
  () => ({ kind: 'status', status: 503, headers: { 'Retry-After': 'soon' } }),
  () => ({ kind: 'reset' }),
  () => ({ kind: 'reset-mid-body' }),
  () => ({ kind: 'truncate' }),
  () => ({ kind: 'status', status: 200, headers: { 'content-type': 'text/html' }, text: '<html>Down</html>' }),
  () => ({ kind: 'hang' }),
  () => ({ kind: 'status', status: 302, headers: { location: 'http://127.0.0.1:9/' } }),
  () => ({ kind: 'status', status: pick([401, 403, 404]) }),
]
const closeFaults = [
  () => ({ kind: 'status', status: 500, apply: random() < 0.5 }),
  () => ({ kind: 'reset', apply: random() < 0.5 }),
  () => ({ kind: 'hang', apply: random() < 0.5 }),
  () => ({ kind: 'status', status: 200, body: { ok: false } }),
  () => ({ kind: 'status', status: pick([400, 404]) }),
]
/** Lists that are large, or made to be expensive; none may lose a document or end a process. */
const hostileLists = [
  () => ({ items: Array.from({ length: 150_000 }, () => ({})) }),
  () => ({ items: Array.from({ length: 20_000 }, () => ({})) }),
  () => ({ items: Array.from({ length: 5_000 }, (_, index) => ({ id: index % 2 === 0 ? null : '\ud800' })) }),
  () => ({ items: [nested(400)] }),
  () => ({ items: 'none' }),
  () => ({ items: [null, 1, 'text', [], { id: '../close' }, { id: '' }] }),
]
const nested = (depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
/** Added faults: {operation, times, handle}. */
let waitingFaults = []
function injectFault() {
  if (random() < 0.03) {
    const text = JSON.stringify(pick(hostileLists)())
    const effect = { kind: 'status', status: 200, text }
    sandbox.faults.add({ operation: pick(['listListings', 'listRfqs']), effect })
    counts.hostileLists++
  }
  const closing = random() < 0.4
  const operation = closing ? 'closeRfq' : pick(['listListings', 'listRfqs', 'readRfq', 'readResponse', 'readResponse'])
  const times = 1 + Math.floor(random() * 4)
  waitingFaults = waitingFaults.filter((each) => each.handle.hits < each.times)
  const waiting = waitingFaults.filter((each) => each.operation === operation)
  if (waiting.reduce((sum, each) => sum + each.times - each.handle.hits, 0) >= MAX_WAITING_FAULTS) return
  const handle = sandbox.faults.add({ operation, times, effect: pick(closing ? closeFaults : readFaults)() })
  waitingFaults.push({ operation, times, handle })
  if (!closing && random() < 0.1) sandbox.faults.add({ operation: 'listRfqs', effect: { kind: 'empty' } })
  observe()
  counts.faults++
}
const rfqsOf = (each) => world.channel(each)?.rfqs ?? []
function changeWorld() {
  counts.changes++
  const channel = pick(channels)
  const rfqs = rfqsOf(channel)
  const rfq = pick(rfqs)
  const open = rfqs.filter((each) => each.terms.state === 'open')
  const response = rfq && pick([...rfq.responses])
  const action = random()
  if (open.length < 4 || action < 0.08) {
    const { id } = world.addRfq(channel, { responseDueDate: day(pick([1, 2, 5])) })
    for (let n = Math.floor(random() * 5); n > 0; n--) world.addResponse(id)
  } else if (action < 0.3) world.changeRfq(pick(open).terms.id, { responseDueDate: day(pick([-1, -2, -9])) })
  else if (action < 0.38) world.changeRfq(pick(open).terms.id, { responseDueDate: day(pick([0, 1, 3])) })
  else if (action < 0.5) world.changeRfq(rfq.terms.id, { title: `Title ${counts.changes}` })
  else if (action < 0.65) world.addResponse(rfq.terms.id)
  else if (action < 0.85 && response) world.changeResponse(response.id, { offer: { totalPrice: counts.changes } })
  else if (action < 0.9 && response) world.removeResponse(response.id)
  else if (action < 0.93) world.closeRfq(pick(open).terms.id)
  else if (rfqs.length > 30) world.removeRfq(pick(rfqs).terms.id)
}

// --- the program ----------------------------------------------------------------------------------------------------

const [redisPort, ...webPorts] = [await freePort(), await freePort(), await freePort()]
// The server may run as another user.
chmodSync(folder, 0o711)
const postgres = values.database === 'postgres' ? new PostgresServer(join(folder, 'postgres'), await freePort()) : null
const copy = join(folder, 'soak.db')
const key = (org) => `SOAK_KEY_${org.toUpperCase()}`
const env = {
  ...process.env,
  ...Object.fromEntries(Object.entries(sandbox.keys).map(([org, value]) => [key(org), value])),
}
/** Writes the configuration of a process in a folder of its own. @returns its path */
function configure(name, webPort) {
  mkdirSync(join(folder, name))
  const file = join(folder, name, 'quotekeeper.yaml')
  writeFileSync(
    file,
    `baseUrl: ${sandbox.url}
database: ${postgres?.url ?? copy}
queue: redis://127.0.0.1:${redisPort}
channels:
${channels.map(({ org, channel }) => `  - { org: ${org}, channel: ${channel}, apiKey: { env: ${key(org)} }, autoClose: on }`).join('\n')}
schedule:
  listings: "*/20 * * * * *"
  rfqs: "*/3 * * * * *"
  closeExpired: "*/5 * * * * *"
  channelReport: null
requests: { concurrency: 8, perSecond: ${PER_SECOND}, timeoutMs: 1500, retries: 3, maxBodyMiB: 16 }
polling: { offersMaxAgeMinutes: 1, urgentHours: 6 }
closing: { maxPerRun: 500, reportOnClose: false }
web: { host: 127.0.0.1, port: ${webPort} }
`,
  )
  return file
}
const configs = Object.fromEntries(
  SERVERS.map((name, index) => [name, configure(name, webPorts[index % webPorts.length])]),
)

const processes = new Map()
let ending = false
function keepRunning(name, start) {
  if (ending) return
  const child = start()
  let errors = ''
  child.stderr.on('data', (data) => {
    errors = (errors + data).slice(-2000)
  })
  processes.set(name, child)
  child.once('exit', async (code, signal) => {
    if (ending) return
    if (code !== 0 && signal !== 'SIGKILL') console.log(`${name} ended with ${code ?? signal}: ${errors.trim()}`)
    await wait(200 + random() * 1500)
    keepRunning(name, start)
  })
}
const spawnPiped = (command, args) => () => spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
/** How wrong the clocks of processes were, in milliseconds, by process id. */
const clockErrors = new Map()
/** Processes on one SQLite file have one clock. */
const startServer = (name) => () => {
  const command = [PROGRAM, '--config', configs[name], name.startsWith('service') ? 'start' : 'work']
  const isWrong = postgres !== null && random() < 0.2 && Date.now() < until
  if (!isWrong) return spawnPiped(process.execPath, command)()
  counts.wrongClocks++
  const error = Math.round(pick([-1, 1]) * pick([3_000, 90_000, 26 * 3_600_000]) * (0.5 + random()))
  const clock = `const now = Date.now; Date.now = () => now() + ${error}
    globalThis.Date = new Proxy(Date, { construct: (real, args) => new real(...(args.length ? args : [real.now()])) })`
  const child = spawnPiped(process.execPath, [
    '--import',
    `data:text/javascript,${encodeURIComponent(clock)}`,
    ...command,
  ])()
  clockErrors.set(child.pid, error)
  return child
}
const redisArgs = [
  '--port',
  String(redisPort),
  '--bind',
  '127.0.0.1',
  '--dir',
  folder,
  '--appendonly',
  'yes',
  '--save',
  '',
]
keepRunning('redis', spawnPiped('redis-server', redisArgs))
await postgres?.start()
await wait(500)
const until = Date.now() + minutes * 60_000
for (const name of SERVERS) keepRunning(name, startServer(name))

const kill = (name, signal) => processes.get(name)?.kill(signal)

const ofPostgres = [
  // Without a checkpoint, as a power failure would.
  { count: 'postgresCrashes', act: () => postgres.restart('SIGQUIT', 200 + random() * 1500) },
  { count: 'postgresRestarts', act: () => postgres.restart('SIGINT', 200 + random() * 1500) },
  // Some are over before they are noticed, others outlast every limit of time.
  { count: 'postgresPauses', act: () => postgres.pause(1000 + random() * 14_000) },
]
/** What was begun with PostgreSQL, until it has ended. */
let atPostgres = Promise.resolve()
async function disruptPostgres() {
  const { count, act } = pick(ofPostgres)
  await act()
  counts[count]++
}

function disruptProcesses() {
  const chance = random()
  if (chance < 0.15) {
    kill('redis', 'SIGKILL')
    counts.redisKills++
  } else if (postgres && chance < 0.35) {
    // Processes are killed meanwhile.
    atPostgres = atPostgres.then(disruptPostgres)
  } else if (chance < 0.4) {
    spawn('redis-cli', ['-p', String(redisPort), 'FLUSHALL'], { stdio: 'ignore' })
    counts.flushes++
  } else if (chance < 0.5) {
    kill(pick(SERVERS), 'SIGTERM')
    counts.stops++
  } else if (chance < 0.6) {
    // Some are over before they are noticed, others longer than a silent holder keeps its lock.
    const child = processes.get(pick(SERVERS))
    child.kill('SIGSTOP')
    setTimeout(() => child.kill('SIGCONT'), 1000 + random() * 29_000)
    counts.pauses++
  } else {
    kill(pick(SERVERS), 'SIGKILL')
    counts.kills++
  }
}

// --- the run --------------------------------------------------------------------------------------------------------

const loop = async (act, averageMs) => {
  while (Date.now() < until) {
    await wait(averageMs * 2 * random())
    await act()
  }
}
console.log(`soak of ${minutes} minutes, seed ${seed}, in ${folder}`)
const progress = setInterval(
  () => console.log(`${new Date().toISOString()} ${JSON.stringify({ ...counts, shown: shown.length })}`),
  60_000,
)
await Promise.all([loop(injectFault, 700), loop(changeWorld, 250), loop(disruptProcesses, 6000)])
clearInterval(progress)
await atPostgres

// Without faults and changes the service must recover. Stalled jobs and leases take up to three minutes.
sandbox.faults.clear()
for (const child of processes.values()) if (clockErrors.has(child.pid)) child.kill('SIGKILL')
observers = []
observe()
const calmSince = Date.now()
// A closing round stays partial while a refused or uncertain close waits for a person.
const DONE = `select distinct channel, kind from runs
  where started_at > ? and (outcome = 'complete' or (kind = 'close' and outcome = 'partial'))`
async function doneRuns() {
  const since = new Date(calmSince + 70_000).toISOString()
  if (!postgres) {
    const db = new Database(copy, { readonly: true })
    const rows = db.prepare(DONE).all(since)
    db.close()
    return rows
  }
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const { rows } = await client.query(DONE.replace('from runs', 'from quotekeeper_data.runs').replace('?', '$1'), [
    since,
  ])
  await client.end()
  return rows
}
const recovered = async () => {
  const runs = await doneRuns()
  const done = channels.every(({ org, channel }) =>
    ['rfqs', 'close', 'listings'].every((kind) =>
      runs.some((run) => run.channel === `${org}/${channel}` && run.kind === kind),
    ),
  )
  const ready = await fetch(`http://127.0.0.1:${webPorts[0]}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  )
  return done && ready
}
let isRecovered = false
while (!isRecovered && Date.now() < calmSince + 240_000) {
  await wait(2000)
  isRecovered = await recovered()
}
ending = true
const exits = await Promise.all(
  SERVERS.map(async (name) => {
    const child = processes.get(name)
    const began = Date.now()
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    return { name, code, ms: Date.now() - began }
  }),
)
processes.get('redis').kill('SIGKILL')
await sandbox.close()
const runCommand = async (...args) => {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: 'inherit' })
  return (await once(child, 'exit'))[0]
}
const verified = await runCommand('--config', configs['service-1'], 'closings', '--verify')
const copied = postgres ? await runCommand('copy-database', postgres.url, copy) : 0
await postgres?.stop()

const db = new Database(copy, { readonly: true })
const findings = [
  ...(copied === 0 ? [] : ['the database could not be copied']),
  ...(isRecovered ? [] : ['the service did not recover within four minutes without faults']),
  ...exits.filter(({ code, ms }) => code !== 0 || ms > 10_000).map((exit) => `unclean exit: ${JSON.stringify(exit)}`),
  ...(db.pragma('integrity_check', { simple: true }) === 'ok' ? [] : ['the database is damaged']),
]
const history = checkHistory(db, shown, sandbox.requests, clockErrors)
const posts = checkPosts(db, sandbox.requests, shown)
const rate = checkRate(sandbox.requests, PER_SECOND)
findings.push(...history.findings, ...posts.findings, ...rate.findings)
const runs = Object.fromEntries(
  db
    .prepare('select outcome, count(*) as n from runs group by outcome')
    .all()
    .map(({ outcome, n }) => [outcome, n]),
)
db.close()
if (verified !== 0) findings.push('the hash chain of the decisions is broken')
console.log(
  JSON.stringify(
    {
      ...{ minutes, seed, database: values.database, ...counts, requests: sandbox.requests.length, runs },
      ...{ ...history.counts, ...posts.counts, ...rate.counts },
    },
    null,
    2,
  ),
)
for (const finding of findings) console.log(`FINDING: ${finding}`)
console.log(
  findings.length === 0 ? 'no data lost, no RFQ closed by mistake' : `${findings.length} findings; see ${folder}`,
)
if (findings.length === 0) rmSync(folder, { recursive: true })
process.exit(findings.length === 0 ? 0 : 1)

function mulberry(start) {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}
