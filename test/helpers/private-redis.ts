import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

const BINARY = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0)
const REQUIRED = process.env.CI === 'true' || process.env.QUOTEKEEPER_REQUIRE_REDIS === '1'

/** Why tests with Redis cannot run here, or null. In CI that is a failure, not a reason. */
export const redisSkipReason: string | null =
  BINARY === undefined && !REQUIRED ? 'no redis-server or valkey-server on the PATH' : null

/** A Redis of our own, on a private port, with its files in a folder of its own. */
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

  /** Starts it, or starts it again with the data it had. */
  async launch(): Promise<void> {
    if (BINARY === undefined) throw new Error('no redis-server or valkey-server on the PATH')
    const settings = `--port ${this.port} --bind 127.0.0.1 --dir ${this.#folder} --save  --appendonly yes --appendfsync always`
    this.#child = spawn(BINARY, [...settings.split(' '), ...this.#settings], { stdio: 'ignore' })
    await this.withClient((client) => client.ping())
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name)
  }

  /** Kills it as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  /** Kills it and removes its files. */
  async remove(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Asks it something by a connection of its own. */
  async withClient<T>(ask: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.url, { maxRetriesPerRequest: null, retryStrategy: () => 20 })
    client.on('error', () => undefined) // It may only be starting.
    try {
      return await ask(client)
    } finally {
      client.disconnect()
    }
  }
}

/** A port of loopback that nobody uses now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
