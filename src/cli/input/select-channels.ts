import type { ChannelConfig, Config } from '../../config/contract.js'
import type { Store } from '../../store/contract.js'
import { findChannel } from '../../tables/filter.js'

const keysOf = ({ channels }: Pick<Config, 'channels'>): string[] => channels.map(({ key }) => key)

/**
 * The channels that `--channel` names, or every configured channel.
 * @throws {FilterError} for a channel that is not configured
 */
export const selectChannels = (config: Config, named: readonly string[] | undefined): ChannelConfig[] =>
  named === undefined ? config.channels : [...new Set(named.map((name) => configuredChannel(config, name)))]

/** @throws {FilterError} for a channel that is not configured, suggesting the most similar one */
export function configuredChannel(config: Config, name: string): ChannelConfig {
  const key = findChannel(name, keysOf(config))
  return config.channels.find((each) => each.key === key) as ChannelConfig
}

/**
 * The channels whose data a command shows: the one that `--channel` names, or all that are configured. The data of a channel stays
 * readable after the channel is removed from the configuration.
 * @throws {FilterError} for a channel that is neither configured nor stored
 */
export async function shownChannels(
  config: Config,
  store: Pick<Store, 'storedChannels'>,
  named: string | undefined,
): Promise<string[]> {
  const configured = keysOf(config)
  return named === undefined
    ? configured
    : [findChannel(named, [...new Set([...configured, ...(await store.storedChannels())])])]
}
