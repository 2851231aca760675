import { execFile, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { onTestFinished } from 'vitest'

const run = promisify(execFile)
for (const type of [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]) pg.types.setTypeParser(type, Number)

interface Schema {
  /** What `database` of the configuration has to be. */
  url: string
  sql: (text: string) => Promise<Record<string, unknown>[]>
}

let server: Promise<string> | undefined
let schemas = 0

/** A new database on a private server, which runs until this process ends. */
export async function postgresSchema(): Promise<Schema> {
  server ??= startServer()
  const url = await server
  const name = `net_${process.pid}_${++schemas}`
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${name}` })
  await client.connect()
  onTestFinished(() => client.end())
  return { url: `${url}?schema=${name}`, sql: async (text) => (await client.query(text)).rows }
}

/** @returns its URL */
async function startServer(): Promise<string> {
  const programs = programFolder()
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-net-postgres-'))
  // PostgreSQL refuses to run as root.
  const as = process.getuid?.() === 0 ? { uid: userId('-u'), gid: userId('-g') } : {}
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid)
  const options = { ...as, cwd: folder }
  await run(
    join(programs, 'initdb'),
    ['-D', join(folder, 'd'), '-U', 'net', '-A', 'trust', '-E', 'UTF8', '-N'],
    options,
  )
  const port = await freePort()
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`
  const log = join(folder, 'log')
  await run(join(programs, 'pg_ctl'), ['-D', join(folder, 'd'), '-w', '-l', log, '-o', settings, 'start'], options)
  const postmaster = Number(readFileSync(join(folder, 'd', 'postmaster.pid'), 'utf8').split('\n')[0])
  process.once('exit', () => {
    process.kill(postmaster, 'SIGQUIT')
    rmSync(folder, { recursive: true, force: true })
  })
  return `postgres://net@127.0.0.1:${port}/postgres`
}

const userId = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)

const DEBIAN = '/usr/lib/postgresql'
const isOnPath = () => spawnSync('initdb', ['--version']).status === 0

/** Whether a server can be started. In CI, a missing one is a failure. */
export const hasPostgres = (): boolean => process.env.CI === 'true' || existsSync(DEBIAN) || isOnPath()

/** Debian does not have the programs on the path. */
function programFolder(): string {
  if (isOnPath()) return ''
  const newest = readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one))[0] ?? ''
  return join(DEBIAN, newest, 'bin')
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((listening) => probe.once('listening', listening))
  const { port } = probe.address() as AddressInfo
  await new Promise((closed) => probe.close(closed))
  return port
}
