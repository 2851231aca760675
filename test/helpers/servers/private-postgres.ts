import { execFile, spawnSync } from 'node:child_process'
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { freePort } from './private-redis.js'

const run = promisify(execFile)

const FOLDER = await programs()
/** PostgreSQL refuses to run as root; then it runs as the user `postgres`. */
const SERVER_USER: { uid?: number; gid?: number } | null = process.getuid?.() === 0 ? user('postgres') : {}

/** Why tests with PostgreSQL are skipped on this machine, or null. */
export const postgresSkipReason: string | null =
  FOLDER === null
    ? 'no PostgreSQL server programs (initdb, pg_ctl)'
    : SERVER_USER === null
      ? 'running as root without a user postgres'
      : null

/** A PostgreSQL server for tests, on a private port with its data in a temporary folder. */
export class PrivatePostgres {
  readonly url: string
  readonly port: number
  readonly #folder: string

  private constructor(port: number, folder: string) {
    this.port = port
    this.#folder = folder
    this.url = `postgres://quotekeeper@127.0.0.1:${port}/postgres`
  }

  static async start(): Promise<PrivatePostgres> {
    const postgres = await PrivatePostgres.#create()
    await program('initdb', '-D', postgres.#folder, '-U', 'quotekeeper', '-A', 'trust', '-E', 'UTF8', '--no-sync')
    await postgres.launch()
    return postgres
  }

  static async #create(): Promise<PrivatePostgres> {
    const folder = await mkdtemp(join(tmpdir(), 'quotekeeper-postgres-'))
    if (SERVER_USER?.uid !== undefined && SERVER_USER.gid !== undefined)
      await chown(folder, SERVER_USER.uid, SERVER_USER.gid)
    return new PrivatePostgres(await freePort(), folder)
  }

  /** Starts a streaming replica of this server. */
  async replicate(): Promise<PrivatePostgres> {
    const replica = await PrivatePostgres.#create()
    const from = `host=127.0.0.1 port=${this.port} user=quotekeeper`
    await program('pg_basebackup', '-d', from, '-D', replica.#folder, '-c', 'fast', '-R', '--no-sync')
    await replica.launch()
    return replica
  }

  /** Makes a replica the primary server. */
  async promote(): Promise<void> {
    await program('pg_ctl', '-D', this.#folder, '-w', 'promote')
  }

  /** Executes statements, of which there is one at least, on a connection of their own. Returns the result of the last. */
  async execute(...statements: string[]): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: this.url })
    client.on('error', () => undefined)
    await client.connect()
    try {
      for (const statement of statements.slice(0, -1)) await client.query(statement)
      return await client.query(statements.at(-1) as string)
    } finally {
      await client.end()
    }
  }

  /** Starts the server, keeping any existing data. */
  async launch(): Promise<void> {
    const settings = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c max_connections=300`
    await program('pg_ctl', '-D', this.#folder, '-w', '-l', join(this.#folder, 'log'), '-o', settings, 'start')
  }

  /** Stops the server abruptly, as a power failure would. */
  async kill(): Promise<void> {
    await program('pg_ctl', '-D', this.#folder, '-w', '-m', 'immediate', 'stop')
  }

  /** Sends a signal to all its processes: SIGSTOP lets it hang, SIGCONT go on, SIGKILL is what a broken machine does. */
  async signal(name: NodeJS.Signals): Promise<void> {
    const postmaster = Number.parseInt(await readFile(join(this.#folder, 'postmaster.pid'), 'utf8'), 10)
    const { stdout } = await run('pgrep', ['-P', String(postmaster)])
    for (const pid of [postmaster, ...stdout.trim().split('\n').map(Number)]) {
      try {
        process.kill(pid, name)
      } catch {
        // It has just ended.
      }
    }
  }

  async remove(): Promise<void> {
    await this.signal('SIGCONT').catch(() => undefined)
    await this.kill().catch(() => undefined) // It may already be stopped.
    await rm(this.#folder, { recursive: true, force: true })
  }
}

async function program(name: string, ...args: string[]): Promise<void> {
  await run(join(FOLDER ?? '', name), args, { ...SERVER_USER, cwd: tmpdir() })
}

/** The folder of initdb: empty if it is on the PATH, otherwise Debian's folder; null if there is none. */
async function programs(): Promise<string | null> {
  if (spawnSync('initdb', ['--version']).status === 0) return ''
  const debian = '/usr/lib/postgresql'
  const versions = await readdir(debian).catch(() => [])
  const newest = versions.sort((a, b) => Number(b) - Number(a)).find((version) => has(join(debian, version, 'bin')))
  return newest === undefined ? null : join(debian, newest, 'bin')
}
const has = (folder: string) => spawnSync(join(folder, 'initdb'), ['--version']).status === 0

function user(name: string): { uid: number; gid: number } | null {
  const id = (flag: string) => Number.parseInt(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout, 10)
  const found = { uid: id('-u'), gid: id('-g') }
  return Number.isNaN(found.uid) ? null : found
}

/** A server for the tests of a file, which are skipped where there is none. */
export function usePostgres() {
  let server: PrivatePostgres | undefined
  let schemas = 0
  beforeAll(async () => {
    if (postgresSkipReason === null) server = await PrivatePostgres.start()
  })
  afterAll(() => server?.remove())
  return {
    get server(): PrivatePostgres {
      if (server === undefined) throw new Error(`PostgreSQL is not started: ${postgresSkipReason}`)
      return server
    },
    /** The URL of a schema that does not exist yet. */
    newUrl(): string {
      return `${this.server.url}?schema=test_${schemas++}`
    },
  }
}
