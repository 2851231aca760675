// A private PostgreSQL server with a synchronous streaming replica, for the soak. It crashes, restarts, hangs and fails over; then the
// replica takes over the port of the primary server, as an address that moves, and a new replica is made.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

const DEBIAN = '/usr/lib/postgresql'
const run = promisify(execFile)

/** PostgreSQL refuses to run as root; then it runs as the user `postgres`. */
function user() {
  if (process.getuid?.() !== 0) return {}
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function program(name) {
  const newest = existsSync(DEBIAN)
    ? readdirSync(DEBIAN)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(DEBIAN, version, 'bin', name))
        .find(existsSync)
    : undefined
  return newest ?? name
}

/** One server with its data in a folder. Its user must reach the folder. */
export class PostgresServer {
  #as = user()
  #child = null

  constructor(data) {
    this.data = data
    mkdirSync(data, { mode: 0o700 })
    if (this.#as.uid !== undefined) chownSync(data, this.#as.uid, this.#as.gid)
  }

  /** Runs a program of PostgreSQL as its user. */
  run(name, ...args) {
    return run(program(name), args, { ...this.#as, cwd: this.data })
  }

  async initialize() {
    await this.run('initdb', '-D', this.data, '-U', 'quotekeeper', '-A', 'trust', '-E', 'UTF8', '--no-sync')
  }

  /** @returns its process */
  launch(port) {
    const args = ['-D', this.data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1']
    const settings = ['unix_socket_directories=', 'wal_retrieve_retry_interval=500ms']
    const options = { ...this.#as, cwd: this.data, stdio: 'ignore' }
    this.#child = spawn(program('postgres'), [...args, ...settings.flatMap((each) => ['-c', each])], options)
    return this.#child
  }

  /** Sends a signal to the postmaster, and waits for its end. */
  async end(signal) {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  /** Sends a signal to all its processes. */
  async signalAll(signal) {
    const { pid } = this.#child
    const { stdout } = await run('pgrep', ['-P', String(pid)]).catch(() => ({ stdout: '' }))
    for (const each of [pid, ...stdout.split('\n').filter(Boolean).map(Number)]) {
      try {
        process.kill(each, signal)
      } catch {
        // It has just ended.
      }
    }
  }

  remove() {
    rmSync(this.data, { recursive: true, force: true })
  }
}

export const postgresUrl = (port) => `postgres://quotekeeper@127.0.0.1:${port}/postgres`

export class PostgresPair {
  #folder
  #port
  #freePort
  #primary
  #replica = null
  #servers = 0
  #isBusy = false

  /** @param freePort returns a port that is free */
  constructor(folder, port, freePort) {
    this.#folder = folder
    this.#port = port
    this.#freePort = freePort
    this.url = postgresUrl(port)
  }

  async start() {
    this.#primary = this.#server()
    await this.#primary.initialize()
    this.#primary.launch(this.#port)
    await this.#addReplica()
  }

  /** Stops the primary server with SIGQUIT (as a power failure would) or SIGINT, and starts it again later. */
  restart(signal, afterMs) {
    return this.#exclusive(async () => {
      await this.#primary.end(signal)
      await wait(afterMs)
      this.#primary.launch(this.#port)
    })
  }

  /** Lets the primary server hang. */
  pause(milliseconds) {
    return this.#exclusive(async () => {
      await this.#primary.signalAll('SIGSTOP')
      await wait(milliseconds)
      await this.#primary.signalAll('SIGCONT')
    })
  }

  /** Kills the primary server at once, and promotes the replica, which has every commit. */
  failOver() {
    return this.#exclusive(async () => {
      if ((await this.#query('select 1 from pg_stat_replication where sync_state = $1', ['sync'])).length === 0)
        return false
      const [old, next] = [this.#primary, this.#replica]
      await old.signalAll('SIGKILL')
      await old.end('SIGKILL')
      await next.run('pg_ctl', '-D', next.data, '-w', 'promote')
      await next.end('SIGINT')
      this.#primary = next
      this.#replica = null
      this.#primary.launch(this.#port)
      old.remove()
      await this.#addReplica()
      return true
    })
  }

  async stop() {
    await this.#replica?.end('SIGQUIT')
    await this.#primary.end('SIGINT')
  }

  /** @returns false if something else is done with the servers */
  async #exclusive(act) {
    if (this.#isBusy) return false
    this.#isBusy = true
    try {
      return (await act()) ?? true
    } finally {
      this.#isBusy = false
    }
  }

  #server() {
    return new PostgresServer(join(this.#folder, `postgres-${++this.#servers}`))
  }

  async #addReplica() {
    // Otherwise commits wait for a replica that is not there yet.
    await this.#setSynchronous('')
    const replica = this.#server()
    const from = `host=127.0.0.1 port=${this.#port} user=quotekeeper`
    await replica.run('pg_basebackup', '-d', from, '-D', replica.data, '-c', 'fast', '-R', '--no-sync')
    this.#replica = replica
    replica.launch(await this.#freePort())
    while ((await this.#query(`select 1 from pg_stat_replication where state = 'streaming'`)).length === 0)
      await wait(200)
    await this.#setSynchronous('*')
  }

  async #setSynchronous(names) {
    await this.#query(`alter system set synchronous_standby_names = '${names}'`)
    await this.#query('select pg_reload_conf()')
  }

  /** Waits for the server. */
  async #query(text, values) {
    for (;;) {
      const client = new pg.Client({ connectionString: this.url })
      client.on('error', () => undefined)
      try {
        await client.connect()
        // Also while no replica is there to confirm it.
        await client.query('set synchronous_commit = local')
        return (await client.query(text, values)).rows
      } catch (error) {
        if (!/ECONN|terminat|starting up|shutting down/.test(`${error.code} ${error.message}`)) throw error
        await wait(100)
      } finally {
        await client.end().catch(() => undefined)
      }
    }
  }
}
