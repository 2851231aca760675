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
export async function keepFigures({ config, log, store: opened }: App, now: Clock): Promise<() => Promise<void>> {
  const store = await opened()
  await store.claimFigures('process')
  let isStopped = false
  let isOther = false
  let timer: NodeJS.Timeout | undefined

  async function round(): Promise<void> {
    try {
      for (const { key } of config.channels) {
        let left: number | null = 1
        while (!isStopped && left !== null && left > 0) left = await store.refreshFigures(key, now())
        // With other settings, pages show other figures in lists than in comparisons.
        if (left === null && !isOther)
          log.warn('figures are recorded with the settings of another process: restart this one to use its own')
        isOther = left === null
      }
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, 'figures could not be recorded; it will be retried')
    }
    if (!isStopped) timer = setTimeout(() => (running = round()), INTERVAL_MS).unref()
  }

  let running = round()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await running
  }
}

/** Makes the settings of this command those of all figures, or says that a running process has others. */
export async function claimFigures(cli: Cli, store: Store): Promise<void> {
  const other = await store.claimFigures('command')
  if (other !== null) printNote(cli, `Figures are recorded with the other settings of ${other}, until it is restarted`)
}

/** Writes the figures that are not current, if they are recorded with the settings of this command. */
export async function refreshFigures(cli: Cli, { config }: App, store: Store): Promise<void> {
  for (const { key } of config.channels) {
    let left: number | null = 1
    while (!cli.io.stop.aborted && left !== null && left > 0) left = await store.refreshFigures(key, cli.io.now())
  }
}

/** Says so if what lists show was recorded with other settings than those configured. */
export async function noteOtherSettings(cli: Cli, { config }: App, store: Store): Promise<void> {
  const recorded = await store.recordedSettings()
  const [other] = recorded === null ? [] : differingSettings(recorded, config.reports.settings)
  if (other === undefined) return
  const how = `${other.path} is ${other.before}, configured here ${other.after}`
  printNote(cli, `Figures are recorded with other settings (${how}): \`quotekeeper sync\` or \`start\` uses these`)
}
