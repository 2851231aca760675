import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { accessSync, constants, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** A Redis or Valkey server that only the demo uses. */
export interface PrivateRedis {
  /** The name of its program, such as `redis-server`. */
  program: string
  /** The address, with the password. */
  url: string
  port: number
  stop(): Promise<void>
}

const PROGRAMS = ['redis-server', 'valkey-server']
/** How long the server may take to answer, and to exit. */
const TIMEOUT_MS = 5_000

/**
 * Starts a server on a free port of this machine, with a password and without persistence.
 * @param folder where its configuration is written
 * @param path the PATH to search for the program
 * @returns null if no server is installed or it does not start
 */
export async function startPrivateRedis(folder: string, path: string | undefined): Promise<PrivateRedis | null> {
  const found = findProgram(path)
  if (!found) return null
  const port = await freePort()
  const password = randomBytes(24).toString('hex')
  const file = join(folder, 'redis.conf')
  writeFileSync(file, configOf({ folder, port, password }), { mode: 0o600 })
  const supervisor = spawn('sh', ['-c', SUPERVISOR, found.file, file], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // An error of the supervisor must not crash the demo.
  supervisor.on('error', () => undefined)
  supervisor.stdin?.on('error', () => undefined)
  if (await waitForPong(port, password, supervisor)) {
    const url = `redis://:${password}@127.0.0.1:${port}`
    return { program: found.name, url, port, stop: () => stop(supervisor) }
  }
  await stop(supervisor)
  return null
}

/**
 * Runs the server while our end of its standard input is open, so that it exits with this process even after a kill. It
 * has its own session, so that the terminal's Ctrl-C does not stop it before running jobs have finished.
 */
const SUPERVISOR = `
exec 3<&0
"$0" "$1" </dev/null >/dev/null 2>&1 3<&- &
server=$!
(cat <&3 >/dev/null; kill "$server" 2>/dev/null) &
exec 3<&-
wait "$server"
`

function findProgram(path = ''): { name: string; file: string } | null {
  for (const name of PROGRAMS) {
    for (const folder of path.split(delimiter).filter(Boolean)) {
      const file = join(folder, name)
      if (isExecutable(file)) return { name, file }
    }
  }
  return null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const configOf = ({ folder, port, password }: { folder: string; port: number; password: string }) => `bind 127.0.0.1
port ${port}
requirepass ${password}
dir "${folder}"
save ""
appendonly no
maxmemory-policy noeviction
daemonize no
logfile ""
`

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

async function waitForPong(port: number, password: string, supervisor: ChildProcess): Promise<boolean> {
  const deadline = performance.now() + TIMEOUT_MS
  while (performance.now() < deadline && supervisor.exitCode === null) {
    if (await ping(port, password)) return true
    await wait(50)
  }
  return false
}

/** Sends PING over a plain socket, because a client library would keep retrying on its own. */
function ping(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const done = (pong: boolean) => {
      socket.destroy()
      resolve(pong)
    }
    let answer = ''
    socket.setTimeout(1_000, () => done(false))
    socket.once('error', () => done(false))
    socket.once('close', () => done(false))
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (answer.includes('+PONG') || answer.startsWith('-')) done(answer.includes('+PONG'))
    })
    socket.write(`AUTH ${password}\r\nPING\r\n`)
  })
}

async function stop(supervisor: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => {
    if (supervisor.exitCode !== null || supervisor.signalCode !== null || supervisor.pid === undefined)
      resolve(undefined)
    else supervisor.once('exit', resolve)
  })
  supervisor.stdin?.destroy()
  await Promise.race([ended, wait(TIMEOUT_MS, undefined, { ref: false })])
}
