import { resolve } from 'node:path'
import { z } from 'zod'
import { LOG_LEVELS } from '../config.js'
import type { Environment } from './environment.js'
import { reportSettings } from './report-settings.js'
import { fetchSecret, parseSecretRef, type ReadResult } from './secret.js'
import * as is from './values.js'

/** What validation needs besides the file. */
export interface SchemaContext {
  /** Relative paths are resolved against this folder. */
  folder: string
  env: Environment
  /** False: unavailable secrets become empty, for commands that only read the database. */
  secretsRequired: boolean
}

/** A section that may be omitted or left empty; its defaults then apply. */
const section = <S extends z.ZodRawShape>(shape: S) =>
  z.preprocess((found) => found ?? {}, z.strictObject(shape, { error: sectionError(shape) })).prefault({})

const SECTION = 'a section with '
const sectionError = (shape: z.ZodRawShape) => SECTION + Object.keys(shape).join(', ')
/** The known keys of a section, parsed from its error message; empty for other errors. */
export const knownKeys = (error: string) => (error.startsWith(SECTION) ? error.slice(SECTION.length).split(', ') : [])

/** Every key of the configuration file, its allowed values and its default (docs/CONFIGURATION.md). */
export function configSchema(context: SchemaContext) {
  const shape = {
    baseUrl: is.baseUrl(),
    database: path(context).prefault('./data/quotekeeper.db'),
    queue: is.queue().prefault('in-process'),
    channels: z.array(channel(context), { error: 'a list of channels' }).min(1, { error: 'at least one channel' }),
    schedule: schedule(),
    scheduleTimeZone: is.timeZone().prefault('UTC'),
    requests: requests(),
    closing: closing(),
    reports: reports(context),
    history: section({ recheckClosedHours: is.number(0, 8760).prefault(24) }),
    web: web(context),
    logLevel: is.choice(LOG_LEVELS).nullable().default(null),
  }
  return z.strictObject(shape, { error: sectionError(shape) })
}

const path = ({ folder }: SchemaContext) =>
  is.text('the path of a file or folder').transform((found) => resolve(folder, found))

function channel(context: SchemaContext) {
  const shape = {
    org: is.segment(),
    channel: is.segment(),
    apiKey: secret(context),
    autoClose: is.autoClose(),
    timeZone: is.timeZone().prefault('UTC'),
    graceHours: is.number(0, 8760).prefault(0),
  }
  return z
    .strictObject(shape, { error: sectionError(shape) })
    .transform((found) => ({ ...found, key: `${found.org}/${found.channel}` }))
}

const secret = (context: SchemaContext) =>
  is.readValue((found): ReadResult<string> => {
    const read = readSecret(found, context)
    return 'value' in read || context.secretsRequired ? read : { value: '' }
  })

function readSecret(found: unknown, { folder, env }: SchemaContext): ReadResult<string> {
  const ref = parseSecretRef(found)
  return 'value' in ref ? fetchSecret(ref.value, folder, env) : ref
}

const schedule = () =>
  section({
    listings: is.cron().prefault('*/30 * * * *'),
    rfqs: is.cron().prefault('*/5 * * * *'),
    closeExpired: is.cron().prefault('*/10 * * * *'),
    channelReport: is.cron().prefault('0 6 * * 1-5'),
  })

const requests = () =>
  section({
    concurrency: is.whole(1, 256).prefault(8),
    perSecond: is.number(0.01, 10_000).prefault(20),
    timeoutMs: is.whole(1, 3_600_000).prefault(30_000),
    retries: is.whole(0, 20).prefault(5),
    maxBodyMiB: is.number(0.001, 16_384).prefault(256),
  })

const closing = () =>
  section({
    enabled: is.flag().prefault(true),
    maxPerRun: is.whole(1, 100_000).prefault(25),
    maxClockSkewSeconds: is.number(0, 86_400).prefault(60),
    reportOnClose: is.flag().prefault(true),
  })

const reports = (context: SchemaContext) =>
  section({ directory: path(context).prefault('./data/reports'), ...reportSettings() }).transform(
    ({ directory, ...settings }) => ({ directory, settings }),
  )

const web = (context: SchemaContext) =>
  section({
    host: is.text('a host name or address to listen on').prefault('127.0.0.1'),
    port: is.whole(0, 65_535).prefault(4780),
    token: token(context).prefault(null),
  })

/** May be absent on loopback only; crossCheck requires it elsewhere. */
const token = (context: SchemaContext) =>
  is.readValue((found): ReadResult<string | null> => {
    if (found === null) return { value: null }
    const read = readSecret(found, context)
    return 'value' in read || (context.secretsRequired && !read.unset) ? read : { value: null }
  })
