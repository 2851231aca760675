import type { MaintenanceJob } from '../../jobs/maintenance.js'
import type { Clock } from '../core/clock.js'
import type { App } from './app.js'
import { refuseNeededFile } from './output-file.js'

/** What `start` does for the database as a whole, as configured. */
export async function createMaintenanceJobs({ config, store }: App, now: Clock): Promise<MaintenanceJob[]> {
  const { compileCron } = await import('../../jobs/cron.js')
  const { anchors, history, scheduleTimeZone } = config
  const jobs: MaintenanceJob[] = []
  const { to: target, schedule } = anchors
  if (target !== null && schedule !== null) {
    const { describeTarget } = await import('../anchors/anchor-target.js')
    const { writeAnchor } = await import('../anchors/write-anchor.js')
    jobs.push({
      task: 'anchor',
      cron: compileCron(schedule, scheduleTimeZone),
      async run(signal) {
        if (target.kind === 'file') refuseNeededFile(target.path, config)
        const { decisions, hash } = await writeAnchor({ store: await store(), target, now: now() }, { signal })
        return { to: describeTarget(target), decisions, hash }
      },
    })
  }
  if (history.pruneSchedule !== null) {
    const { pruneOptions } = await import('../store/maintenance/retention.js')
    jobs.push({
      task: 'prune',
      cron: compileCron(history.pruneSchedule, scheduleTimeZone),
      async run(signal) {
        const { runs, plans, events } = await (await store()).prune({ ...pruneOptions(history, now()), signal })
        return { runs: runs.rows, plans: plans.rows, events: events.rows }
      },
    })
  }
  return jobs
}
