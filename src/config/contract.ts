import type { ChannelRef } from '../core/channel.js'
import type { RateSource } from '../core/decision/rate-source.js'
import type { Settings } from '../core/decision/settings.js'
import type { RequestLimits } from '../marketplace/contract.js'
import type { NotifyConfig } from '../notify/contract.js'

/** The validated configuration, with all defaults filled in and all paths absolute (docs/CONFIGURATION.md). */
export interface Config {
  /** Absolute path of the configuration file. */
  file: string
  /** Origin and path of the marketplace, without a trailing slash. */
  baseUrl: string
  /** Absolute path of the SQLite file, or URL of the PostgreSQL database, with its password. */
  database: string
  queue: { kind: 'in-process' } | { kind: 'redis'; url: string }
  channels: ChannelConfig[]
  schedule: Record<JobSchedule, string | null>
  scheduleTimeZone: string
  requests: RequestLimits
  polling: PollingConfig
  closing: ClosingConfig
  reports: ReportsConfig
  /** Where exchange rates are read from: `reports.exchangeRates`; null: only fixed ones are used. */
  rates: RateSource | null
  history: HistoryConfig
  notify: NotifyConfig
  web: WebConfig
  /** null: the default of the command (`info` for the service, `warn` for other commands). */
  logLevel: LogLevel | null
}
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
export type JobSchedule = 'listings' | 'rfqs' | 'closeExpired' | 'channelReport'

export interface ChannelConfig extends ChannelRef {
  /** `org/channel`. */
  key: string
  apiKey: string
  autoClose: 'on' | 'dry-run' | 'off'
  /** IANA time zone in which due dates are interpreted. */
  timeZone: string
  graceHours: number
}
/** Which documents a scheduled poll reads again (docs/POLLING.md). */
interface PollingConfig {
  offersMaxAgeMinutes: number
  urgentHours: number
}
interface ClosingConfig {
  enabled: boolean
  maxPerRun: number
  maxClockSkewSeconds: number
  reportOnClose: boolean
}
interface HistoryConfig {
  recheckClosedHours: number
  /** Days after which idle runs, and events that were delivered, are deleted; null: never. */
  keepDays: number | null
  /** When `start` does so; null: never. */
  pruneSchedule: string | null
}
interface WebConfig {
  host: string
  port: number
  /** Origin at which browsers reach the page; null if only through `host` and `port`. */
  publicUrl: string | null
  /** Token of the user `operator`. */
  token: string | null
  tokens: { name: string; role: 'viewer' | 'operator'; token: string }[]
  /** Header in which a proxy names the user it authenticated. */
  trustedUserHeader: string | null
  trustedUserRole: 'viewer' | 'operator'
  /** What a proxy sends whose headers are trusted. */
  proxySecret: string | null
}
interface ReportsConfig {
  /** Absolute path. */
  directory: string
  /** How offers are compared: all other keys of the section. */
  settings: Settings
}
