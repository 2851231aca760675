import { onTestFinished } from 'vitest'
import { closeExpired } from '../../src/closing/closing-round.js'
import type { ClosingContext, ClosingPolicy } from '../../src/closing/contract.js'
import { createMarketplace } from '../../src/marketplace/client.js'
import { type ChannelSpec, createWorld, type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import type { FigureComputer, Store } from '../../src/store/contract.js'
import type { PollRfqsOptions } from '../../src/sync/contract.js'
import { pollListings } from '../../src/sync/poll.js'
import { pollRfqs } from '../../src/sync/poll-rfqs.js'
import { quickTime } from './quick-time.js'
import { openNewStore } from './store/new-store.js'
import { openAgain } from './store/store-engine.js'

export const CHANNEL = { org: 'acme', channel: 'forest' }
export const KEY = 'acme/forest'
type Fault = Parameters<Sandbox['faults']['add']>[0]
const DEFAULT_CHANNEL = { ...CHANNEL, apiKey: 'key of acme' }

type PollOptions = Partial<PollRfqsOptions> & {
  acceptLoss?: boolean
  signal?: AbortSignal
  channel?: typeof DEFAULT_CHANNEL
}

/** Of closing rounds, by default. */
export const POLICY: ClosingPolicy = {
  mode: 'on',
  timeZone: 'UTC',
  graceHours: 0,
  maxPerRun: 25,
  maxClockSkewSeconds: 60,
}

export type ChannelFixture = Awaited<ReturnType<typeof openChannelFixture>>

/** A sandbox over real HTTP and a store in a real file, with one clock for both that only the test moves. */
export async function openChannelFixture(
  options: Partial<ChannelSpec> & {
    time?: string
    retries?: number
    others?: ChannelSpec[]
    /** Writes figures with the documents. */
    figures?: FigureComputer
  } = {},
) {
  let time = new Date(options.time ?? '2026-11-21T12:00:00.000Z')
  const now = () => new Date(time)
  const world = createWorld({
    seed: 1,
    now: time,
    still: true,
    channels: [{ ...DEFAULT_CHANNEL, listings: 3, rfqs: 0, ...options }, ...(options.others ?? [])],
  })
  const sandbox = await startSandbox({ world, now })
  const { figures } = options
  let store = await openNewStore({ clock: now, figures })
  await store.claimFigures('process')
  const marketplace = createMarketplace({
    baseUrl: sandbox.url,
    limits: {
      concurrency: 8,
      perSecond: 100_000,
      timeoutMs: 30_000,
      retries: options.retries ?? 2,
      maxBodyMiB: 16,
    },
    version: 'test',
    backoff: { minTimeout: 1, maxTimeout: 1 },
    now,
    timing: quickTime(),
  })
  onTestFinished(async () => {
    await marketplace.close()
    await sandbox.close()
    await store.close()
  })
  const session = (signal?: AbortSignal, channel = DEFAULT_CHANNEL) =>
    marketplace.session(channel, signal ? { signal } : {})
  return {
    sandbox,
    /** The open store. */
    get store(): Store {
      return store
    },
    /** Closes the store and opens it again, from the given file or the same one. */
    reopenStore: async (path = store.name) => {
      await store.close()
      store = await openAgain(path, { clock: now, figures })
      await store.claimFigures('process')
      return store
    },
    now,
    session,
    /** Sets the clock. No world events happen. */
    setTime: (to: string) => {
      time = new Date(to)
    },
    advanceSeconds: (seconds: number) => {
      time = new Date(time.getTime() + seconds * 1000)
    },
    pollListings: (poll: { acceptLoss?: boolean } = {}) => pollListings({ session: session(), store, now, ...poll }),
    pollRfqs: ({ acceptLoss, signal, channel, ...poll }: PollOptions = {}) =>
      pollRfqs(
        { session: session(signal, channel), store, now, ...(acceptLoss && { acceptLoss }), ...(signal && { signal }) },
        { recheckClosedHours: 24, concurrency: 4, ...poll },
      ),
    /** Its pauses only move the clock. */
    closeExpired: (
      policy: Partial<ClosingPolicy> = {},
      {
        stopped,
        ...context
      }: Partial<ClosingContext> & { stopped?: () => string | null | Promise<string | null> } = {},
    ) =>
      closeExpired(
        {
          session: session(),
          store,
          now,
          killSwitch: async () => (await stopped?.()) ?? null,
          pause: async (milliseconds) => {
            time = new Date(time.getTime() + milliseconds)
          },
          ...context,
        },
        { ...POLICY, ...policy },
      ),
    /** What happens to all requests of an operation or for a document, until it is removed. */
    always: (where: Omit<Fault, 'times' | 'effect'>, effect: Fault['effect']) =>
      sandbox.faults.add({ ...where, times: Number.POSITIVE_INFINITY, effect }),
    /** The POST requests that the marketplace has received. */
    posts: () => sandbox.requests.filter((request) => request.operation === 'closeRfq'),
  }
}
