import type { MaintenanceJob } from '../../../jobs/maintenance.js'
import type { Clock } from '../../core/time/clock.js'
import { ratesTask } from '../../rates/rate-source.js'
import type { App } from '../app.js'

/** When exchange rates are read, in UTC: the ECB publishes those of a day before 15:30. */
export const RATE_SCHEDULES = { file: '0 * * * *', url: '30 15 * * *' } as const

/** What `start` does for the database as a whole, as configured. */
export async function createMaintenanceJobs({ config, store }: App, now: Clock): Promise<MaintenanceJob[]> {
  const { compileCron } = await import('../../config/cron.js')
  const { history, rates, scheduleTimeZone } = config
  const jobs: MaintenanceJob[] = []
  if (history.pruneSchedule !== null) {
    const { pruneOptions } = await import('../../store/maintenance/retention.js')
    jobs.push({
      task: 'prune',
      cron: compileCron(history.pruneSchedule, scheduleTimeZone),
      async run(signal) {
        const { runs, plans, events } = await (await store()).prune({ ...pruneOptions(history, now()), signal })
        return { runs: runs.rows, plans: plans.rows, events: events.rows }
      },
    })
  }
  if (rates !== null) {
    const { refreshRates } = await import('../../rates/refresh-rates.js')
    jobs.push({
      task: ratesTask(rates),
      cron: compileCron(RATE_SCHEDULES[rates.kind], 'UTC'),
      run: async (signal) => ({ ...(await refreshRates(await store(), rates, { now, signal })) }),
    })
  }
  return jobs
}
