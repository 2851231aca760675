import { resolve } from 'node:path'
import { z } from 'zod'
import { LOG_LEVELS } from './contract.js'
import { notify } from './notify-schema.js'
import { reportSettings, toSettings } from './report-settings.js'
import { isAbsent, minLength, parseSecretRef, readSecret, type SchemaContext, secret } from './secret.js'
import * as values from './values.js'

/** A section that may be omitted or left empty; its defaults then apply. */
export const section = <S extends z.ZodRawShape>(shape: S) =>
  z.preprocess((found) => found ?? {}, z.strictObject(shape)).prefault({})

/** Every key of the configuration file, its allowed values and its default (docs/CONFIGURATION.md). */
export function configSchema(context: SchemaContext) {
  const toPath = (path: string) => resolve(context.folder, path)
  return z
    .strictObject({
      baseUrl: values.baseUrl(),
      database: values.database(toPath).prefault('./data/quotekeeper.db'),
      // Commands that only read the database need it too.
      databasePassword: secret({ ...context, secretsRequired: true })
        .nullable()
        .prefault(null),
      queue: values.queue().prefault('in-process'),
      queuePassword: secret(context).nullable().prefault(null),
      channels: z.array(channel(context)).min(1, { error: 'at least one channel' }),
      schedule: section({
        listings: values.cron().prefault('*/30 * * * *'),
        rfqs: values.cron().prefault('*/5 * * * *'),
        closeExpired: values.cron().prefault('*/10 * * * *'),
        channelReport: values.cron().prefault('0 6 * * 1-5'),
      }),
      scheduleTimeZone: values.timeZone().prefault('UTC'),
      requests: section({
        concurrency: values.integer(1, 256).prefault(8),
        perSecond: values.number(0.01, 10_000).prefault(20),
        timeoutMs: values.integer(1, 3_600_000).prefault(30_000),
        retries: values.integer(0, 20).prefault(5),
        maxBodyMiB: values.number(0.001, 16_384).prefault(128),
      }),
      polling: section({
        offersMaxAgeMinutes: values.number(0, 10_080).prefault(60),
        urgentHours: values.number(0, 8760).prefault(24),
      }),
      closing: section({
        enabled: values.flag().prefault(true),
        maxPerRun: values.integer(1, 100_000).prefault(25),
        maxClockSkewSeconds: values.number(0, 86_400).prefault(60),
        reportOnClose: values.flag().prefault(true),
      }),
      reports: section({
        directory: values.path(toPath).prefault('./data/reports'),
        ...reportSettings(toPath),
      }).transform(({ directory, ...found }) => ({ directory, ...toSettings(found) })),
      history: section({
        recheckClosedHours: values.number(0, 8760).prefault(24),
        keepDays: values.integer(1, 36_500, ', or null for ever').nullable().prefault(90),
        pruneSchedule: values.cron().prefault('30 3 * * *'),
      }),
      notify: notify(context),
      web: web(context),
      logLevel: values.choice(LOG_LEVELS).nullable().default(null),
    })
    .transform(({ queue, queuePassword, database, databasePassword, reports, ...found }) => ({
      ...found,
      reports: { directory: reports.directory, settings: reports.settings },
      rates: reports.source,
      database: withPassword(database, databasePassword),
      queue: queue.kind === 'in-process' ? queue : { ...queue, url: withPassword(queue.url, queuePassword) },
    }))
}

/** The password is part of a URL only. */
function withPassword(address: string, password: string | null): string {
  if (!password || !URL.canParse(address)) return address
  const url = new URL(address)
  url.password = encodeURIComponent(password)
  return url.href
}

const channel = (context: SchemaContext) =>
  z
    .strictObject({
      org: values.segment(),
      channel: values.segment(),
      apiKey: secret(context),
      autoClose: values.autoClose(),
      timeZone: values.timeZone().prefault('UTC'),
      graceHours: values.number(0, 8760).prefault(0),
    })
    .transform((found) => ({ ...found, key: `${found.org}/${found.channel}` }))

const ROLES = ['viewer', 'operator'] as const

/** Shorter tokens can be guessed, and cannot be removed from logs without changing other text. */
const checkToken = minLength(16, ', made at random: openssl rand -hex 16')

/** Headers that are there without naming a user. */
const NO_NAME =
  /^(?!(x-forwarded-(for|host|port|proto)|x-real-ip|forwarded|host|cookie|authorization|origin|referer|user-agent|accept.*|content-.*)$)[A-Za-z0-9-]+$/i

const web = (context: SchemaContext) =>
  section({
    host: values.text('a host name or address to listen on').prefault('127.0.0.1'),
    port: values.integer(0, 65_535).prefault(4780),
    publicUrl: values.publicUrl().nullable().prefault(null),
    token: token(context).prefault(null),
    tokens: z
      .array(
        z.strictObject({
          name: values.userName(),
          role: values.choice(ROLES),
          token: secret(context, checkToken),
        }),
      )
      .prefault([]),
    trustedUserHeader: values
      .matching(NO_NAME, 'the name of a header that only the proxy sets, such as X-Forwarded-User, or null')
      .nullable()
      .prefault(null),
    trustedUserRole: values.choice(ROLES).prefault('viewer'),
    proxySecret: secret(context, checkToken).nullable().prefault(null),
  })

/** May be absent, or its variable not set, on loopback only; `checkRules` requires it elsewhere. */
const token = (context: SchemaContext) =>
  values.readValue((found): values.ReadResult<string | null> => {
    const ref = parseSecretRef(found)
    if (isAbsent(found)) return { value: null }
    if ('value' in ref && 'env' in ref.value && !context.env[ref.value.env]?.trim()) return { value: null }
    const result = readSecret(found, context, checkToken)
    return 'value' in result ? { value: result.value || null } : result
  })
