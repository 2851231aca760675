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
 * The filter given by `--channel` and `--as-of`.
 * @throws {UsageError} for a channel that is neither configured nor in the database, or an invalid `--as-of`
 */
export async function parseReadFilter(
  { io }: Cli,
  { store, app }: { store: Store; app: App },
  { channel, asOf }: ChannelOption & AsOfOption,
): Promise<ReadFilter> {
  const moment = asOf === undefined ? {} : { asOf: parseAsOf(asOf, await databaseNow(store, io.now())) }
  if (channel === undefined) return moment
  // The data of a channel stays readable after the channel is removed from the configuration.
  const runs = await store.runs({ channel, limit: 1 })
  if (runs.length === 0) findChannel(app.config, channel)
  return { channel, ...moment }
}

/**
 * The current time for reading the database: our clock, or the time of the newest run if that is later, because another
 * machine's clock may be ahead. So no stored observation is in the future.
 */
export async function databaseNow(store: Pick<Store, 'runs'>, now: Date): Promise<Date> {
  const [newest] = await store.runs({ limit: 1 })
  const lastRun = new Date(newest?.finishedAt ?? newest?.startedAt ?? 0)
  return lastRun > now ? lastRun : now
}
