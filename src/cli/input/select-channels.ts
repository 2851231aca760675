import type { ChannelConfig, Config } from '../../config/contract.js'
import { didYouMean } from '../../core/text/suggest.js'
import { UsageError } from '../cli-error.js'

/**
 * The channels that `--channel` names, or every configured channel.
 * @throws {UsageError} for a channel that is not configured
 */
export function selectChannels(config: Config, named: readonly string[] | undefined): ChannelConfig[] {
  if (named === undefined) return config.channels
  return [...new Set(named)].map((name) => findChannel(config, name))
}

/** @throws {UsageError} for a channel that is not configured, suggesting the most similar one */
export function findChannel(config: Config, name: string): ChannelConfig {
  const found = config.channels.find(({ key }) => key === name)
  if (found) return found
  const known = config.channels.map(({ key }) => key)
  const suggestion = didYouMean(name, known)
  throw new UsageError(
    `channel ${name} is not configured in ${config.file}; ${suggestion}Configured channels: ${known.join(', ')}`,
  )
}

/** The time zone of a channel; UTC for a channel that is no longer configured. */
export const timeZoneOf = (config: Config, channel: string): string =>
  config.channels.find(({ key }) => key === channel)?.timeZone ?? 'UTC'

/** The channels whose data a command shows: the one of `--channel`, or all that are configured. */
export const shownChannels = (config: Config, channel: string | undefined): string[] =>
  channel === undefined ? config.channels.map(({ key }) => key) : [channel]
