import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { onTestFinished } from 'vitest'
import { createInProcessRunner } from '../../jobs/queue/in-process-runner.js'
import { type App, withStore } from '../../src/cli/app.js'
import type { Io } from '../../src/cli/process/process-io.js'
import { createCli, run } from '../../src/cli/program.js'
import { createPages } from '../../src/cli/service/web.js'
import type { EventRecord } from '../../src/core/events/events.js'
import { createWatch } from '../../src/notify/watch.js'
import { type ChannelSpec, createWorld, type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { recordingLog } from '../helpers/recording-log.js'
import { openNewStore } from '../helpers/store/new-store.js'
import { locationsOf } from '../helpers/store/store-engine.js'
import { channelConfig, testConfig } from '../helpers/test-config.js'
import { testIo } from '../helpers/test-io.js'
import { webApp } from '../web/support/web-app.js'

const DAY = 86_400_000

/** A marketplace and a database whose days the driver of a scenario decides. */
export type Scenario = Awaited<ReturnType<typeof openScenario>>

/**
 * Opens the sandbox with a stopped clock and a configuration of its channels, on the database engine of the test. Each command opens the
 * database anew, as it does for users.
 */
export async function openScenario(options: {
  now: Date
  channels: ChannelSpec[]
  /** No events happen as time passes. */
  still: boolean
  /** Of the marketplace. Default 1. */
  seed?: number
  /** Lines of the configuration below `reports:`. */
  reports?: string
}) {
  const world = createWorld({ seed: 1, ...options })
  const sandbox = await startSandbox({ world, now: () => options.now })
  onTestFinished(() => sandbox.close())
  const { now } = sandbox
  const store = await openNewStore({ clock: now })
  let read = 0
  const { database, file } = locationsOf(store)
  const channels = options.channels.map(({ org, channel }) => `${org}/${channel}`)
  writeFileSync(file, configOf({ ...options, url: sandbox.url, database }))
  const env = { COLUMNS: '100', ...keysOf(sandbox) }
  const io = (): ReturnType<typeof testIo> => testIo({ cwd: dirname(file), now, env })
  const execute = async (args: readonly string[]) => {
    const { io: own, written } = io()
    return { status: await run([...args], own), ...written }
  }
  /** Runs a command line and returns all it printed, and its exit status unless that is 0. */
  const quotekeeper = async (...args: string[]) => {
    const { status, out, err } = await execute(args)
    return `${out}${err}${status === 0 ? '' : `(exit status ${status})\n`}`
  }
  return {
    ...{ sandbox, store, channels, now, quotekeeper },
    /** Moves the clock forward and polls every channel; returns what `sync` printed. */
    async pollAfter(days: number, ...more: string[]) {
      sandbox.advance(new Date(now().getTime() + days * DAY))
      const printed = await quotekeeper('sync', ...more)
      await createWatch({ config: testConfig({ channels: channels.map((key) => channelConfig(key)) }), store, now })()
      return printed
    },
    /** What a command printed on stdout. */
    out: async (...args: string[]) => (await execute(args)).out,
    /** What the web server of the service answers. */
    get: once(() => openWeb(io().io)),
    /** Every event so far, oldest first; those of one moment by what they are about. */
    async events(): Promise<EventRecord[]> {
      const { items, next } = await store.events({ after: read, limit: 1000 })
      read = next
      return items
    },
  }
}

type Get = (url: string) => Promise<string>

/** Opens the web server at the first request. */
function once(open: () => Promise<Get>): Get {
  let opened: Promise<Get> | undefined
  return async (url) => {
    opened ??= open()
    return (await opened)(url)
  }
}

/** The pages and the HTTP API of the service, in this thread. */
function openWeb(io: Io): Promise<Get> {
  return new Promise((resolve, reject) => {
    const serve = async (app: App) => {
      const queue = createInProcessRunner({ concurrency: 1, log: recordingLog() })
      const web = await webApp({ now: io.now, plugins: [(await createPages(app, io.now))(queue)] })
      resolve(async (url) => (await web.inject(url)).body)
      await new Promise<void>((close) => {
        onTestFinished(() => {
          close()
          return queue.close(0)
        })
      })
    }
    withStore(createCli(io), (_, app) => serve(app)).catch(reject)
  })
}

const variableOf = (org: string) => `${org.toUpperCase()}_API_KEY`
const keysOf = ({ keys }: Sandbox) =>
  Object.fromEntries(Object.entries(keys).map(([org, key]) => [variableOf(org), key]))

/** One request at a time, so that what is read is recorded in the same order in each run. */
const configOf = ({
  url,
  database,
  channels,
  reports = '',
}: {
  url: string
  database: string
  channels: ChannelSpec[]
  reports?: string
}) => `baseUrl: ${url}
database: ${database}
requests: { concurrency: 1, perSecond: 5000, retries: 0, timeoutMs: 5000 }
web: { port: 0 }
${reports && `reports: ${reports}\n`}channels:
${channels.map(({ org, channel }) => `  - { org: ${org}, channel: ${channel}, apiKey: { env: ${variableOf(org)} }, autoClose: on }\n`).join('')}`
