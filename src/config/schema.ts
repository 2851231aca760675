import { resolve } from 'node:path'
import { z } from 'zod'
import { LOG_LEVELS } from './contract.js'
import { notify } from './notify-schema.js'
import { reportSettings, toSettings } from './report-settings.js'
import { fetchSecret, parseSecretRef, type ReadResult } from './secret.js'
import { isAbsent, minLength, path, type SchemaContext, secret, section, sectionError } from './section.js'
import * as values from './values.js'

/** Every key of the configuration file, its allowed values and its default (docs/CONFIGURATION.md). */
export function configSchema(context: SchemaContext) {
  const shape = {
    baseUrl: values.baseUrl(),
    database: values.database((found) => resolve(context.folder, found)).prefault('./data/quotekeeper.db'),
    // Commands that only read the database need it too.
    databasePassword: secret({ ...context, secretsRequired: true })
      .nullable()
      .prefault(null),
    queue: values.queue().prefault('in-process'),
    queuePassword: secret(context).nullable().prefault(null),
    channels: z.array(channel(context), { error: 'a list of channels' }).min(1, { error: 'at least one channel' }),
    schedule: schedule(),
    scheduleTimeZone: values.timeZone().prefault('UTC'),
    requests: requests(),
    polling: polling(),
    closing: closing(),
    reports: reports(context),
    history: history(),
    notify: notify(context),
    web: web(context),
    logLevel: values.choice(LOG_LEVELS).nullable().default(null),
  }
  return z
    .strictObject(shape, { error: sectionError(shape) })
    .transform(({ queuePassword, queue, databasePassword, database, reports: { rates, ...reports }, ...found }) => ({
      ...found,
      reports,
      rates,
      database: databasePassword ? withPassword(database, databasePassword) : database,
      queue:
        queuePassword && queue.kind !== 'in-process'
          ? { ...queue, url: withPassword(queue.url, queuePassword) }
          : queue,
    }))
}

/** The password is part of a URL only. */
function withPassword(address: string, password: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  url.password = encodeURIComponent(password)
  return url.href
}

function channel(context: SchemaContext) {
  const shape = {
    org: values.segment(),
    channel: values.segment(),
    apiKey: secret(context),
    autoClose: values.autoClose(),
    timeZone: values.timeZone().prefault('UTC'),
    graceHours: values.number(0, 8760).prefault(0),
  }
  return z
    .strictObject(shape, { error: sectionError(shape) })
    .transform((found) => ({ ...found, key: `${found.org}/${found.channel}` }))
}

const schedule = () =>
  section({
    listings: values.cron().prefault('*/30 * * * *'),
    rfqs: values.cron().prefault('*/5 * * * *'),
    closeExpired: values.cron().prefault('*/10 * * * *'),
    channelReport: values.cron().prefault('0 6 * * 1-5'),
  })

const requests = () =>
  section({
    concurrency: values.integer(1, 256).prefault(8),
    perSecond: values.number(0.01, 10_000).prefault(20),
    timeoutMs: values.integer(1, 3_600_000).prefault(30_000),
    retries: values.integer(0, 20).prefault(5),
    maxBodyMiB: values.number(0.001, 16_384).prefault(128),
  })

const polling = () =>
  section({
    offersMaxAgeMinutes: values.number(0, 10_080).prefault(60),
    urgentHours: values.number(0, 8760).prefault(24),
  })

const closing = () =>
  section({
    enabled: values.flag().prefault(true),
    maxPerRun: values.integer(1, 100_000).prefault(25),
    maxClockSkewSeconds: values.number(0, 86_400).prefault(60),
    reportOnClose: values.flag().prefault(true),
  })

const reports = (context: SchemaContext) =>
  section({
    directory: path(context).prefault('./data/reports'),
    ...reportSettings((found) => resolve(context.folder, found)),
  }).transform(({ directory, ...found }) => {
    const { settings, source: rates } = toSettings(found)
    return { directory, settings, rates }
  })

const history = () =>
  section({
    recheckClosedHours: values.number(0, 8760).prefault(24),
    keepDays: values.days(1, 36_500).prefault(90),
    pruneSchedule: values.cron().prefault('30 3 * * *'),
  })

const web = (context: SchemaContext) =>
  section({
    host: values.text('a host name or address to listen on').prefault('127.0.0.1'),
    port: values.integer(0, 65_535).prefault(4780),
    publicUrl: values.publicUrl().prefault(null),
    token: token(context).prefault(null),
    tokens: z.array(accessToken(context), { error: 'a list of { name, role, token }' }).prefault([]),
    trustedUserHeader: values.headerName().prefault(null),
    trustedUserRole: values.choice(ROLES).prefault('viewer'),
    proxySecret: secret(context, checkToken(context)).nullable().prefault(null),
  })

const ROLES = ['viewer', 'operator'] as const

/** Shorter tokens can be guessed, and cannot be removed from logs without changing other text. */
const MIN_TOKEN_LENGTH = 16

const checkToken = (context: SchemaContext) =>
  minLength(MIN_TOKEN_LENGTH, ', made at random: openssl rand -hex 16', context)

function accessToken(context: SchemaContext) {
  const shape = {
    name: values.userName(),
    role: values.choice(ROLES),
    token: secret(context, checkToken(context)),
  }
  return z.strictObject(shape, { error: sectionError(shape) })
}

/** May be absent on loopback only; crossCheck requires it elsewhere. */
const token = (context: SchemaContext) =>
  values.readValue((found): ReadResult<string | null> => {
    if (isAbsent(found)) return { value: null }
    const ref = parseSecretRef(found)
    if (!('value' in ref)) return ref
    const fetched = fetchSecret(ref.value, context.folder, context.env)
    if ('value' in fetched) return checkToken(context)(fetched.value)
    return context.secretsRequired && !fetched.unset ? fetched : { value: null }
  })
