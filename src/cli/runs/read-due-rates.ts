import { ratesTask } from '../../core/decision/rate-source.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { errorMessage } from '../output/error-message.js'
import { printNote } from '../output/output.js'
import { RATE_SCHEDULES } from '../service/maintenance-jobs.js'

/**
 * Reads the configured exchange rates, an address only if the service would: once a day. A failure is a note.
 * @returns false if they could not be read
 */
export async function readDueRates(cli: Cli, { config: { rates }, store }: App): Promise<boolean> {
  if (rates === null) return true
  const [{ compileCron }, { isDue }, { refreshRates }] = await Promise.all([
    import('../../config/cron.js'),
    import('../../../jobs/maintenance.js'),
    import('../../figures/rates/refresh-rates.js'),
  ])
  const { now, stop } = cli.io
  const [opened, task, started] = [await store(), ratesTask(rates), now()]
  const cron = compileCron(RATE_SCHEDULES[rates.kind], 'UTC')
  const begun = await opened.beginMaintenance(
    task,
    started,
    (state) => rates.kind === 'file' || isDue(state, cron, started),
  )
  if (!begun) return true
  try {
    await refreshRates(opened, rates, { now, signal: stop })
    await opened.endMaintenance(task, now(), null)
    return true
  } catch (error) {
    if (stop.aborted) return false
    await opened.endMaintenance(task, now(), (error as Error).message)
    printNote(cli, `exchange rates were not read: ${errorMessage(error)}`)
    return false
  }
}
