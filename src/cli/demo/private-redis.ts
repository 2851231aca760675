import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { accessSync, constants, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** A Redis or Valkey server of our own. */
export interface PrivateRedis {
  /** Its program, such as `redis-server`. */
  program: string
  /** With its password. */
  url: string
  port: number
  stop(): Promise<void>
}

const PROGRAMS = ['redis-server', 'valkey-server']
/** How long a server may take to answer, and to end, in milliseconds. */
const PATIENCE = 5_000

/**
 * Starts a server on a free port of this machine, with a password and without persistence.
 * @param folder where its configuration is written
 * @param path the PATH to look for it
 * @returns null where none is installed or none will start
 */
export async function startPrivateRedis(folder: string, path: string | undefined): Promise<PrivateRedis | null> {
  const found = findProgram(path)
  if (!found) return null
  const port = await freePort()
  const password = randomBytes(24).toString('hex')
  const file = join(folder, 'redis.conf')
  writeFileSync(file, configOf({ folder, port, password }), { mode: 0o600 })
  const keeper = spawn('sh', ['-c', KEEPER, found.file, file], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  // What the keeper holds must not hold us.
  keeper.on('error', () => undefined)
  keeper.stdin?.on('error', () => undefined)
  if (await answers(port, password, keeper)) {
    const url = `redis://:${password}@127.0.0.1:${port}`
    return { program: found.name, url, port, stop: () => end(keeper) }
  }
  await end(keeper)
  return null
}

/**
 * Runs the server for as long as our end of its standard input is open: it ends with us, however we end. A session of
 * its own keeps the terminal's Ctrl-C from it, so that jobs can be finished first.
 */
const KEEPER = `
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

async function answers(port: number, password: string, keeper: ChildProcess): Promise<boolean> {
  const deadline = performance.now() + PATIENCE
  while (performance.now() < deadline && keeper.exitCode === null) {
    if (await saysPong(port, password)) return true
    await wait(50)
  }
  return false
}

/** By hand, because a client would go on trying by itself. */
function saysPong(port: number, password: string): Promise<boolean> {
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

async function end(keeper: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => {
    if (keeper.exitCode !== null || keeper.signalCode !== null || keeper.pid === undefined) resolve(undefined)
    else keeper.once('exit', resolve)
  })
  keeper.stdin?.destroy()
  await Promise.race([ended, wait(PATIENCE, undefined, { ref: false })])
}
