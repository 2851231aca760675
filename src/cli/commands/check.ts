import { clockProblem } from '../../closing/clock-skew.js'
import type { ChannelConfig } from '../../config.js'
import type { ReadResult } from '../../marketplace/contract.js'
import { type App, withServices } from '../app.js'
import type { Cli, RegisterCommand } from '../cli-context.js'
import { errorMessage, isUserFacing } from '../error-message.js'
import { type JsonOption, jsonOption, withExamples } from '../options.js'
import { printRows } from '../output.js'
import type { Column } from '../terminal-table.js'
import { plural, sanitize } from '../terminal-text.js'

/** The result of one check. */
interface Finding {
  what: string
  ok: boolean
  /** What was found, or the error. */
  found: string
  /** What to do about it; empty if there is nothing to do. */
  remedy: string
}

/** `check`: tests the configuration, the database, the queue and every channel. */
export const register: RegisterCommand = (command, cli) => {
  // Logs are off because every failure is printed with its remedy.
  command
    .addOption(jsonOption())
    .action((options: JsonOption) => withServices(cli, (app) => check(cli, app, options), 'silent'))
  withExamples(command, ['quotekeeper check', 'test everything before quotekeeper start'])
}

async function check(cli: Cli, app: App, options: JsonOption): Promise<void> {
  const findings = await runChecks(cli, app)
  printRows(cli.io, options.json, COLUMNS, findings, '')
  printRemedies(cli, findings)
  cli.status = findings.every(({ ok }) => ok) ? 0 : 1
}

async function runChecks(cli: Cli, app: App): Promise<Finding[]> {
  const { config } = app
  const file = {
    what: 'configuration',
    ok: true,
    found: `${config.file}, ${plural(config.channels.length, 'channel')}`,
    remedy: '',
  }
  const local = [await checkDatabase(app), await checkQueue(app)]
  const remote = await Promise.all(config.channels.map((channel) => checkChannel(cli, app, channel)))
  return [file, ...local, ...remote.flat()]
}

async function attempt(what: string, remedy: string, act: () => Promise<Omit<Finding, 'what'>>): Promise<Finding> {
  try {
    return { what, ...(await act()) }
  } catch (error) {
    // Our own errors include their remedy, except for a marketplace that cannot be reached.
    const hasRemedy = error instanceof Error && isUserFacing(error) && error.name !== 'UnavailableError'
    return { what, ok: false, found: errorMessage(error), remedy: hasRemedy ? '' : remedy }
  }
}

const passed = (found: string) => ({ ok: true, found, remedy: '' })

const checkDatabase = (app: App) =>
  attempt('database', 'check the path under `database:` in the configuration', async () => {
    const store = await app.store()
    const { ok, message, bytes, schemaVersion } = await store.check()
    const found = `${store.path}: ${message}, ${(bytes / 1e6).toFixed(1)} MB, schema ${schemaVersion}`
    return ok
      ? passed(found)
      : { ok, found, remedy: 'stop Quotekeeper and restore a backup made with `quotekeeper backup`' }
  })

const START_QUEUE = 'start the queue server, or set `queue: in-process` to run without one'

const checkQueue = (app: App) =>
  attempt('queue', START_QUEUE, async () => {
    const { ok, message } = await (await app.runner()).ping()
    return ok ? passed(message) : { ok, found: message, remedy: START_QUEUE }
  })

async function checkChannel(cli: Cli, app: App, channel: ChannelConfig): Promise<Finding[]> {
  const session = (await app.marketplace()).session(channel, { signal: cli.io.stop })
  const { maxClockSkewSeconds } = app.config.closing
  const checkList = (noun: string, read: () => Promise<ReadResult<unknown[]>>) =>
    attempt(`${channel.key} ${noun}`, 'check baseUrl and the network, then try again', async () => {
      const startedAt = performance.now()
      const { value, readAt, serverDate } = await read()
      const summary = `${plural(value.length, noun.replace(/s$/, ''))} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`
      const skew = clockProblem({ readAt, answeredAt: cli.io.now(), serverDate }, maxClockSkewSeconds)
      return {
        ok: true,
        found: skew ? `${summary}; ${skew}` : summary,
        remedy: skew && channel.autoClose === 'on' ? NO_CLOSING : '',
      }
    })
  return [await checkList('listings', () => session.listListings()), await checkList('RFQs', () => session.listRfqs())]
}

const NO_CLOSING =
  'RFQs are not closed while the clocks differ: synchronize this machine with NTP, or contact the marketplace'

const COLUMNS: Column<Finding>[] = [
  { header: 'Check', cell: ({ what }) => what },
  { header: 'Result', cell: ({ ok }) => (ok ? 'ok' : 'FAILED') },
  { header: 'Details', cell: ({ found }) => found, min: 40, overflow: 'wrap' },
]

function printRemedies({ io }: Cli, findings: readonly Finding[]): void {
  const unresolved = findings.filter(({ ok, remedy }) => !ok || remedy !== '')
  for (const { what, found, remedy } of unresolved) {
    io.err(`\n${what}: ${sanitize(found)}\n${remedy === '' ? '' : `  → ${remedy}\n`}`)
  }
  if (unresolved.length === 0) io.err('\nAll checks passed. Run `quotekeeper start` to start the service.\n')
}
