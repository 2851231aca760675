import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanLine } from '../../../core/text/clean-text.js'
import { quoteForShell } from '../../../core/text/quote-for-shell.js'
import { formatMinute } from '../../../core/time/clock.js'
import type { Sandbox } from '../../../sandbox/index.js'
import { truncate, wrap } from '../../../tables/print/text-width.js'
import { withApp } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError } from '../../cli-error.js'
import { withExamples } from '../../input/options.js'
import { bold } from '../../output/output.js'
import type { Io } from '../../process/process-io.js'
import { runService } from '../../service/run-service.js'

/** `demo`: runs commands, then the service, on a sample marketplace. */
export const register: RegisterCommand = (command, cli) => {
  command
    .option('--once', 'stop after one poll, closing round and report')
    .action((options: { once?: boolean }) => demo(cli, options.once ?? false))
  withExamples(
    command,
    ['quotekeeper demo', 'run until Ctrl-C'],
    ['quotekeeper demo --once', 'stop after one poll, closing round and report'],
  )
}

/** Widest line of prose, in columns. */
const MAX_WIDTH = 96

/** Runs against a sandbox in a temporary folder, which is kept, so that its workbooks can be opened. */
async function demo(cli: Cli, once: boolean): Promise<void> {
  const { startSandbox } = await import('../../../sandbox/index.js')
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-demo-'))
  const sandbox = await startSandbox({ keepRequests: false })
  // The clock of the sandbox and no environment variables, so that every demo runs the same way.
  const io: Io = { ...cli.io, env: {}, cwd: folder, now: sandbox.now }
  const config = join(folder, 'quotekeeper.yaml')
  writeConfig(folder, config, sandbox)
  try {
    section(io, 'Quotekeeper demo', INTRODUCTION)
    await showCommands(cli, io, config)
    if (!once && !io.stop.aborted) {
      section(io, '5. Running on schedule', SCHEDULE)
      io.out('\n')
      await runUntilStopped({ ...cli, io, globals: { ...cli.globals, config } }, folder, sandbox)
    }
  } finally {
    await sandbox.close()
  }
  section(io, 'End of the demo', 'All files are kept in this folder; delete it when you are done:')
  io.out(`${folder}\n`)
}

const INTRODUCTION =
  'On a marketplace of environmental credits, buyers publish requests for quote (RFQs) and project developers respond with ' +
  'offers. Quotekeeper polls the channels of the marketplace, keeps every version of every document, closes RFQs after ' +
  'their response due date, and compares the offers. This demo runs its commands against a local sample marketplace with ' +
  'invented data.'
const SCHEDULE =
  'From now on the service runs, and the clock of the demo is accelerated: eight minutes pass each second. Offers arrive, ' +
  'RFQs become past due, and Quotekeeper polls, closes and reports on schedule. Times are UTC. Look at its page, which has ' +
  'the time of the demo: commands in another terminal have the real time. Press Ctrl-C to end the demo.'

function section(io: Io, heading: string, prose: string): void {
  const width = Math.min(io.width ?? MAX_WIDTH, MAX_WIDTH)
  io.out(`\n${bold(io, heading)}\n${wrap(prose, width).join('\n')}\n`)
}

/** One full round: poll every channel, close what is past due, compare the offers of an RFQ that was closed, write its workbook. */
async function showCommands(cli: Cli, io: Io, config: string): Promise<void> {
  const run = async (...args: string[]) => {
    if (io.stop.aborted) return
    io.out(`\n$ quotekeeper ${args.join(' ')}\n`)
    if ((await cli.run(['--config', config, ...args], io)) !== 0 && !io.stop.aborted)
      throw new FailedError(`the demo ended, because \`quotekeeper ${args.join(' ')}\` failed`)
  }
  section(io, '1. Polling', 'Reads the listings and RFQs of each channel, then each RFQ and each offer in full.')
  await run('sync')
  section(
    io,
    '2. Closing',
    "Closes RFQs whose response due date has ended in the channel's time zone, and verifies each.",
  )
  await run('close-expired')
  const closed = io.stop.aborted ? null : await closedRfq(cli, io, config)
  if (closed === null) return
  section(io, '3. Comparing', 'Ranks the offers for an RFQ and recommends an award.')
  await run('compare', closed)
  section(io, '4. Reporting', 'Writes a workbook with the comparison.')
  await run('report', closed)
  section(io, 'Next steps', 'Explore the database with these commands, in another terminal or after the demo:')
  const commands = ['today', 'rfqs', `compare ${closed}`, 'changes', `report ${closed}`]
  const lines = commands.map((command) => `  ${io.programName} --config ${quoteForShell(config)} ${command}\n`)
  io.out(`\n${lines.join('')}`)
}

