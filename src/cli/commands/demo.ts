import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Service } from '../../../jobs/service.js'
import type { Happening, Sandbox } from '../../sandbox/index.js'
import type { Cli, Register } from '../cli.js'
import { type House, inHouse } from '../compose.js'
import { type DemoFolder, makeDemoFolder, writeDemoConfig } from '../demo/folder.js'
import { type PrivateRedis, startPrivateRedis } from '../demo/privateRedis.js'
import { closedIn, deedInWords, foundIn, happeningInWords, Story } from '../demo/story.js'
import { type Deed, Watch } from '../demo/watch.js'
import { serviceDeps } from '../deps.js'
import { withExamples } from '../options.js'
import { untilStopped } from '../untilStopped.js'

/** `demo`: the whole job on a marketplace of its own. */
export const register: Register = (command, cli) => {
  command
    .option('--once', 'end after one full round')
    .action((options: { once?: boolean }) => demo(cli, options.once ?? false))
  withExamples(
    command,
    ['quotekeeper demo', 'see everything, and watch it go on until Ctrl-C'],
    ['quotekeeper demo --once', 'end after one full round'],
  )
}

/** How long each part of the first round may take, in milliseconds. */
const PATIENCE = 60_000
/** After the first round the marketplace's clock runs ahead by this much each second, in milliseconds. */
const STEP = 8 * 60_000

interface Demo {
  cli: Cli
  story: Story
  folder: DemoFolder
  sandbox: Sandbox
  redis: PrivateRedis | null
  /** What happens on the marketplace, as soon as somebody listens. */
  tell: { happening: (happening: Happening) => void }
}

async function demo(cli: Cli, once: boolean): Promise<void> {
  const { startSandbox } = await import('../../sandbox/index.js')
  const folder = makeDemoFolder()
  const tell: Demo['tell'] = { happening: () => undefined }
  const sandbox = await startSandbox({ keepRequests: 0, onHappening: (happening) => tell.happening(happening) })
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
  await inHouse(
    desk,
    { secrets: 'required', logTo: log, usualLevel: 'info', createDatabase: true },
    async (house: House) => {
      const watch = new Watch()
      const service = await startDesk(house, sandbox, watch)
      await firstRound(demo, house, { watch, service })
      if (!once) await liveOn(demo, { watch, service })
    },
  )
  demo.story.chapter('The end', 'Everything stays in this folder; delete it when you are done:')
  cli.io.out(`${folder.path}\n`)
}

async function startDesk(house: House, sandbox: Sandbox, watch: Watch): Promise<Service> {
  const { startService } = await import('../../../jobs/service.js')
  const deps = watch.over(await serviceDeps(house, sandbox.now))
  const service = await startService({ ...deps, work: true, schedule: true, web: true })
  house.closeWith(() => service.stop())
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

// --- the first round ------------------------------------------------------------------------------------------------

interface Desk {
  watch: Watch
  service: Service
}

async function firstRound(demo: Demo, house: House, desk: Desk): Promise<void> {
  await pollEverything(demo, house, desk)
  await closeExpired(demo, house, desk)
  await report(demo, house, desk)
}

async function pollEverything({ cli, story }: Demo, { config }: House, { watch }: Desk): Promise<void> {
  story.chapter(
    '1. Polling',
    'Each channel is asked for its project listings and its RFQs, then for each RFQ and each offer.',
  )
  // The schedule owes each channel its first polls.
  const all = config.channels.length * 2
  await watch.until((deeds) => pollsIn(deeds) >= all, { within: PATIENCE, signal: cli.io.stop })
  story.blank()
  story.facts(config.channels.map(({ key }) => [key, foundIn(key, watch.deeds)]))
}

const pollsIn = (deeds: readonly Deed[]) =>
  new Set(
    deeds.flatMap((deed) => (deed.kind === 'polled' ? [`${deed.result.run.channel} ${deed.result.run.kind}`] : [])),
  ).size

async function closeExpired({ cli, story, sandbox }: Demo, { config }: House, { watch, service }: Desk): Promise<void> {
  const { jobId } = await import('../../../jobs/id.js')
  story.chapter(
    '2. Closing',
    'An RFQ is past due when its due date has ended in the calendar of its channel: one due today stays open. Each is ' +
      'read afresh, closed by one request, and read again; why it was closed is written down.',
  )
  const channels = config.channels.filter(({ autoClose }) => autoClose !== 'off')
  for (const { key: channel } of channels) {
    const payload = { channel, cause: 'demo' }
    await service.enqueue('close-expired', payload, jobId('close-expired', payload, sandbox.now()))
  }
  const done = (deeds: readonly Deed[]) => channels.every(({ key }) => deeds.some((deed) => isRoundOf(deed, key)))
  await watch.until(done, { within: PATIENCE, signal: cli.io.stop })
  story.blank()
  story.facts(config.channels.flatMap((channel) => named(channel.key, closedIn(channel, watch.deeds))))
}

const isRoundOf = (deed: Deed, channel: string) => deed.kind === 'closed' && deed.result.run.channel === channel

/** The name stands beside the first of its lines only. */
const named = (name: string, lines: readonly string[]): [string, string][] =>
  lines.map((line, index) => [index === 0 ? name : '', line])

async function report({ cli, story, folder }: Demo, house: House, { watch }: Desk): Promise<void> {
  story.chapter('3. Reporting', 'The offers for each RFQ that was closed, side by side in an Excel workbook.')
  const closed = watch.deeds
    .flatMap((deed) => (deed.kind === 'closed' ? deed.result.decisions : []))
    .filter(({ outcome }) => outcome === 'closed')
  await watch.until((deeds) => closed.every(({ rfqId }) => deeds.some((deed) => isReportOn(deed, rfqId))), {
    within: PATIENCE,
    signal: cli.io.stop,
  })
  const paths = watch.deeds.flatMap((deed) => (deed.kind === 'reported' && deed.rfqId !== null ? [deed.path] : []))
  story.blank()
  story.facts([...named('Workbook', paths), ['Database', house.config.database]])
  story.chapter('Look around', 'Its own commands read the database, in another terminal or later:')
  story.blank()
  for (const command of [
    'rfqs',
    'offers 1002 --channel acme/forest',
    'decisions',
    'report 1004 --channel acme/forest',
  ]) {
    cli.io.out(`  ${programName()} --config ${folder.config} ${command}\n`)
  }
}

const isReportOn = (deed: Deed, rfqId: string) => deed.kind === 'reported' && deed.rfqId === rfqId

/** How this program was called, so that the commands can be copied. */
const programName = () => `node ${relative(process.cwd(), process.argv[1] ?? 'quotekeeper')}`

// --- and on ---------------------------------------------------------------------------------------------------------

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
