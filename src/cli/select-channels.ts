import { closestMatches } from '../config/suggest.js'
import type { ChannelConfig, Config } from '../config.js'
import { UsageError } from './cli-error.js'

/**
 * The channels a command works on: those named, else all of the configuration.
 * @throws {UsageError} for one that is not configured
 */
export function selectChannels(config: Config, named: readonly string[] | undefined): ChannelConfig[] {
  if (named === undefined) return config.channels
  return [...new Set(named)].map((name) => findChannel(config, name))
}

/** @throws {UsageError} for a channel that is not configured, with the nearest that is */
export function findChannel(config: Config, name: string): ChannelConfig {
  const found = config.channels.find(({ key }) => key === name)
  if (found) return found
  const known = config.channels.map(({ key }) => key)
  const [close] = closestMatches(name, known, { most: 1 })
  const suggestion = close ? `did you mean ${close}? ` : ''
  throw new UsageError(`${name} is no channel of ${config.file}; ${suggestion}Configured: ${known.join(', ')}`)
}

/** The calendar zone of a channel; a channel that left the configuration is read in UTC. */
export const timeZoneOf = (config: Config, channel: string): string =>
  config.channels.find(({ key }) => key === channel)?.timeZone ?? 'UTC'