/** Of the closed RFQs that wait for a decision, the one with the most offers. */
async function closedRfq(cli: Cli, io: Io, config: string): Promise<string | null> {
  const printed: string[] = []
  const silent: Io = { ...io, out: (text) => void printed.push(text), err: () => undefined }
  await cli.run(['--config', config, 'rfqs', ...'--waiting --state closed --sort -offers --json'.split(' ')], silent)
  const [first] = JSON.parse(printed.join('') || '[]') as { channel: string; name: string }[]
  return first === undefined ? null : `${first.channel}/${first.name}`
}

/** How far the marketplace's clock advances each second. */
const CLOCK_STEP_MS = 8 * 60_000

async function runUntilStopped(cli: Cli, folder: string, sandbox: Sandbox): Promise<void> {
  const { io } = cli
  const logTo = {
    write(line: string) {
      appendFileSync(join(folder, 'quotekeeper.log'), line, { mode: 0o600 })
      const text = describeLine(JSON.parse(line))
      if (text !== null) printEvent(io, sandbox.now(), 'quotekeeper', text.replaceAll(`${folder}/`, ''))
    },
  }
  const options = { secrets: 'required', servesPages: true, logTo } as const
  const clock = setInterval(() => {
    for (const { at, channel, text } of sandbox.advance(new Date(sandbox.now().getTime() + CLOCK_STEP_MS)))
      printEvent(io, at, 'marketplace', `${channel}: ${text}`)
  }, 1000)
  try {
    await withApp(cli, options, (app) => runService(cli, app, { schedule: true, port: 0, pages: true }))
  } finally {
    clearInterval(clock)
  }
}

/** A line of the log as text; null for a run that found nothing. */
function describeLine({ msg, kind, ...facts }: Record<string, unknown>): string | null {
  if (kind === undefined) return [msg, facts.url ?? facts.file].filter((part) => part !== undefined).join(': ')
  const counts = (['inserted', 'changed', 'missing'] as const).filter((count) => Number(facts[count]) > 0)
  return counts.length === 0 ? null : `${msg}, ${counts.map((count) => `${facts[count]} ${WORDS[count]}`).join(', ')}`
}

const WORDS = { inserted: 'new', changed: 'changed', missing: 'missing' }

function printEvent(io: Io, at: Date, source: string, text: string): void {
  const line = `${formatMinute(at.toISOString())}  ${source.padEnd(11)} ${cleanLine(text)}`
  io.out(`${io.width === null ? line : truncate(line, io.width)}\n`)
}

/** One channel shows the dry run; the others close RFQs. */
const autoCloseOf = (channel: string) => (channel === 'removals' ? 'dry-run' : 'on')

/** Writes a configuration for the sandbox, with the API keys in files next to it. */
function writeConfig(folder: string, config: string, { url, ratesUrl, keys, world }: Sandbox): void {
  for (const [org, key] of Object.entries(keys)) writeFileSync(join(folder, `${org}.key`), `${key}\n`, { mode: 0o600 })
  const channels = world.channels.map(
    ({ org, channel }) =>
      `  - { org: ${org}, channel: ${channel}, apiKey: { file: ${org}.key }, autoClose: ${autoCloseOf(channel)} }\n`,
  )
  const text = `# Written by quotekeeper demo
baseUrl: ${url}
database: ./quotekeeper.db
channels:
${channels.join('')}# In the time of the sandbox, whose clock is accelerated.
schedule:
  listings: "0 15 */2 * * *"
  rfqs: "0 */20 * * * *"
  closeExpired: "0 */30 * * * *"
  channelReport: "0 0 6 * * *"
requests: { perSecond: 500 }
# Offers are compared in this currency, at rates that the sandbox makes up, as the European Central Bank publishes real ones.
reports: { directory: ./reports, currency: USD, exchangeRates: "${ratesUrl}" }
web: { port: 0 }
`
  writeFileSync(config, text, { mode: 0o600 })
}
