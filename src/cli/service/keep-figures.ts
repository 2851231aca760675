import { repeat } from '../../../jobs/repeat.js'
import { once } from '../../core/async.js'
import { differingSettings } from '../../core/decision/settings.js'
import type { Clock } from '../../core/time/clock.js'
import type { Store } from '../../store/contract.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { printNote } from '../output/output.js'

/** How often the service looks for figures that are not current, in milliseconds. */
const INTERVAL_MS = 5_000

/**
 * Writes figures that are not current, such as those of yesterday, until it is stopped, while the service runs.
 * @returns stops it
 */
export async function keepFigures(app: App, now: Clock): Promise<() => Promise<void>> {
  const store = await app.store()
  await store.claimFigures('process')
  // With other settings, pages show other figures in lists than in comparisons.
  const warn = once(async () =>
    app.log.warn('figures are recorded with the settings of another process: restart this one to use its own'),
  )
  const round = async (signal: AbortSignal) => {
    if (!(await refreshFigures(store, app, now, () => signal.aborted))) await warn()
  }
  return repeat('recording figures', INTERVAL_MS, round, app.log)
}

/** Makes the settings of this command those of all figures, or says that a running process has others. */
export async function claimFigures(cli: Cli, store: Store): Promise<void> {
  const other = await store.claimFigures('command')
  if (other !== null) printNote(cli, `Figures are recorded with the other settings of ${other}, until it is restarted`)
}

/**
 * Writes the figures that are not current.
 * @returns false if figures are recorded with the settings of another process
 */
export async function refreshFigures(store: Store, { config }: App, now: Clock, isStopped: () => boolean) {
  for (const { key } of config.channels)
    for (let left: number | null = 1; left !== 0 && !isStopped(); ) {
      left = await store.refreshFigures(key, now())
      if (left === null) return false
    }
  return true
}

/** Says so if what lists show was recorded with other settings than those configured. */
export async function noteOtherSettings(cli: Cli, { config }: App, store: Store): Promise<void> {
  const recorded = await store.recordedSettings()
  const [other] = recorded === null ? [] : differingSettings(recorded, config.reports.settings)
  if (other === undefined) return
  printNote(
    cli,
    `Figures are recorded with other settings (than configured here: ${other}): \`quotekeeper sync\` or \`start\` uses these`,
  )
}
