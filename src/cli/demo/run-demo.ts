import { appendFileSync } from 'node:fs'
import type { Service } from '../../../jobs/service.js'
import type { Sandbox, WorldEvent } from '../../sandbox/index.js'
import { type App, withApp } from '../app.js'
import type { Cli } from '../cli-context.js'
import { readDueRates } from '../runs/read-due-rates.js'
import { untilStopped } from '../runs/stop-signals.js'
import { createPages } from '../service/create-pages.js'
import { createHandlerDeps, webServerStarter } from '../service/handler-deps.js'
import { createMaintenanceJobs } from '../service/maintenance-jobs.js'
import { openServiceMetrics } from '../service/service-metrics.js'
import { createDemoFolder, writeDemoConfig } from './demo-folder.js'
import { DemoOutput } from './demo-output.js'
import { describeServiceEvent } from './event-text.js'
import { type DemoContext, type MonitoredService, runFirstRound } from './first-round.js'
import { ServiceMonitor } from './service-monitor.js'

/** How far the marketplace's clock advances each second after the first round. */
const CLOCK_STEP_MS = 8 * 60_000

interface Demo extends DemoContext {
  /** Receives the events of the sandbox. Replaced once the demo prints them. */
  listener: { onWorldEvent: (event: WorldEvent) => void }
}

/**
 * Runs the service against a sandbox, in a temporary folder, and prints what it does.
 * @param once ends after one full round; otherwise the demo runs until Ctrl-C
 */
export async function runDemo(cli: Cli, once: boolean): Promise<void> {
  const { startSandbox } = await import('../../sandbox/index.js')
  const folder = createDemoFolder()
  const listener: Demo['listener'] = { onWorldEvent: () => undefined }
  const sandbox = await startSandbox({ keepRequests: 0, onEvent: (event) => listener.onWorldEvent(event) })
  try {
    writeDemoConfig(folder, sandbox)
    await runService({ cli, output: new DemoOutput(cli.io), folder, sandbox, listener }, once)
  } finally {
    await sandbox.close()
  }
}

/** The service uses the sandbox's clock and no environment variables, so that every demo runs the same way. */
async function runService(demo: Demo, once: boolean): Promise<void> {
  const { cli, folder, sandbox } = demo
  const globals = { ...cli.globals, config: folder.config }
  const serviceCli: Cli = { ...cli, globals, io: { ...cli.io, env: {}, now: sandbox.now } }
  const logTo = { write: (text: string) => appendFileSync(folder.log, text, { mode: 0o600 }) }
  const parts = { secrets: 'required', defaultLevel: 'info', createDatabase: true, servesPages: true } as const
  const options = { ...parts, logTo }
  await withApp(serviceCli, options, async (app) => {
    const running = await startMonitoredService(serviceCli, app, sandbox)
    printIntroduction(demo, running.service)
    try {
      await runFirstRound(demo, app, running)
      if (!once) await runUntilStopped(demo, running)
    } catch (error) {
      // Ctrl-C is the normal end of a demo, at any step.
      if (!cli.io.stop.aborted) throw error
    }
  })
  demo.output.section('End of the demo', 'All files are kept in this folder; delete it when you are done:')
  cli.io.out(`${folder.path}\n`)
}

/** @param cli with the clock of the sandbox */
async function startMonitoredService(cli: Cli, app: App, sandbox: Sandbox): Promise<MonitoredService> {
  const { startService } = await import('../../../jobs/service.js')
  const monitor = new ServiceMonitor()
  const metrics = await openServiceMetrics(app, sandbox.now)
  const deps = monitor.wrap(await createHandlerDeps(app, sandbox.now, metrics))
  const plugins = [await createPages(app, sandbox.now)]
  const serveWeb = webServerStarter(app, sandbox.now, { metrics, plugins })
  // Before the first comparison.
  await readDueRates(cli, app)
  const maintenance = await createMaintenanceJobs(app, sandbox.now)
  const service: Service = await startService({ ...deps, work: true, schedule: true, serveWeb, maintenance })
  app.onClose(() => service.stop())
  return { monitor, service }
}

function printIntroduction({ output, folder, sandbox }: Demo, { url }: Service): void {
  output.section(
    'Quotekeeper demo',
    'On a marketplace of environmental credits, buyers publish requests for quote (RFQs) and project developers ' +
      'respond with offers. Quotekeeper polls the channels of the marketplace, keeps every version of every document, ' +
      'closes RFQs after their response due date, and compares the offers in Excel. This demo runs it against a local ' +
      'sample marketplace with invented data.',
  )
  output.facts([
    ['Web page', url ?? 'none'],
    ['Marketplace', `${sandbox.url}, ${sandbox.world.channels.length} channels`],
    ['Exchange rates', `${sandbox.ratesUrl}, invented`],
    ['Folder', folder.path],
  ])
}

async function runUntilStopped(
  { cli, output, folder, sandbox, listener }: Demo,
  { monitor, service }: MonitoredService,
): Promise<void> {
  output.section(
    '5. Running on schedule',
    "From now on the marketplace's clock is accelerated: eight minutes pass each second. Offers arrive, RFQs become " +
      `past due, and Quotekeeper polls, closes and reports on schedule. Times are UTC. Health: ${service.url}/readyz. Press Ctrl-C to end the demo.`,
  )
  output.lines([])
  listener.onWorldEvent = ({ at, channel, text }) => output.event(at, 'marketplace', `${channel}: ${text}`)
  const unsubscribe = monitor.onEvent((event) => {
    for (const line of describeServiceEvent(event, folder.path)) output.event(sandbox.now(), 'quotekeeper', line)
  })
  const clock = setInterval(() => sandbox.advance(new Date(sandbox.now().getTime() + CLOCK_STEP_MS)), 1000)
  await untilStopped(cli.io.stop)
  clearInterval(clock)
  unsubscribe()
}
