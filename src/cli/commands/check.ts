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

/** One thing that was tried. */
interface Finding {
  what: string
  ok: boolean
  /** What was found, or what went wrong. */
  found: string
  /** What to do about it; empty where nothing need be done. */
  remedy: string
}

/** `check`: tries the configuration against the world. */
export const register: RegisterCommand = (command, cli) => {
  // Silent, because each failure is told in words.
  command
    .addOption(jsonOption())
    .action((options: JsonOption) => withServices(cli, (app) => check(cli, app, options), 'silent'))
  withExamples(command, ['quotekeeper check', 'is everything ready for quotekeeper start?'])
}

async function check(cli: Cli, app: App, options: JsonOption): Promise<void> {
  const findings = await examine(cli, app)
  printRows(cli.io, options.json, COLUMNS, findings, '')
  tellRemedies(cli, findings)
  cli.status = findings.every(({ ok }) => ok) ? 0 : 1
}

async function examine(cli: Cli, app: App): Promise<Finding[]> {
  const { config } = app
  const file = {
    what: 'configuration',
    ok: true,
    found: `${config.file}, ${plural(config.channels.length, 'channel')}`,
    remedy: '',
  }
  const local = [await tryDatabase(app), await tryQueue(app)]
  const remote = await Promise.all(config.channels.map((channel) => tryChannel(cli, app, channel)))
  return [file, ...local, ...remote.flat()]
}

async function attempt(what: string, remedy: string, act: () => Promise<Omit<Finding, 'what'>>): Promise<Finding> {
  try {
    return { what, ...(await act()) }
  } catch (error) {
    // Our errors carry their remedy; of a marketplace that does not answer nobody knows it.
    const told = error instanceof Error && isUserFacing(error) && error.name !== 'UnavailableError'
    return { what, ok: false, found: errorMessage(error), remedy: told ? '' : remedy }
  }
}

const good = (found: string) => ({ ok: true, found, remedy: '' })

const tryDatabase = (app: App) =>
  attempt('database', '`database` in the configuration names the file', async () => {
    const store = await app.store()
    const { ok, message, bytes, schemaVersion } = await store.check()
    const found = `${store.path}: ${message}, ${(bytes / 1e6).toFixed(1)} MB, schema ${schemaVersion}`
    return ok
      ? good(found)
      : { ok, found, remedy: 'stop Quotekeeper and restore a backup (`quotekeeper backup` makes them)' }
  })

const tryQueue = (app: App) =>
  attempt('queue', 'start the server, or set queue: in-process to do without one', async () => {
    const { ok, message } = await (await app.runner()).ping()
    return ok
      ? good(message)
      : { ok, found: message, remedy: 'start the server, or set queue: in-process to do without one' }
  })

async function tryChannel(cli: Cli, app: App, channel: ChannelConfig): Promise<Finding[]> {
  const session = (await app.marketplace()).session(channel, { signal: cli.io.stop })
  const { maxClockSkewSeconds } = app.config.closing
  const tryList = (noun: string, read: () => Promise<ReadResult<unknown[]>>) =>
    attempt(`${channel.key} ${noun}`, 'check baseUrl and the network, and try again', async () => {
      const begun = performance.now()
      const { value, readAt, serverDate } = await read()
      const took = `${plural(value.length, noun.replace(/s$/, ''))} in ${((performance.now() - begun) / 1000).toFixed(1)} s`
      const skew = clockProblem({ readAt, answeredAt: cli.io.now(), serverDate }, maxClockSkewSeconds)
      return {
        ok: true,
        found: skew ? `${took}; ${skew}` : took,
        remedy: skew && channel.autoClose === 'on' ? NO_CLOSING : '',
      }
    })
  return [await tryList('listings', () => session.listListings()), await tryList('RFQs', () => session.listRfqs())]
}

const NO_CLOSING = 'nothing is closed until the clocks agree: set this machine by NTP, or tell the marketplace'

const COLUMNS: Column<Finding>[] = [
  { header: 'What', cell: ({ what }) => what },
  { header: 'Result', cell: ({ ok }) => (ok ? 'ok' : 'FAILED') },
  { header: 'Found', cell: ({ found }) => found, min: 40, overflow: 'wrap' },
]

function tellRemedies({ io }: Cli, findings: readonly Finding[]): void {
  const open = findings.filter(({ ok, remedy }) => !ok || remedy !== '')
  for (const { what, found, remedy } of open) {
    io.err(`\n${what}: ${sanitize(found)}\n${remedy === '' ? '' : `  → ${remedy}\n`}`)
  }
  if (open.length === 0) io.err('\nEverything is ready: quotekeeper start\n')
}
