import { dueBy, type MaintenanceJob, runMaintenance } from '../../../jobs/maintenance.js'
import { compileCron } from '../../config/cron.js'
import { ratesTask } from '../../core/decision/rate-source.js'
import type { Clock } from '../../core/time/clock.js'
import { readRates } from '../../figures/exchange-rates.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { errorMessage } from '../output/error-message.js'
import { printNote } from '../output/output.js'

/** When exchange rates are read, in UTC: the ECB publishes those of a day before 15:30. */
const RATE_SCHEDULES = { file: '0 * * * *', url: '30 15 * * *' } as const

/** What `start` does for the database as a whole, as configured. */
export const createMaintenanceJobs = (app: App, now: Clock): MaintenanceJob[] =>
  [pruneJob(app, now), ratesJob(app, now)].filter((job) => job !== null)

function pruneJob({ config: { history, scheduleTimeZone }, store }: App, now: Clock): MaintenanceJob | null {
  const { keepDays, pruneSchedule } = history
  if (pruneSchedule === null || keepDays === null) return null
  return {
    task: 'prune',
    isDue: dueBy(compileCron(pruneSchedule, scheduleTimeZone)),
    async run(signal) {
      const before = new Date(now().getTime() - keepDays * 24 * 3_600_000)
      return { ...(await (await store()).prune({ before, signal })) }
    },
  }
}

function ratesJob({ config: { rates: source }, store }: App, now: Clock): MaintenanceJob | null {
  if (source === null) return null
  return {
    task: ratesTask(source),
    isDue: dueBy(compileCron(RATE_SCHEDULES[source.kind], 'UTC')),
    async run(signal) {
      const { rates, newest } = await readRates(source, now(), signal)
      return { recorded: await (await store()).recordRates(source.name, rates, now()), newest }
    },
  }
}

/**
 * Reads the configured exchange rates for a command, an address only if the service would: once a day. A failure is a note.
 * @returns false if they could not be read
 */
export async function readDueRates(cli: Cli, app: App): Promise<boolean> {
  const { now, stop } = cli.io
  const job = ratesJob(app, now)
  if (job === null) return true
  const isFile = app.config.rates?.kind === 'file'
  const store = await app.store()
  try {
    await runMaintenance(isFile ? { ...job, isDue: () => true } : job, { store, now }, stop)
    return true
  } catch (error) {
    if (!stop.aborted) printNote(cli, `exchange rates were not read: ${errorMessage(error)}`)
    return false
  }
}
