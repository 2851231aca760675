import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished } from 'vitest'
import { run } from '../../../src/cli/program.js'
import { createWorld, type Sandbox, startSandbox } from '../../../src/sandbox/index.js'
import { CHANNEL } from '../channel-fixture.js'
import { eventually } from '../eventually.js'
import { testFolder } from '../test-folder.js'
import { testIo } from '../test-io.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const API_KEY = 'key-of-acme'

export type ProcessFixture = Awaited<ReturnType<typeof openProcessFixture>>

interface ProcessOptions {
  /** Maximum size of V8's old generation, in MiB. */
  heap?: number
  /** Environment variables, besides the API key. */
  env?: Record<string, string>
}

export type RunningProcess = ReturnType<typeof watch>

/**
 * Opens a sandbox on real time, and a folder in which processes of the compiled program (`npm run build`) run.
 * @param more further lines of the configuration file
 */
export async function openProcessFixture({ rfqs = 3, more = '' } = {}) {
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
  writeFileSync(file, configuration(sandbox.url) + withFreePort(more))

  const startProcess = (args: string[], { heap, env }: ProcessOptions = {}) =>
    watch(
      spawn(process.execPath, [...(heap === undefined ? [] : [`--max-old-space-size=${heap}`]), ...args], {
        cwd: folder,
        env: { PATH: process.env.PATH, ACME_API_KEY: API_KEY, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
  /** The rows a query returns, or null while the database cannot be read. */
  const sql = (text: string): unknown[] | null => {
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
    /** Path of the database file. */
    database,
    /** Ids of the RFQs; all are open and past due. */
    rfqIds: ids,
    sql,
    /** Starts the program with this folder's configuration. */
    start: (args: string[], options?: ProcessOptions) =>
      startProcess([join(ROOT, 'dist/src/cli/main.js'), '--config', file, ...args], options),
    /** Runs a command in this process, with the same configuration: for what the processes left, not for what they are. */
    run: async (...args: string[]) => {
      const { io, written } = testIo({ cwd: folder, env: { ACME_API_KEY: API_KEY } })
      return { status: await run(['--config', file, ...args], io), ...written }
    },
    /** Starts a worker (test/fixtures/worker.mjs) on a Redis queue. */
    startWorker: ({ url, prefix }: { url: string; prefix: string }) =>
      startProcess([join(ROOT, 'test/fixtures/worker.mjs'), JSON.stringify({ file, url, prefix })]),
    waitForRows: (text: string, rows: unknown[]) => eventually(() => expect(sql(text)).toEqual(rows)),
    /** The POST requests that the marketplace has received. */
    posts: () => sandbox.requests.filter((request) => request.operation === 'closeRfq'),
  }
}

/** Adds an open RFQ that is past due, with two responses; returns its id. */
export function addPastDueRfq({ world }: Sandbox): string {
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
  const { id } = world.addRfq(CHANNEL, { responseDueDate: twoDaysAgo })
  for (let n = 0; n < 2; n++) world.addResponse(id)
  return id
}

/** Tests run at the same time, so none uses the default port. */
const withFreePort = (more: string) => (/^web:/m.test(more) ? more : `${more}web: { port: 0 }\n`)

const configuration = (url: string) => `baseUrl: ${url}
database: ./quotekeeper.db
channels:
  - { org: ${CHANNEL.org}, channel: ${CHANNEL.channel}, apiKey: { env: ACME_API_KEY }, autoClose: on }
requests: { concurrency: 4, perSecond: 5000, timeoutMs: 20000, retries: 1 }
`

/** A child process; killed when the test ends. */
function watch(child: ChildProcess) {
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
  return Object.assign(text, {
    pid: child.pid ?? 0,
    signal: (name: NodeJS.Signals) => void child.kill(name),
    /** Resolves when it ends, to e.g. `exit 0` or `SIGKILL`. */
    ended,
  })
}
