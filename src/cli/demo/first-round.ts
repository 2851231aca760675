import { relative } from 'node:path'
import type { Service } from '../../../jobs/service.js'
import type { Sandbox } from '../../sandbox/index.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import type { DemoFolder } from './demo-folder.js'
import { closedIn, foundIn, type Story } from './demo-output.js'
import type { Deed, Watch } from './service-monitor.js'

/** How long each part of the round may take, in milliseconds. */
const PATIENCE = 60_000

/** The service at work, seen. */
export interface Desk {
  watch: Watch
  service: Service
}

/** Where a demo is played. */
export interface Stage {
  cli: Cli
  story: Story
  folder: DemoFolder
  sandbox: Sandbox
}

/** One full round: everything is polled, what is past due is closed, and reported; each step is told. */
export async function firstRound(demo: Stage, app: App, desk: Desk): Promise<void> {
  await pollEverything(demo, app, desk)
  await closeExpired(demo, app, desk)
  await report(demo, app, desk)
}

async function pollEverything({ cli, story }: Stage, { config }: App, { watch }: Desk): Promise<void> {
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

async function closeExpired({ cli, story, sandbox }: Stage, { config }: App, { watch, service }: Desk): Promise<void> {
  const { jobId } = await import('../../../jobs/job-id.js')
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

async function report({ cli, story, folder }: Stage, app: App, { watch }: Desk): Promise<void> {
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
  story.facts([...named('Workbook', paths), ['Database', app.config.database]])
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
