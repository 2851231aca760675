import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { findStopFile, stopOrderText } from '../../closing/kill-switch.js'
import { isExampleAddress } from '../../config/example.js'
import { MAX_RATE_AGE_DAYS } from '../../core/decision/exchange-rates.js'
import { CLOCK_REMEDY, type Clock, describeFutureTimes } from '../../core/time/clock.js'
import type { RateSource } from '../../rates/rate-source.js'
import type { Store } from '../../store/contract.js'
import { plural } from '../../tables/print/terminal-text.js'
import type { App } from '../app.js'
import { formatMinute } from '../output/output.js'
import type { CheckApp } from './check-app.js'
import { type Check, failed, passed, warning } from './finding.js'
import { checkWeb } from './web-check.js'

const START_QUEUE = 'start the queue server, or set `queue: in-process` to run without one'

/** Checks of this machine: configuration, database, queue and folders. */
export const localChecks = (app: CheckApp, now: Clock): Check[] => [
  { what: 'configuration', remedy: '', run: async () => checkConfiguration(app) },
  { what: 'database', remedy: 'check `database:` in the configuration', run: () => checkDatabase(app, now()) },
  { what: 'closing', remedy: '', run: () => checkClosing(app, now()) },
  ...(app.config.rates === null
    ? []
    : [{ what: 'exchange rates', remedy: RATES_REMEDY, run: () => checkRates(app, now()) }]),
  ...(app.config.notify.targets.length === 0
    ? []
    : [{ what: 'notifications', remedy: '', run: () => checkNotifications(app) }]),
  { what: 'queue', remedy: START_QUEUE, run: () => checkQueue(app) },
  {
    what: 'reports',
    remedy: 'check the path under `reports.directory:` in the configuration',
    run: () => checkReports(app),
  },
  { what: 'web', remedy: '', run: () => checkWeb(app) },
]

