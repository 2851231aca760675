import { resolve } from 'node:path'
import { z } from 'zod'
import { isLoopback } from '../core/requests/loopback.js'
import { LOG_LEVELS } from './log-levels.js'
import { notify, refuseUnknownChannels } from './notify-schema.js'
import { reportSettings, toSettings } from './report-settings.js'
import { minLength, parseSecretRef, REF_FORMS, readSecret, type SchemaContext, secret } from './secret.js'
import * as values from './values.js'

/** A section that may be omitted or left empty; its defaults then apply. */
const optional = <S extends z.ZodType>(schema: S) => z.preprocess((found) => found ?? {}, schema).prefault({})
const section = <S extends z.ZodRawShape>(shape: S) => optional(z.strictObject(shape))

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
      channels: z
        .array(channel(context))
        .min(1)
        .superRefine((found, { addIssue }) => {
          for (const index of repeated(found.map(({ key }) => key))) addIssue({ ...TWICE, path: [index] })
        }),
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
      // Which documents a scheduled poll reads again (docs/POLLING.md).
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
      reports: optional(reports(toPath)),
      history: section({
        recheckClosedHours: values.number(0, 8760).prefault(24),
        // Days after which idle runs, and events that were delivered, are deleted; null: never.
        keepDays: values.integer(1, 36_500).nullable().prefault(90),
        pruneSchedule: values.cron().prefault('30 3 * * *'),
      }),
      notify: optional(notify(context)),
      web: optional(web(context)),
      // Null: the default of the command.
      logLevel: z.enum(LOG_LEVELS).nullable().default(null),
    })
    .superRefine(refuseUnknownChannels)
    .transform(({ queue, queuePassword, database, databasePassword, reports, ...found }) => ({
      ...found,
      // How offers are compared: all other keys of the section.
      reports: { directory: reports.directory, settings: reports.settings },
      // Null: only fixed rates are used.
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

const TWICE = { code: 'custom', message: 'Each only once' } as const

/** The indexes of names that an earlier one equals. Empty names are not compared. */
const repeated = (names: readonly string[]): number[] =>
  names.flatMap((name, index) => (name !== '' && names.indexOf(name) < index ? index : []))

const channel = (context: SchemaContext) =>
  z
    .strictObject({
      org: values.segment(),
      channel: values.segment(),
      apiKey: secret(context),
      autoClose: values.autoClose(),
      // In which due dates are interpreted.
      timeZone: values.timeZone().prefault('UTC'),
      graceHours: values.number(0, 8760).prefault(0),
    })
    .transform((found) => ({ ...found, key: `${found.org}/${found.channel}` }))

const reports = (toPath: (path: string) => string) =>
  z
    .strictObject({ directory: values.path(toPath).prefault('./data/reports'), ...reportSettings(toPath) })
    .superRefine(({ currency, exchangeRates: { fixed, source } }, context) => {
      if (currency !== null || (source === null && Object.keys(fixed).length === 0)) return
      const message = 'Expected the currency that exchangeRates convert to, such as EUR'
      context.addIssue({ code: 'custom', path: ['currency'], message })
    })
    .transform(({ directory, ...found }) => ({ directory, ...toSettings(found) }))

const ROLES = ['viewer', 'operator'] as const

/** Shorter tokens can be guessed, and cannot be removed from logs without changing other text. */
const checkToken = minLength(16, ', made at random: openssl rand -hex 16')

/** Headers that are there without naming a user. */
const NO_NAME =
  /^(?!(x-forwarded-(for|host|port|proto)|x-real-ip|forwarded|host|cookie|authorization|origin|referer|user-agent|accept.*|content-.*)$)[A-Za-z0-9-]+$/i

const web = (context: SchemaContext) =>
  z
    .strictObject({
      host: values.text().prefault('127.0.0.1'),
      port: values.integer(0, 65_535).prefault(4780),
      // Null: browsers reach the page only through host and port.
      publicUrl: values.publicUrl().nullable().prefault(null),
      // Of the user `operator`.
      token: token(context).prefault(null),
      tokens: z
        .array(z.strictObject({ name: values.userName(), role: z.enum(ROLES), token: secret(context, checkToken) }))
        .prefault([]),
      trustedUserHeader: z
        .string()
        .regex(NO_NAME, { error: 'Expected the name of a header that only the proxy sets, such as X-Forwarded-User' })
        .nullable()
        .prefault(null),
      trustedUserRole: z.enum(ROLES).prefault('viewer'),
      // What a proxy sends whose headers are trusted.
      proxySecret: secret(context, checkToken).nullable().prefault(null),
    })
    .superRefine(({ host, publicUrl, token, tokens, trustedUserHeader, proxySecret }, { addIssue }) => {
      const expect = (key: string, message: string) =>
        addIssue({ code: 'custom', path: [key], message: `Expected ${message}` })
      // Two users of one name could not be told apart in the closing log; of one token, both would be the first.
      for (const [key, ofToken] of [
        ['name', token === null ? '' : 'operator'],
        ['token', token ?? ''],
      ] as const)
        for (const index of repeated([ofToken, ...tokens.map((each) => each[key])]))
          addIssue({ ...TWICE, path: ['tokens', index - 1, key] })
      const isProxied = trustedUserHeader !== null || proxySecret !== null
      const isRemote = !isLoopback(host) || (publicUrl !== null && !isLoopback(new URL(publicUrl).hostname))
      if (context.secretsRequired && isRemote && token === null && tokens.length === 0 && trustedUserHeader === null)
        expect('token', `${REF_FORMS}, which is set, because other machines can reach the page; or web.tokens`)
      // An address would not identify a proxy: every program on its machine has it, and a website by DNS rebinding.
      if (isProxied && proxySecret === null)
        expect('proxySecret', `what the proxy sends in the header X-Quotekeeper-Proxy-Secret, as ${REF_FORMS}`)
      if (isProxied && publicUrl === null)
        expect('publicUrl', 'the https URL of the proxy, at which browsers reach the page')
    })

/** May be absent, or its variable not set, on loopback only. */
const token = (context: SchemaContext) =>
  values.readBy((found) => {
    if (found === null) return null
    const ref = parseSecretRef(found)
    return 'env' in ref && !context.env[ref.env]?.trim() ? null : readSecret(ref, context, checkToken)
  })
