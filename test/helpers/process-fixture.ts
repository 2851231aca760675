import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished } from 'vitest'
import { createWorld, type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { CHANNEL } from './channel-fixture.js'
import { eventually } from './eventually.js'
import { testFolder } from './test-folder.js'

const ROOT = resolve(import.meta.dirname, '../..')
const API_KEY = 'key-of-acme'

/** A marketplace on the real clock, a folder, and processes of the compiled program (`npm run build`) that work there. */
export interface ProcessFixture {
  folder: string
  sandbox: Sandbox
  /** The file of the database. */
  database: string
  /** Identifiers of the RFQs, all past due and open. */
  rfqIds: string[]
  /** Starts the program with the configuration of this folder. */
  start(args: string[], options?: ProcessOptions): RunningProcess
  /** Starts a worker (fixtures/worker.mjs) on a Redis. */
  startWorker(queue: { url: string; prefix: string }, options?: ProcessOptions): RunningProcess
  /** Rows of the database, or null while there is none. */
  sql(text: string): unknown[] | null
  /** Waits until the database answers with these rows. */
  waitForRows(text: string, rows: unknown[]): Promise<void>
  /** POSTs that the marketplace received. */
  posts(): Sandbox['requests'][number][]
}

interface ProcessOptions {
  /** Of V8's old generation, in MiB. */
  heap?: number
}

/** A process; killed when the test ends. */
export interface RunningProcess {
  readonly pid: number
  readonly out: string
  readonly err: string
  signal(name: NodeJS.Signals): void
  /** How it ended: `exit 0`, `SIGKILL`. */
  readonly ended: Promise<string>
}

/** @param more lines of the configuration beyond the channel and the limits of requests */
export async function openProcessFixture({ rfqs = 3, more = '' } = {}): Promise<ProcessFixture> {
  const folder = testFolder()
  const [database, file] = [join(folder, 'quotekeeper.db'), join(folder, 'quotekeeper.yaml')]
  const world = createWorld({
    seed: 1,
    now: new Date(),
    still: true,
    channels: [{ ...CHANNEL, apiKey: API_KEY, listings: 3, rfqs: 0 }],
  })
  const sandbox = await startSandbox({ world })
  onTestFinished(() => sandbox.close())
  const ids = Array.from({ length: rfqs }, () => addPastDueRfq(sandbox))
  writeFileSync(file, configuration(sandbox.url) + more)

  const run = (args: string[], { heap }: ProcessOptions = {}) =>
    watch(
      spawn(process.execPath, [...(heap === undefined ? [] : [`--max-old-space-size=${heap}`]), ...args], {
        cwd: folder,
        env: { PATH: process.env.PATH, ACME_API_KEY: API_KEY },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
  const sql = (text: string) => {
    try {
      const db = new Database(database, { readonly: true, fileMustExist: true })
      const rows = db.prepare(text).all()
      db.close()
      return rows
    } catch {
      return null
    }
  }
  return {
    folder,
    sandbox,
    database,
    rfqIds: ids,
    sql,
    start: (args, options) => run([join(ROOT, 'dist/src/cli/main.js'), '--config', file, ...args], options),
    startWorker: ({ url, prefix }, options) =>
      run([join(ROOT, 'test/fixtures/worker.mjs'), JSON.stringify({ file, url, prefix })], options),
    waitForRows: (text, rows) => eventually(() => expect(sql(text)).toEqual(rows)),
    posts: () => sandbox.requests.filter((request) => request.operation === 'closeRfq'),
  }
}

/** Adds an RFQ past due, with two responses; its identifier. */
export function addPastDueRfq({ world }: Sandbox): string {
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
  const { id } = world.addRfq(CHANNEL, { responseDueDate: twoDaysAgo })
  for (let n = 0; n < 2; n++) world.addResponse(id)
  return id
}

const configuration = (url: string) => `baseUrl: ${url}
database: ./quotekeeper.db
channels:
  - { org: ${CHANNEL.org}, channel: ${CHANNEL.channel}, apiKey: { env: ACME_API_KEY }, autoClose: on }
requests: { concurrency: 4, perSecond: 5000, timeoutMs: 20000, retries: 1 }
`

function watch(child: ChildProcess): RunningProcess {
  const text = { out: '', err: '' }
  child.stdout?.on('data', (data) => {
    text.out += data
  })
  child.stderr?.on('data', (data) => {
    text.err += data
  })
  const ended = new Promise<string>((settle) => {
    child.once('close', (code, signal) => settle(signal ?? `exit ${code}`))
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    pid: child.pid ?? 0,
    get out() {
      return text.out
    },
    get err() {
      return text.err
    },
    signal: (name) => void child.kill(name),
    ended,
  }
}
