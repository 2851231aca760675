import { differingSettings } from '../../core/decision/settings.js'
import type { Clock } from '../../core/time/clock.js'
import { computeRfqsOf } from '../../pool/compute-source.js'
import type { Queries } from '../../pool/queries.js'
import { createRecommendationRecorder, type RecommendationRecorder } from '../../recommendations/recorder.js'
import type { Store } from '../../store/contract.js'
import { StoreError } from '../../store/errors.js'
import { createHolder } from '../../store/runs/process-holder.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { printNote } from '../output/output.js'

interface RecorderSource {
  app: Pick<App, 'config' | 'log'>
  store: Store
  now: Clock
  command: string | undefined
  compute: Queries['computeRecommendations']
}

const createRecorder = ({
  app: { config, log },
  store,
  now,
  command,
  compute,
}: RecorderSource): RecommendationRecorder =>
  createRecommendationRecorder({
    ...{ store, compute, now },
    channels: config.channels,
    settings: config.reports.settings,
    holder: createHolder({ command: command === undefined ? null : `quotekeeper ${command}` }),
    onFailed: ({ channel, rfqId }, message) =>
      log.warn({ channel, rfqId }, `the recommendation of an RFQ could not be computed: ${message}`),
  })

/** How often the service looks for RFQs that changed, in milliseconds. */
const INTERVAL_MS = 2_000
/** How long it records before it looks whether it is to stop. */
const ROUND_MS = 500

/**
 * Records recommendations until it is stopped, while the service runs.
 * @returns stops it
 */
export function keepRecommendations(source: RecorderSource): () => Promise<void> {
  const { log } = source.app
  const recorder = createRecorder(source)
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let lastMessage: string | null = null

  async function round(): Promise<void> {
    let pause = INTERVAL_MS
    try {
      const result = await recorder.round(ROUND_MS)
      if (result.held && result.left > 0 && result.recorded > 0) pause = 0
      const message = result.held ? null : otherRecorderMessage(result)
      // With other settings, pages show other figures in lists than in comparisons.
      const level = !result.held && result.hasOtherSettings ? 'warn' : 'info'
      if (message !== null && message !== lastMessage) log[level](message)
      lastMessage = message
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, 'recommendations could not be recorded; it will be retried')
    }
    if (!isStopped) timer = setTimeout(() => (running = round()), pause)
    timer?.unref()
  }

  running = round()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await running
    await recorder.release().catch(() => undefined)
  }
}

/** How long a command records before it prints, in milliseconds. */
const COMMAND_MS = 3_000

/**
 * Records the recommendations of RFQs that changed, unless another process does; says so if that process has other settings. A database
 * that cannot be written is left as it is.
 * @param options.polls the command polls too, so that it records everything, and its settings replace the recorded ones; one that only
 *   reads records with the recorded ones or not at all
 */
export async function recordRecommendations(cli: Cli, app: App, { polls = false } = {}): Promise<void> {
  const store = await app.store()
  const recorded = polls ? null : await store.recordedSettings()
  const [other] = recorded === null ? [] : differingSettings(recorded, app.config.reports.settings)
  if (other !== undefined) {
    const how = `${other.path} is ${other.before}, configured here ${other.after}`
    printNote(
      cli,
      `Recommendations are recorded with other settings (${how}): \`quotekeeper sync\` or \`start\` uses these`,
    )
    return
  }
  const recorder = createRecorder({
    ...{ app, store, now: cli.io.now, command: cli.command },
    compute: computeRfqsOf(store, app.config),
  })
  try {
    const result = await recorder.round(polls ? Number.POSITIVE_INFINITY : COMMAND_MS)
    if (result.held) {
      await recorder.release()
      if (result.left > 0)
        printNote(cli, 'Some recommendations are not recorded yet; the next command goes on with them')
    } else if (result.hasOtherSettings) printNote(cli, otherRecorderMessage(result))
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    app.log.debug({ err: error }, 'recommendations could not be recorded')
  }
}

const otherRecorderMessage = ({
  command,
  hasOtherSettings,
}: {
  command: string | null
  hasOtherSettings: boolean
}): string =>
  `recommendations are recorded by ${command ?? 'another process'}${
    hasOtherSettings ? ', with other settings than those configured here: restart it to use these' : ''
  }`
