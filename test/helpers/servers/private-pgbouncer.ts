import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { eventually } from '../eventually.js'
import { type PrivatePostgres, SERVER_USER } from './private-postgres.js'
import { freePort } from './private-redis.js'

/** Debian installs it where only the PATH of root leads. */
const BINARY = ['pgbouncer', '/usr/sbin/pgbouncer'].find((name) => spawnSync(name, ['--version']).status === 0)

/** Why tests with PgBouncer are skipped on this machine, or null. In CI they fail instead. */
export const pgBouncerSkipReason: string | null =
  BINARY === undefined && process.env.CI !== 'true' ? 'no pgbouncer' : null

/** A PgBouncer for tests before a server, on a private port. */
export class PrivatePgBouncer {
  readonly port: number
  readonly #folder: string
  #child: ChildProcess | null = null

  private constructor(port: number, folder: string) {
    this.port = port
    this.#folder = folder
  }

  /** @param settings of its section `pgbouncer` */
  static async start({ port: server }: PrivatePostgres, settings: Record<string, string | number>) {
    const folder = await mkdtemp(join(tmpdir(), 'quotekeeper-pgbouncer-'))
    const bouncer = new PrivatePgBouncer(await freePort(), folder)
    const all = {
      ...{ listen_addr: '127.0.0.1', listen_port: bouncer.port, unix_socket_dir: '' },
      ...{ auth_type: 'trust', auth_file: join(folder, 'users'), admin_users: 'quotekeeper' },
      ...settings,
    }
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`)
    await writeFile(join(folder, 'users'), '"quotekeeper" ""\n')
    await writeFile(
      join(folder, 'pgbouncer.ini'),
      `[databases]\n* = host=127.0.0.1 port=${server}\n[pgbouncer]\n${lines.join('')}`,
    )
    if (SERVER_USER?.uid !== undefined && SERVER_USER.gid !== undefined)
      await chown(folder, SERVER_USER.uid, SERVER_USER.gid)
    await bouncer.launch()
    return bouncer
  }

  /** The URL of the server's database through it. */
  get url(): string {
    return `postgres://quotekeeper@127.0.0.1:${this.port}/postgres`
  }

  async launch(): Promise<void> {
    if (BINARY === undefined) throw new Error('no pgbouncer on the PATH or in /usr/sbin')
    this.#child = spawn(BINARY, ['--quiet', join(this.#folder, 'pgbouncer.ini')], { ...SERVER_USER, stdio: 'ignore' })
    await eventually(() => this.command('show version'))
  }

  /** Gives a command to its console, such as `KILL postgres`. */
  async command(text: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.url.replace(/postgres$/, 'pgbouncer') })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.query(text)
    } finally {
      void client.end().catch(() => undefined)
    }
  }

  /** Ends it at once, with all connections. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  async remove(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
