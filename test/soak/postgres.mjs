// A private PostgreSQL server with its data in a folder, for the soak.
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const DEBIAN = '/usr/lib/postgresql'

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

/** Prepares a server. @returns its URL, and what starts it as a child process */
export function createPostgres(folder, port) {
  const as = user()
  const data = join(folder, 'postgres')
  mkdirSync(data)
  if (as.uid !== undefined) chownSync(data, as.uid, as.gid)
  // The server's user must reach its folder.
  const settings = ['-D', data, '-U', 'quotekeeper', '-A', 'trust', '-E', 'UTF8', '--no-sync']
  execFileSync(program('initdb'), settings, { ...as, cwd: data, stdio: 'ignore' })
  const args = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=']
  return {
    url: `postgres://quotekeeper@127.0.0.1:${port}/postgres`,
    start: () => spawn(program('postgres'), args, { ...as, cwd: data, stdio: ['ignore', 'ignore', 'pipe'] }),
  }
}
