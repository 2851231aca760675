import type { ChannelConfig } from '../../config.js'
import type { Answer } from '../../marketplace/contract.js'
import type { Cli, Register } from '../cli-context.js'
import { type House, working } from '../compose.js'
import { isForPeople, sentence } from '../error-message.js'
import { type JsonOption, jsonOption, withExamples } from '../options.js'
import { printRows } from '../output.js'
import type { Column } from '../terminal-table.js'
import { clean, count } from '../terminal-text.js'

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
export const register: Register = (command, cli) => {
  // Silent, because each failure is told in words.
  command
    .addOption(jsonOption())
    .action((options: JsonOption) => working(cli, (house) => check(cli, house, options), 'silent'))
  withExamples(command, ['quotekeeper check', 'is everything ready for quotekeeper start?'])
}

async function check(cli: Cli, house: House, options: JsonOption): Promise<void> {
  const findings = await examine(cli, house)
  printRows(cli.io, options.json, COLUMNS, findings, '')
  tellRemedies(cli, findings)
  cli.status = findings.every(({ ok }) => ok) ? 0 : 1
}

async function examine(cli: Cli, house: House): Promise<Finding[]> {
  const { config } = house
  const file = {
    what: 'configuration',
    ok: true,
    found: `${config.file}, ${count(config.channels.length, 'channel')}`,
    remedy: '',
  }
  const local = [await tryDatabase(house), await tryQueue(house)]
  const remote = await Promise.all(config.channels.map((channel) => tryChannel(cli, house, channel)))
  return [file, ...local, ...remote.flat()]
}

async function attempt(what: string, remedy: string, act: () => Promise<Omit<Finding, 'what'>>): Promise<Finding> {
  try {
    return { what, ...(await act()) }
  } catch (error) {
    // Our errors carry their remedy; of a marketplace that does not answer nobody knows it.
    const told = error instanceof Error && isForPeople(error) && error.name !== 'UnavailableError'
    return { what, ok: false, found: sentence(error), remedy: told ? '' : remedy }
  }
}

const good = (found: string) => ({ ok: true, found, remedy: '' })

const tryDatabase = (house: House) =>
  attempt('database', '`database` in the configuration names the file', async () => {
    const store = await house.store()
    const { ok, message, bytes, schemaVersion } = await store.check()
    const found = `${store.path}: ${message}, ${(bytes / 1e6).toFixed(1)} MB, schema ${schemaVersion}`
    return ok
      ? good(found)
      : { ok, found, remedy: 'stop Quotekeeper and restore a backup (`quotekeeper backup` makes them)' }
  })

const tryQueue = (house: House) =>
  attempt('queue', 'start the server, or set queue: in-process to do without one', async () => {
    const { ok, message } = await (await house.runner()).ping()
    return ok
      ? good(message)
      : { ok, found: message, remedy: 'start the server, or set queue: in-process to do without one' }
  })

async function tryChannel(cli: Cli, house: House, channel: ChannelConfig): Promise<Finding[]> {
  const session = (await house.marketplace()).session(channel, { signal: cli.io.stop })
  const { maxClockSkewSeconds } = house.config.closing
  const tryList = (noun: string, read: () => Promise<Answer<unknown[]>>) =>
    attempt(`${channel.key} ${noun}`, 'check baseUrl and the network, and try again', async () => {
      const begun = performance.now()
      const { value, readAt, serverDate } = await read()
      const took = `${count(value.length, noun.replace(/s$/, ''))} in ${((performance.now() - begun) / 1000).toFixed(1)} s`
      const skew = clockFinding({ readAt, answeredAt: cli.io.now(), serverDate, maxClockSkewSeconds })
      return {
        ok: true,
        found: skew ? `${took}; ${skew}` : took,
        remedy: skew && channel.autoClose === 'on' ? NO_CLOSING : '',
      }
    })
  return [await tryList('listings', () => session.listListings()), await tryList('RFQs', () => session.listRfqs())]
}

const NO_CLOSING = 'nothing is closed until the clocks agree: set this machine by NTP, or tell the marketplace'

interface Clocks {
  readAt: Date
  answeredAt: Date
  serverDate: Date | null
  maxClockSkewSeconds: number
}

/** What is wrong with the clocks, or null. The Date header has whole seconds and is as old as its answer. */
function clockFinding({ readAt, answeredAt, serverDate, maxClockSkewSeconds }: Clocks): string | null {
  if (serverDate === null) return 'its answer has no Date'
  const early = (readAt.getTime() - serverDate.getTime()) / 1000 - 1
  const late = (serverDate.getTime() - answeredAt.getTime()) / 1000
  const skew = Math.max(early, late, 0)
  return skew > maxClockSkewSeconds
    ? `its clock is ${Math.round(skew)} s ${late > 0 ? 'ahead of' : 'behind'} ours`
    : null
}

const COLUMNS: Column<Finding>[] = [
  { header: 'What', cell: ({ what }) => what },
  { header: 'Result', cell: ({ ok }) => (ok ? 'ok' : 'FAILED') },
  { header: 'Found', cell: ({ found }) => found, min: 40, overflow: 'wrap' },
]

function tellRemedies({ io }: Cli, findings: readonly Finding[]): void {
  const open = findings.filter(({ ok, remedy }) => !ok || remedy !== '')
  for (const { what, found, remedy } of open) {
    io.err(`\n${what}: ${clean(found)}\n${remedy === '' ? '' : `  → ${remedy}\n`}`)
  }
  if (open.length === 0) io.err('\nEverything is ready: quotekeeper start\n')
}
