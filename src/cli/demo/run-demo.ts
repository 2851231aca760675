import { appendFileSync } from 'node:fs'
import type { Service } from '../../../jobs/service.js'
import type { Sandbox, WorldEvent } from '../../sandbox/index.js'
import { type App, withApp } from '../app.js'
import type { Cli } from '../cli-context.js'
import { createHandlerDeps, webServerStarter } from '../handler-deps.js'
import { untilStopped } from '../until-stopped.js'
import { makeDemoFolder, writeDemoConfig } from './demo-folder.js'
import { deedInWords, happeningInWords, Story } from './demo-output.js'
import { type Desk, firstRound, type Stage } from './first-round.js'
import { type PrivateRedis, startPrivateRedis } from './private-redis.js'
import { Watch } from './service-monitor.js'

/** After the first round the marketplace's clock runs ahead by this much each second, in milliseconds. */
const STEP = 8 * 60_000

interface Demo extends Stage {
  redis: PrivateRedis | null
  /** What happens on the marketplace, as soon as somebody listens. */
  tell: { happening: (happening: WorldEvent) => void }
}

/**
 * Plays the demo to whoever watches.
 * @param once ends after one full round, instead of living on until the process is asked to end
 */
export async function demo(cli: Cli, once: boolean): Promise<void> {
  const { startSandbox } = await import('../../sandbox/index.js')
  const folder = makeDemoFolder()
  const tell: Demo['tell'] = { happening: () => undefined }
  const sandbox = await startSandbox({ keepRequests: 0, onEvent: (happening) => tell.happening(happening) })
  try {
    const redis = await startPrivateRedis(folder.path, cli.io.env.PATH)
    try {
      writeDemoConfig(folder, sandbox, redis?.url ?? 'in-process')
      await play({ cli, story: new Story(cli.io), folder, sandbox, redis, tell }, once)
    } finally {
      await redis?.stop()
    }
  } finally {
    await sandbox.close()
  }
}

/** The desk lives by the marketplace's clock, and knows nothing of our environment. */
async function play(demo: Demo, once: boolean): Promise<void> {
  const { cli, folder, sandbox } = demo
  const globals = { ...cli.globals, config: folder.config }
  const desk: Cli = { ...cli, globals, io: { ...cli.io, env: {}, now: sandbox.now } }
  const log = { write: (text: string) => appendFileSync(folder.log, text, { mode: 0o600 }) }
  introduce(demo)
  await withApp(
    desk,
    { secrets: 'required', logTo: log, defaultLevel: 'info', createDatabase: true },
    async (app: App) => {
      const watch = new Watch()
      const service = await startDesk(app, sandbox, watch)
      try {
        await firstRound(demo, app, { watch, service })
        if (!once) await liveOn(demo, { watch, service })
      } catch (error) {
        // Being asked to end, at whatever moment, is how a demo ends.
        if (!cli.io.stop.aborted) throw error
      }
    },
  )
  demo.story.chapter('The end', 'Everything stays in this folder; delete it when you are done:')
  cli.io.out(`${folder.path}\n`)
}

async function startDesk(app: App, sandbox: Sandbox, watch: Watch): Promise<Service> {
  const { startService } = await import('../../../jobs/service.js')
  const deps = watch.over(await createHandlerDeps(app, sandbox.now))
  const service = await startService({ ...deps, work: true, schedule: true, serveWeb: webServerStarter(app) })
  app.onClose(() => service.stop())
  return service
}

function introduce({ story, folder, sandbox, redis }: Demo): void {
  story.chapter(
    'Quotekeeper: what an RFQ desk needs to remember',
    'Buyers put requests for quote (RFQs) on a marketplace of environmental-credit projects, and project developers ' +
      'answer with offers. Quotekeeper watches the channels of the marketplace, keeps every version it ever saw, closes ' +
      'RFQs whose due date has passed, and compares the offers in Excel. Here it does so on a marketplace of its own, ' +
      'with invented data.',
  )
  story.blank()
  story.facts([
    ['Marketplace', `${sandbox.url}, ${sandbox.world.channels.length} channels`],
    ['Queue', redis ? `a private ${redis.program} on port ${redis.port}` : IN_PROCESS],
    ['Folder', folder.path],
  ])
}

const IN_PROCESS = 'none needed: no redis-server or valkey-server was found, so jobs run in this process'

async function liveOn({ cli, story, folder, sandbox, tell }: Demo, { watch, service }: Desk): Promise<void> {
  story.chapter(
    'And so it goes on',
    `From here the marketplace's clock runs fast: eight minutes pass each second, a day in three minutes. Offers ` +
      `arrive, RFQs fall due, Quotekeeper sees it and acts. Its health: ${service.url}/readyz. Ctrl-C ends the demo. Times are UTC.`,
  )
  story.blank()
  tell.happening = (happening) => story.event(happening.at, 'marketplace', happeningInWords(happening))
  const forget = watch.onDeed((deed) => {
    for (const words of deedInWords(deed, folder.path)) story.event(sandbox.now(), 'quotekeeper', words)
  })
  const clock = setInterval(() => sandbox.advance(new Date(sandbox.now().getTime() + STEP)), 1000)
  await untilStopped(cli.io.stop)
  clearInterval(clock)
  forget()
}
