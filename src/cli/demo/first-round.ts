import type { Service } from '../../../jobs/service.js'
import type { DecisionRecord } from '../../core/records.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import type { Sandbox } from '../../sandbox/index.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { printComparison } from '../output/comparison.js'
import type { DemoFolder } from './demo-folder.js'
import type { DemoOutput } from './demo-output.js'
import { summarizeClosing, summarizePolls } from './event-text.js'
import type { ServiceEvent, ServiceMonitor } from './service-monitor.js'

/** How long each step of the round may take. */
const STEP_TIMEOUT_MS = 120_000

/** The running service with its monitor. */
export interface MonitoredService {
  monitor: ServiceMonitor
  service: Service
}

/** What a demo runs in. */
export interface DemoContext {
  cli: Cli
  output: DemoOutput
  folder: DemoFolder
  sandbox: Sandbox
}

/** Runs one full round and prints each step: poll every channel, close what is past due, compare the offers, write the reports. */
export async function runFirstRound(demo: DemoContext, app: App, running: MonitoredService): Promise<void> {
  await pollChannels(demo, app, running)
  await closePastDue(demo, app, running)
  const closed = await reportsOfClosed(demo, running)
  await compareOffers(demo, app, closed)
  nameReports(demo, running)
  printNextCommands(demo)
}

async function pollChannels(
  { cli, output }: DemoContext,
  { config }: App,
  { monitor }: MonitoredService,
): Promise<void> {
  output.section(
    '1. Polling',
    'Quotekeeper reads the listings and RFQs of each channel, then each RFQ and each offer in full.',
  )
  // The schedule starts with one poll of each kind for every channel.
  const expected = config.channels.length * 2
  await monitor.waitUntil((events) => countPolls(events) >= expected, {
    timeoutMs: STEP_TIMEOUT_MS,
    signal: cli.io.stop,
  })
  output.facts(config.channels.map(({ key }) => [key, summarizePolls(key, monitor.events)]))
}

const countPolls = (events: readonly ServiceEvent[]) =>
  new Set(
    events.flatMap((event) =>
      event.kind === 'polled' ? [`${event.result.run.channel} ${event.result.run.kind}`] : [],
    ),
  ).size

async function closePastDue(
  { cli, output, sandbox }: DemoContext,
  { config }: App,
  { monitor, service }: MonitoredService,
): Promise<void> {
  const { jobId } = await import('../../../jobs/job-id.js')
  output.section(
    '2. Closing',
    "An RFQ is past due when its response due date has ended in the channel's time zone; an RFQ due today stays open. " +
      'Quotekeeper reads each RFQ again, closes it with one request, reads it once more to verify, and records why.',
  )
  const channels = config.channels.filter(({ autoClose }) => autoClose !== 'off')
  for (const { key: channel } of channels) {
    const payload = { channel, cause: 'demo' }
    await service.enqueue('close-expired', payload, jobId('close-expired', payload, sandbox.now()))
  }
  const isDone = (events: readonly ServiceEvent[]) =>
    channels.every(({ key }) => events.some((event) => event.kind === 'closed' && event.result.run.channel === key))
  await monitor.waitUntil(isDone, { timeoutMs: STEP_TIMEOUT_MS, signal: cli.io.stop })
  output.facts(config.channels.flatMap((channel) => factLines(channel.key, summarizeClosing(channel, monitor.events))))
}

/** Facts with the name on their first line only. */
const factLines = (name: string, values: readonly string[]): [string, string][] =>
  values.map((value, index) => [index === 0 ? name : '', value])

/** Waits for the reports of the closed RFQs. */
async function reportsOfClosed({ cli }: DemoContext, { monitor }: MonitoredService): Promise<DecisionRecord[]> {
  const closed = monitor.events
    .flatMap((event) => (event.kind === 'closed' ? event.result.decisions : []))
    .filter(({ outcome }) => outcome === 'closed')
  const isDone = (events: readonly ServiceEvent[]) =>
    closed.every(({ rfqId }) => events.some((event) => event.kind === 'reported' && event.rfqId === rfqId))
  await monitor.waitUntil(isDone, { timeoutMs: STEP_TIMEOUT_MS, signal: cli.io.stop })
  return closed
}

/** Shows the comparison of the closed RFQ with the most offers. */
async function compareOffers(
  { cli, output, sandbox }: DemoContext,
  app: App,
  closed: readonly DecisionRecord[],
): Promise<void> {
  output.section(
    '3. Comparing',
    'Quotekeeper ranks the offers for an RFQ and recommends an award. `quotekeeper compare` prints this:',
  )
  const store = await app.store()
  const found = await Promise.all(closed.map(({ channel, rfqId }) => store.rfqs({ channel, ids: [rfqId] })))
  const [most] = found.flat().sort((a, b) => b.responses.length - a.responses.length)
  output.lines([])
  if (most !== undefined) await printComparison({ ...cli, io: { ...cli.io, now: sandbox.now } }, { store, app }, most)
}

function nameReports({ output, folder }: DemoContext, { monitor }: MonitoredService): void {
  output.section('4. Reporting', 'An Excel workbook shows the comparison for each closed RFQ.')
  const paths = monitor.events.flatMap((event) =>
    event.kind === 'reported' && event.rfqId !== null ? [event.path] : [],
  )
  output.facts([...factLines('Workbook', paths), ['Database', folder.database]])
}

function printNextCommands({ cli, output, folder }: DemoContext): void {
  output.section('Next steps', 'Explore the database with these commands, in another terminal or after the demo:')
  const commands = [
    'today',
    'rfqs',
    'compare 1004 --channel acme/forest',
    'changes',
    'report 1004 --channel acme/forest',
  ]
  output.lines(commands.map((command) => `  ${cli.io.programName} --config ${quoteForShell(folder.config)} ${command}`))
}
