import type { ChannelRef } from './domain/channel.js'
import type { Settings } from './domain/comparison/settings.js'
import type { RequestLimits } from './marketplace/contract.js'

/** The configuration, validated, with every default filled in and every path absolute (interfaces.md §2). */
export interface Config {
  /** The file it came from, absolute. */
  file: string
  /** Origin and path of the marketplace, without a trailing slash. */
  baseUrl: string
  /** Absolute path of the database. */
  database: string
  queue: { kind: 'in-process' } | { kind: 'redis' | 'postgres'; url: string }
  channels: ChannelConfig[]
  schedule: Record<JobSchedule, string | null>
  scheduleTimeZone: string
  requests: RequestLimits
  closing: ClosingConfig
  reports: ReportsConfig
  history: { recheckClosedHours: number }
  web: { host: string; port: number; token: string | null }
  /** null: what suits the command (`info` for the service, `warn` for commands that end). */
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
  /** IANA zone in whose calendar due dates are read. */
  timeZone: string
  graceHours: number
}
export interface ClosingConfig {
  enabled: boolean
  maxPerRun: number
  maxClockSkewSeconds: number
  reportOnClose: boolean
}
export interface ReportsConfig {
  /** Absolute path. */
  directory: string
  /** How offers are compared: every other key of the section. */
  settings: Settings
}
