import type { MaintenanceJob } from '../../../jobs/maintenance.js'
import type { HistoryConfig } from '../../config/contract.js'
import type { Clock } from '../../core/time/clock.js'
import { ratesTask } from '../../rates/rate-source.js'
import type { App } from '../app.js'

/** When exchange rates are read, in UTC: the ECB publishes those of a day before 15:30. */
export const RATE_SCHEDULES = { file: '0 * * * *', url: '30 15 * * *' } as const

/** The moment before which idle runs and events are deleted; null if they are kept for ever. */
export const pruneBefore = ({ keepDays }: HistoryConfig, now: Date): Date | null =>
  keepDays === null ? null : new Date(now.getTime() - keepDays * 24 * 3_600_000)

/** What `start` does for the database as a whole, as configured. */
export async function createMaintenanceJobs({ config, store }: App, now: Clock): Promise<MaintenanceJob[]> {
  const { compileCron } = await import('../../config/cron.js')
  const { history, rates, scheduleTimeZone } = config
  const jobs: MaintenanceJob[] = []
  if (history.pruneSchedule !== null && history.keepDays !== null) {
    jobs.push({
      task: 'prune',
      cron: compileCron(history.pruneSchedule, scheduleTimeZone),
      async run(signal) {
        const before = pruneBefore(history, now())
        return before === null ? {} : { ...(await (await store()).prune({ before, signal })) }
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
