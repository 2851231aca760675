import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { parse } from 'yaml'
import type { Io } from '../../src/cli/process/process-io.js'
import { run } from '../../src/cli/program.js'
import { type ChannelSpec, createWorld, startSandbox } from '../../src/sandbox/index.js'
import { createDatabase } from '../helpers/store/new-store.js'
import { testFolder } from '../helpers/test-folder.js'
import { testIo } from '../helpers/test-io.js'

export const NOW = new Date('2026-03-10T09:30:00.000Z')
const CHANNELS: ChannelSpec[] = [
  { org: 'acme', channel: 'forest', theme: 'forest', listings: 4, rfqs: 6, responsesPerRfq: 2 },
  { org: 'acme', channel: 'blue', theme: 'blue', listings: 3, rfqs: 3, responsesPerRfq: 1 },
]

export type CliFixture = Awaited<ReturnType<typeof createCliFixture>>

/**
 * Creates a folder with a configuration for a sandbox, whose clock is by default stopped at NOW.
 * @param options.more sections of the configuration, which replace the defaults
 * @param options.hasDatabase false without one; otherwise it is empty, and has the same identity as those of other fixtures
 */
export async function createCliFixture({
  autoClose = 'on',
  more = '',
  channels = CHANNELS,
  now = () => NOW,
  world = createWorld({ seed: 7, now: NOW, channels, still: true }),
  hasDatabase = true,
} = {}) {
  const folder = testFolder()
  const sandbox = await startSandbox({ world, now })
  onTestFinished(() => sandbox.close().catch(() => undefined)) // A test may have closed it.
  if (hasDatabase) {
    mkdirSync(join(folder, 'data'), { mode: 0o700 })
    await createDatabase(join(folder, 'data/quotekeeper.db'))
  }
  const variableOf = (org: string) => `${org.toUpperCase()}_API_KEY`
  const config = {
    baseUrl: sandbox.url,
    requests: { perSecond: 5000, retries: 0, timeoutMs: 5000 },
    // Tests run at the same time, so none uses the default port.
    web: { port: 0 },
    channels: world.channels.map(({ org, channel }) => ({
      ...{ org, channel, autoClose, apiKey: { env: variableOf(org) } },
    })),
    ...parse(more),
  }
  writeFileSync(join(folder, 'quotekeeper.yaml'), JSON.stringify(config))
  const secrets = Object.entries(sandbox.keys).map(([org, key]) => `${variableOf(org)}=${key}\n`)
  writeFileSync(join(folder, '.env'), secrets.join(''))
  /** Runs one command line in this process, with some parts of the Io replaced. */
  const quotekeeperWith = async (overrides: Partial<Io>, ...args: string[]) => {
    const { io, written } = testIo({ cwd: folder, now: sandbox.now, ...overrides })
    return { status: await run(args, io), ...written }
  }
  return { folder, sandbox, quotekeeperWith, quotekeeper: (...args: string[]) => quotekeeperWith({}, ...args) }
}

/** Databases after the first poll of a world, by its channels. */
const polled = new Map<string, string>()

/** The same after `sync`. Worlds of the same channels are equal, so it is run once for all tests of a worker. */
export async function createPolledFixture({
  channels = CHANNELS,
  ...more
}: Parameters<typeof createCliFixture>[0] = {}): Promise<CliFixture> {
  const fixture = await createCliFixture({ ...more, channels })
  const database = join(fixture.folder, 'data/quotekeeper.db')
  const key = JSON.stringify(channels)
  const template = polled.get(key)
  if (template !== undefined) copyFileSync(template, database)
  else {
    const { status, err } = await fixture.quotekeeper('sync')
    if (status !== 0) throw new Error(err)
    const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-template-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    copyFileSync(database, join(folder, 'polled.db'))
    polled.set(key, join(folder, 'polled.db'))
  }
  return fixture
}
