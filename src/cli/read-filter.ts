import type { Store } from '../store/contract.js'
import type { App } from './app.js'
import { parseAsOf } from './as-of.js'
import type { Cli } from './cli-context.js'
import type { AsOfOption, ChannelOption } from './options.js'
import { findChannel } from './select-channels.js'

export interface ReadFilter {
  channel?: string
  asOf?: Date
}

/**
 * What the store is asked for by `--channel` and `--as-of`.
 * @throws {UsageError} for a channel that is neither configured nor in the database, for an as-of that is no moment
 */
export async function parseReadFilter(
  { io }: Cli,
  { store, app }: { store: Store; app: App },
  { channel, asOf }: ChannelOption & AsOfOption,
): Promise<ReadFilter> {
  const moment = asOf === undefined ? {} : { asOf: parseAsOf(asOf, await databaseNow(store, io.now())) }
  if (channel === undefined) return moment
  // What a channel left behind can be read after it went from the configuration.
  const known = await store.runs({ channel, limit: 1 })
  if (known.length === 0) findChannel(app.config, channel)
  return { channel, ...moment }
}

/**
 * The present of the database: ours, or that of the machine that polled last where its clock is ahead of ours. What was
 * seen is never in the future.
 */
export async function databaseNow(store: Pick<Store, 'runs'>, now: Date): Promise<Date> {
  const [newest] = await store.runs({ limit: 1 })
  const seen = new Date(newest?.finishedAt ?? newest?.startedAt ?? 0)
  return seen > now ? seen : now
}