function checkConfiguration({ config }: App) {
  const found = `${config.file}, ${plural(config.channels.length, 'channel')}`
  if (!isExampleAddress(config.baseUrl)) return passed(found)
  return failed(
    `${config.file}: baseUrl is still the example address ${config.baseUrl}`,
    'set baseUrl to the address of your marketplace',
  )
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

async function checkDatabase(app: CheckApp, now: Date) {
  const store = await app.store()
  if (await app.databaseIsNew())
    return passed(`${store.name}: new; \`quotekeeper sync\` or \`quotekeeper start\` creates it`)
  const { ok, message, bytes, schemaVersion } = await store.check()
  const found = `${store.name}: ${message}, ${megabytes(bytes)}, schema ${schemaVersion}`
  if (!ok) return failed(found, 'stop Quotekeeper and restore a backup: quotekeeper restore FILE')
  const future = (await store.futureTimes(now)).map(describeFutureTimes)
  return future.length > 0 ? warning(`${found}; ${future.join('; ')}`, CLOCK_REMEDY) : passed(found)
}

/** The queue accepts jobs. */
async function checkQueue(app: CheckApp) {
  const opened = await app.store().catch(() => null)
  if (opened === null) return failed('not checked: see database')
  const { createRunner } = await import('../../../jobs/service.js')
  const runner = await createRunner(app.config.queue, { database: await opened.identity(), log: app.log })
  const { ok, message } = await runner.ping()
  await runner.close(0)
  return ok ? passed(message) : failed(message, START_QUEUE)
}

/** Nothing may keep RFQs from being closed: nothing that stops closing, no round waiting for approval, no close that needs attention. */
async function checkClosing({ config, store }: App, now: Date) {
  const opened = await store().catch(() => null)
  if (opened === null) return failed('not checked: see database')
  const problems = [...(await stopProblem(config, opened)), ...(await standingCloses(opened, now))]
  if (problems.length > 0) {
    const remedies = [...new Set(problems.map(({ remedy }) => remedy))]
    return failed(problems.map(({ found }) => found).join('; '), remedies.join('; '))
  }
  return passed(config.closing.enabled ? 'nothing needs attention' : 'off: closing.enabled is false')
}

async function stopProblem(config: App['config'], store: Store) {
  // Turned off in the configuration, closing is off on purpose.
  if (!config.closing.enabled) return []
  const stopFile = findStopFile(config)
  const order = await store.closingStop()
  return [
    ...(stopFile !== null
      ? [{ found: `stop file ${stopFile} exists`, remedy: 'delete the file when RFQs may be closed again' }]
      : []),
    ...(order
      ? [
          {
            found: stopOrderText(order),
            remedy: 'run quotekeeper close-expired --resume when RFQs may be closed again',
          },
        ]
      : []),
  ]
}

const MAX_NAMED_CLOSES = 5

async function standingCloses(store: Store, now: Date) {
  const [unsettled, plans] = await Promise.all([store.unsettledCloses({ now }), store.pendingPlans({ now })])
  const left = unsettled.filter(({ inProgress }) => !inProgress)
  const closes = left.map(({ channel, rfqId, rfqNumber, outcome, since, remedy }) => ({
    found: `RFQ ${rfqNumber ?? rfqId} of ${channel}: ${outcome} since ${formatMinute(since)} UTC`,
    remedy,
  }))
  const more = closes.length - MAX_NAMED_CLOSES
  return [
    ...closes.slice(0, MAX_NAMED_CLOSES),
    ...(more > 0 ? [{ found: `${more} more`, remedy: 'see all with: quotekeeper closings' }] : []),
    ...plans.map(({ plan, channel, rfqIds, remedy }) => ({
      found: `plan ${plan} of ${channel} waits for approval (${plural(rfqIds.length, 'RFQ')})`,
      remedy,
    })),
  ]
}

const RATES_REMEDY = 'check `reports.exchangeRates:` in the configuration'

/** The source can be read, and its newest rate is recent. Records nothing. */
async function checkRates({ config, store, databaseIsNew }: CheckApp, now: Date) {
  const [{ readRates }, { ratesTask }] = await Promise.all([
    import('../../rates/read-rates.js'),
    import('../../rates/rate-source.js'),
  ])
  const source = config.rates as RateSource
  const { newest } = await readRates(source, { now })
  const age = newest === null ? null : daysBetween(newest, now)
  const dated = newest === null ? 'no recent rate' : `newest rate of ${newest}, ${plural(age ?? 0, 'day')} old`
  const isNew = await databaseIsNew().catch(() => true)
  const state = isNew ? null : await (await store()).maintenanceState(ratesTask(source))
  const read = state?.succeededAt ? `; last read ${formatMinute(state.succeededAt)} UTC` : ''
  const found = `${source.name}: ${dated}${read}`
  if (age !== null && age <= MAX_RATE_AGE_DAYS) return passed(found)
  const why = `offers in other currencies are not compared: rates may be ${MAX_RATE_AGE_DAYS} days old at most`
  return warning(
    `${found}; ${why}`,
    'use a source with newer rates, or set them by hand under `reports.exchangeRates:`',
  )
}

const daysBetween = (date: string, now: Date) => Math.floor((now.getTime() - Date.parse(date)) / 86_400_000)

/** Warnings only: a target that does not answer stops nothing. Sends nothing. */
async function checkNotifications({ config, store }: App) {
  const { targets, routes } = config.notify
  const unused = targets.filter(({ name }) => !routes.some(({ to }) => to.includes(name))).map(({ name }) => name)
  const states = (await (await store()).targetStates()).filter((state) => state.dead > 0 || state.failures > 0)
  const problems = states.map(({ target, dead, pending, error }) => {
    const last = error === null ? '' : `; last error: ${error}`
    return `${target}: ${plural(dead, 'dead letter')}, ${pending} to be sent${last}`
  })
  const found = `${plural(targets.length, 'target')}, ${plural(routes.length, 'route')}`
  if (problems.length > 0) {
    const retry = 'remove the cause (test it with: quotekeeper notify --test), then run: quotekeeper notify --retry all'
    return warning(`${found}; ${problems.join('; ')}`, retry)
  }
  if (unused.length === 0) return passed(`${found}; everything was sent or waits for its turn`)
  return warning(`${found}; nothing is sent to ${unused.join(', ')}`, 'name each target in a route under notify.routes')
}

async function checkReports({ config }: App) {
  const { directory } = config.reports
  if (!existsSync(directory)) return passed(`${directory}: new; it will be created with the first report`)
  if (!statSync(directory).isDirectory()) return failed(`${directory} is a file`)
  accessSync(directory, constants.W_OK)
  return passed(`${directory}: writable`)
}
