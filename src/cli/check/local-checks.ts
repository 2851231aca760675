import { randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { isExampleAddress } from '../../config/example.js'
import { once } from '../../core/async.js'
import { MAX_RATE_AGE_DAYS } from '../../core/decision/exchange-rates.js'
import type { RateSource } from '../../core/decision/rate-source.js'
import { formatCount } from '../../core/text/number-format.js'
import { closingChecks } from '../../readiness/readiness.js'
import type { Store } from '../../store/contract.js'
import { databaseName } from '../../store/open-database.js'
import { SCHEMA_NUMBER } from '../../store/schema/schema.js'
import type { App } from '../app.js'

/** A test of one thing that `start` needs. */
export interface Check {
  what: string
  run: () => Promise<CheckResult>
}

interface CheckResult {
  ok: boolean
  /** What was found, or the error. */
  found: string
  /** What to do about it; empty if there is nothing to do, or if `found` says it. */
  remedy: string
}

/** The result of one check. */
export interface Finding extends CheckResult {
  what: string
}

export const passed = (found: string): CheckResult => ({ ok: true, found, remedy: '' })
/** Everything works, but the remedy is advisable. */
const warning = (found: string, remedy: string): CheckResult => ({ ok: true, found, remedy })
export const failed = (found: string, remedy = ''): CheckResult => ({ ok: false, found, remedy })

/**
 * Checks of this machine: configuration, database, queue and folders.
 * @param app whose store fails if the database does not exist
 */
export function localChecks(app: App, now: Date): Check[] {
  const { config } = app
  /** Null if there is no database yet. */
  const opened = once(() =>
    app.store().catch((error: Error): null => {
      if (error.name === 'MissingDatabaseError') return null
      throw error
    }),
  )
  /** A check that reads the database, if that can be opened. */
  const reading = (what: string, read: (store: Store | null) => Promise<CheckResult>): Check => ({
    what,
    run: async () => {
      const store = await opened().catch(() => undefined)
      return store === undefined ? failed('not checked: see database') : read(store)
    },
  })
  const { rates } = config
  return [
    { what: 'configuration', run: async () => checkConfiguration(app) },
    { what: 'database', run: async () => checkDatabase(await opened(), databaseName(config.database)) },
    reading('closing', (store) => checkClosing(app, store, now)),
    ...(rates === null ? [] : [{ what: 'exchange rates', run: () => checkRates(rates, now) }]),
    reading('queue', (store) => checkQueue(app, store)),
    { what: 'reports', run: async () => checkReports(config.reports.directory) },
  ]
}

function checkConfiguration({ config: { file, channels, baseUrl } }: App): CheckResult {
  if (isExampleAddress(baseUrl))
    return failed(
      `${file}: baseUrl is still the example address ${baseUrl}`,
      'set baseUrl to the address of your marketplace',
    )
  const proxy = process.env.https_proxy ?? process.env.HTTPS_PROXY
  const through = proxy ? `; https through the proxy ${new URL(proxy).host} of HTTPS_PROXY, except for NO_PROXY` : ''
  return passed(`${file}, ${formatCount(channels.length, 'channel')}${through}`)
}

async function checkDatabase(store: Store | null, name: string): Promise<CheckResult> {
  if (store === null) return passed(`${name}: new; \`quotekeeper sync\` or \`quotekeeper start\` creates it`)
  const { ok, message } = await store.check()
  const found = `${name}: ${message}, ${((await store.sizes()).database / 1e6).toFixed(1)} MB, schema ${SCHEMA_NUMBER}`
  if (!ok) return failed(found, 'stop Quotekeeper and restore a backup: quotekeeper restore FILE')
  const disk = await store.checkWritable()
  return disk.ok ? passed(found) : failed(`${found}; ${disk.message}`, 'free some space on the disk')
}

/** Nothing keeps RFQs from closing, and no close needs a person. */
async function checkClosing({ config }: App, store: Store | null, now: Date): Promise<CheckResult> {
  if (!config.closing.enabled) return passed('off: closing.enabled is false')
  const found = store === null ? [] : await closingChecks(config, store)(now)
  if (found.length === 0) return passed('nothing needs attention')
  return failed(found.map(({ name, message }) => `${name}: ${message}`).join('; '))
}

/** The source can be read, and its newest rate is recent. Records nothing. */
async function checkRates(source: RateSource, now: Date): Promise<CheckResult> {
  const { readRates } = await import('../../figures/exchange-rates.js')
  const { newest } = await readRates(source, now)
  const age = Math.floor((now.getTime() - Date.parse(newest)) / 86_400_000)
  const dated = `newest rate of ${newest}, ${formatCount(age, 'day')} old`
  if (age <= MAX_RATE_AGE_DAYS) return passed(`${source.name}: ${dated}`)
  const why = `offers in other currencies are not compared: rates may be ${MAX_RATE_AGE_DAYS} days old at most`
  const remedy = 'use a source with newer rates, or set them by hand under `reports.exchangeRates:`'
  return warning(`${source.name}: ${dated}; ${why}`, remedy)
}

/** The queue accepts jobs. */
async function checkQueue({ config, log }: App, store: Store | null): Promise<CheckResult> {
  const { createRunner } = await import('../../../jobs/service.js')
  const runner = await createRunner(config.queue, { database: (await store?.identity()) ?? randomUUID(), log })
  const { waiting, active } = await runner.load().finally(() => runner.close(0))
  return passed(`${config.queue.kind}: ${formatCount(waiting, 'job')} waiting, ${active} running`)
}

function checkReports(directory: string): CheckResult {
  if (!existsSync(directory)) return passed(`${directory}: new; it will be created with the first report`)
  if (!statSync(directory).isDirectory()) return failed(`${directory} is a file`)
  accessSync(directory, constants.W_OK)
  return passed(`${directory}: writable`)
}
