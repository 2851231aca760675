import type { ChannelConfig, Config } from '../../src/config/contract.js'
import { DEFAULT_SETTINGS } from '../../src/core/decision/settings.js'

export const channelConfig = (key: string, options: Partial<ChannelConfig> = {}): ChannelConfig => {
  const [org = '', channel = ''] = key.split('/')
  return { org, channel, key, apiKey: `key of ${org}`, autoClose: 'on', timeZone: 'UTC', graceHours: 0, ...options }
}

/** A web server for this machine, for everybody. */
export const LOCAL_WEB: Config['web'] = {
  host: '127.0.0.1',
  port: 0,
  publicUrl: null,
  token: null,
  tokens: [],
  trustedUserHeader: null,
  trustedUserRole: 'viewer',
  proxySecret: null,
}

/** A configuration of one channel with defaults and no schedule. */
export const testConfig = (options: Partial<Config> = {}): Config => ({
  file: '/nowhere/quotekeeper.yaml',
  baseUrl: 'http://127.0.0.1:1',
  database: '/nowhere/quotekeeper.db',
  queue: { kind: 'in-process' },
  channels: [channelConfig('acme/forest')],
  schedule: { listings: null, rfqs: null, closeExpired: null, channelReport: null },
  scheduleTimeZone: 'UTC',
  requests: { concurrency: 8, perSecond: 10_000, timeoutMs: 30_000, retries: 1, maxBodyMiB: 16 },
  polling: { offersMaxAgeMinutes: 60, urgentHours: 24 },
  closing: { enabled: true, maxPerRun: 25, maxClockSkewSeconds: 60, reportOnClose: true },
  reports: { directory: '/dev/null/reports', settings: DEFAULT_SETTINGS },
  rates: null,
  history: { recheckClosedHours: 24, keepDays: 90, pruneSchedule: null },
  notify: { targets: [], dueSoonDays: 3 },
  web: LOCAL_WEB,
  logLevel: null,
  ...options,
})
