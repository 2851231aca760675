// A private PostgreSQL server for the soak, which crashes, restarts and hangs.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

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

  /** @param port where it listens on 127.0.0.1 */
  constructor(data, port) {
    this.data = data
    this.port = port
    this.url = `postgres://quotekeeper@127.0.0.1:${port}/postgres`
    mkdirSync(data, { mode: 0o700 })
    if (this.#as.uid !== undefined) chownSync(data, this.#as.uid, this.#as.gid)
  }

  async start() {
    const args = ['-D', this.data, '-U', 'quotekeeper', '-A', 'trust', '-E', 'UTF8', '--no-sync']
    await run(program('initdb'), args, { ...this.#as, cwd: this.data })
    this.#launch()
  }

  #launch() {
    const args = ['-D', this.data, '-p', String(this.port), '-c', 'listen_addresses=127.0.0.1']
    const options = { ...this.#as, cwd: this.data, stdio: 'ignore' }
    this.#child = spawn(program('postgres'), [...args, '-c', 'unix_socket_directories='], options)
  }

  /** Stops it with SIGQUIT (as a power failure would) or SIGINT, and starts it again later. */
  async restart(signal, afterMs) {
    await this.#end(signal)
    await wait(afterMs)
    this.#launch()
  }

  /** Lets it hang. */
  async pause(milliseconds) {
    await this.#signalAll('SIGSTOP')
    await wait(milliseconds)
    await this.#signalAll('SIGCONT')
  }

  stop() {
    return this.#end('SIGINT')
  }

  /** Sends a signal to the postmaster, and waits for its end. */
  async #end(signal) {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  /** Sends a signal to all its processes. */
  async #signalAll(signal) {
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
}
