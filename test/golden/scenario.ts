import type { EventRecord } from '../../src/core/events/events.js'
import { createWatch } from '../../src/notify/watch.js'
import { type ChannelSpec, createWorld } from '../../src/sandbox/index.js'
import { createCliFixture } from '../cli/cli-fixture.js'
import type { ChannelFixture } from '../helpers/channel-fixture.js'
import { openNewStore } from '../helpers/store/new-store.js'
import { locationsOf } from '../helpers/store/store-engine.js'
import { channelConfig, testConfig } from '../helpers/test-config.js'
import { openPages } from '../web/support/pages-fixture.js'

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
}) {
  const store = await openNewStore({ clock: () => now() })
  const { sandbox, quotekeeperWith } = await createCliFixture({
    ...{ world: createWorld({ seed: 1, ...options }), now: () => options.now, hasDatabase: false },
    // One request at a time, so that what is read is recorded in the same order in each run.
    more: `database: ${locationsOf(store).database}
requests: { concurrency: 1, perSecond: 5000, retries: 0, timeoutMs: 5000 }`,
  })
  const { now } = sandbox
  let read = 0
  let web: ReturnType<typeof openPages> | undefined
  const channels = options.channels.map(({ org, channel }) => `${org}/${channel}`)
  const configured = channels.map((key) => channelConfig(key))
  const execute = (args: string[]) => quotekeeperWith({ env: { COLUMNS: '100' } }, ...args)
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
      await createWatch({ config: testConfig({ channels: configured }), store, now })()
      return printed
    },
    /** What a command printed on stdout. */
    out: async (...args: string[]) => (await execute(args)).out,
    /** What the web server of the service answers, in this thread. */
    async get(url: string): Promise<string> {
      const schedule = { ...testConfig().schedule, rfqs: '*/5 * * * *', listings: '0 * * * *' }
      web ??= openPages({ store, now } as ChannelFixture, { channels: configured, schedule, handlers: null })
      return (await (await web).app.inject(url)).body
    },
    /** Every event so far, oldest first; those of one moment by what they are about. */
    async events(): Promise<EventRecord[]> {
      const { items, next } = await store.events({ after: read, limit: 1000 })
      read = next
      return items
    },
  }
}
