import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

const BINARY = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0)
const REQUIRED = process.env.CI === 'true' || process.env.QUOTEKEEPER_REQUIRE_REDIS === '1'

/** Why tests with Redis are skipped on this machine, or null. In CI they fail instead. */
export const redisSkipReason: string | null =
  BINARY === undefined && !REQUIRED ? 'no redis-server or valkey-server on the PATH' : null

/** A Redis server for tests, on a private port with its data in a temporary folder. */
export class PrivateRedis {
  readonly port: number
  readonly url: string
  readonly #folder: string
  readonly #settings: string[]
  #child: ChildProcess | null = null

  private constructor(port: number, folder: string, settings: string[]) {
    this.port = port
    this.url = `redis://127.0.0.1:${port}`
    this.#folder = folder
    this.#settings = settings
  }

  static async start(...settings: string[]): Promise<PrivateRedis> {
    const folder = await mkdtemp(join(tmpdir(), 'quotekeeper-redis-'))
    const redis = new PrivateRedis(await freePort(), folder, settings)
    await redis.launch()
    return redis
  }

  /** Starts the server, keeping any existing data. */
  async launch(): Promise<void> {
    if (BINARY === undefined) throw new Error('no redis-server or valkey-server on the PATH')
    const settings = `--port ${this.port} --bind 127.0.0.1 --dir ${this.#folder} --save  --appendonly yes --appendfsync always`
    this.#child = spawn(BINARY, [...settings.split(' '), ...this.#settings], { stdio: 'ignore' })
    await this.withClient((client) => client.ping())
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name)
  }

  /** Kills the server, as a power failure would. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  /** Kills the server and removes its files. */
  async remove(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Runs commands on a separate connection. */
  async withClient<T>(use: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.url, { maxRetriesPerRequest: null, retryStrategy: () => 20 })
    client.on('error', () => undefined) // The server may still be starting.
    try {
      return await use(client)
    } finally {
      client.disconnect()
    }
  }
}

/** A loopback port that is currently free. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
