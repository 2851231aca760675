import type { MaintenanceJob } from '../../../jobs/maintenance.js'
import { ratesTask } from '../../core/decision/rate-source.js'
import type { Clock } from '../../core/time/clock.js'
import type { App } from '../app.js'

/** When exchange rates are read, in UTC: the ECB publishes those of a day before 15:30. */
export const RATE_SCHEDULES = { file: '0 * * * *', url: '30 15 * * *' } as const

/** What `start` does for the database as a whole, as configured. */
export async function createMaintenanceJobs({ config, store }: App, now: Clock): Promise<MaintenanceJob[]> {
  const { compileCron } = await import('../../config/cron.js')
  const { history, rates, scheduleTimeZone } = config
  const jobs: MaintenanceJob[] = []
  const { keepDays, pruneSchedule } = history
  if (pruneSchedule !== null && keepDays !== null) {
    jobs.push({
      task: 'prune',
      cron: compileCron(pruneSchedule, scheduleTimeZone),
      async run(signal) {
        const before = new Date(now().getTime() - keepDays * 24 * 3_600_000)
        return { ...(await (await store()).prune({ before, signal })) }
      },
    })
  }
  if (rates !== null) {
    const { refreshRates } = await import('../../figures/rates/refresh-rates.js')
    jobs.push({
      task: ratesTask(rates),
      cron: compileCron(RATE_SCHEDULES[rates.kind], 'UTC'),
      run: async (signal) => ({ ...(await refreshRates(await store(), rates, { now, signal })) }),
    })
  }
  return jobs
}
