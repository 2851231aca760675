import { dirname } from 'node:path'
import type { AnchorTarget } from '../../anchors/anchor-target.js'
import { clockProblem } from '../../closing/clock-skew.js'
import { closingKillSwitch } from '../../closing/kill-switch.js'
import { isExampleAddress } from '../../config/example.js'
import type { ChannelConfig } from '../../config.js'
import type { Clock } from '../../domain/clock.js'
import type { ChannelSession, ReadResult } from '../../marketplace/contract.js'
import { UnavailableError } from '../../marketplace/errors.js'
import { once } from '../../once.js'
import type { Store } from '../../store/contract.js'
import { VERSION } from '../../version.js'
import { type App, withServices } from '../app.js'
import type { Cli, RegisterCommand } from '../cli-context.js'
import { connectTo } from '../connect-to.js'
import { errorMessage, isUserFacing } from '../error-message.js'
import { looseFiles } from '../file-permissions.js'
import { type JsonOption, jsonOption, withExamples } from '../options.js'
import { formatMinute, printJson, printTable } from '../output.js'
import { refuseNeededFile } from '../output-file.js'
import type { Io } from '../process-io.js'
import type { Column } from '../terminal-table.js'
import { padEnd, plural, sanitize, wrap } from '../terminal-text.js'

/** The result of one check. */
interface Finding {
  what: string
  ok: boolean
  /** What was found, or the error. */
  found: string
  /** What to do about it; empty if there is nothing to do, or if `found` says it. */
  remedy: string
}

interface Check {
  what: string
  run: () => Promise<Omit<Finding, 'what'>>
  /** What to do about an error whose message has no remedy. */
  remedy: string
}

/** A list that takes longer counts as failed, in milliseconds: `check` answers within seconds. */
const MAX_READ_MS = 10_000

/** `check`: tests everything that `start` needs. */
export const register: RegisterCommand = (command, cli) => {
  // Logs are off because every failure is printed with its remedy.
  command
    .addOption(jsonOption())
    .action((options: JsonOption) => withServices(cli, (app) => check(cli, app, options), 'silent'))
  withExamples(command, ['quotekeeper check', 'test everything before quotekeeper start'])
}

async function check(cli: Cli, app: App, options: JsonOption): Promise<void> {
  const checks = [...localChecks(app, cli.io.now), ...marketplaceChecks(cli, app)]
  const print = options.json ? null : rowPrinter(cli.io, checks)
  const findings: Finding[] = []
  for (const each of checks) {
    print?.started(each)
    const finding = scrubbed(cli, await untilAborted(runCheck(each), cli.io.stop))
    findings.push(finding)
    print?.finished(finding)
  }
  if (options.json) printJson(cli.io, findings)
  else print?.end(findings)
  printRemedies(cli, findings, options)
  cli.status = findings.every(({ ok }) => ok) ? 0 : 1
}

/** Errors of libraries may quote what they were given. */
const scrubbed = ({ scrub, runnable }: Cli, { found, remedy, ...finding }: Finding): Finding => ({
  ...finding,
  found: runnable(scrub(found)),
  remedy: runnable(scrub(remedy)),
})

async function runCheck({ what, run, remedy }: Check): Promise<Finding> {
  try {
    return { what, ...(await run()) }
  } catch (error) {
    // Our own errors include their remedy, except for a marketplace that cannot be reached.
    const hasRemedy = error instanceof Error && isUserFacing(error) && error.name !== 'UnavailableError'
    return { what, ok: false, found: errorMessage(error), remedy: hasRemedy ? '' : remedy }
  }
}

/** Ends with the reason of the signal as soon as it is aborted, whatever the check waits for. */
function untilAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

const passed = (found: string) => ({ ok: true, found, remedy: '' })
/** Everything works, but the remedy is advisable. */
const warning = (found: string, remedy: string) => ({ ok: true, found, remedy })
const failed = (found: string, remedy = '') => ({ ok: false, found, remedy })

// --- this machine -----------------------------------------------------------------------------------------------------

const START_QUEUE = 'start the queue server, or set `queue: in-process` to run without one'

const localChecks = (app: App, now: Clock): Check[] => [
  { what: 'configuration', remedy: '', run: async () => checkConfiguration(app) },
  { what: 'database', remedy: 'check the path under `database:` in the configuration', run: () => checkDatabase(app) },
  { what: 'closing', remedy: '', run: () => checkClosing(app, now()) },
  ...(app.config.anchors.to === null ? [] : [{ what: 'anchors', remedy: '', run: () => checkAnchors(app) }]),
  {
    what: 'queue',
    remedy: START_QUEUE,
    run: () => checkQueue(app),
  },
  {
    what: 'reports',
    remedy: 'check the path under `reports.directory:` in the configuration',
    run: () => checkReports(app),
  },
  { what: 'permissions', remedy: '', run: async () => checkPermissions(app) },
]

function checkConfiguration({ config }: App) {
  const found = `${config.file}, ${plural(config.channels.length, 'channel')}`
  if (!isExampleAddress(config.baseUrl)) return passed(found)
  return failed(
    `${config.file}: baseUrl is still the example address ${config.baseUrl}`,
    'set baseUrl to the address of your marketplace',
  )
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
/** A smaller share of unused space is not worth showing. */
const MIN_UNUSED_SHOWN = 0.1

async function checkDatabase(app: App) {
  const store = await app.store()
  const { ok, message, bytes, freeBytes, schemaVersion } = await store.check()
  const unused = freeBytes > MIN_UNUSED_SHOWN * bytes ? ` (${megabytes(freeBytes)} unused)` : ''
  const found = `${store.path}: ${message}, ${megabytes(bytes)}${unused}, schema ${schemaVersion}`
  if (!ok) return failed(found, 'stop Quotekeeper and restore a backup: quotekeeper restore FILE')
  const writing = await store.checkWritable()
  if (writing.ok) return passed(`${found}; ${writing.message}`)
  const named = writing.message.includes(store.path) ? writing.message : `${store.path}: ${writing.message}`
  return failed(named, 'nothing can be recorded until the database can be written')
}

/** The queue accepts jobs, and no other database uses it. */
async function checkQueue(app: App) {
  const runner = await app.runner()
  const { ok, message } = await runner.ping()
  if (!ok) return failed(message, START_QUEUE)
  const store = await app.store().catch(() => null)
  if (store === null || app.config.queue.kind === 'in-process') return passed(message)
  const { queueDatabase } = await import('../../../jobs/queue-database.js')
  const owner = await runner.checkDatabase(await queueDatabase(store))
  return owner.ok ? passed(`${message}; ${owner.message}`) : failed(owner.message)
}

/** Nothing may keep RFQs from being closed: no stop file, no round waiting for approval, no close that needs a person. */
async function checkClosing({ config, store }: App, now: Date) {
  const opened = await store().catch(() => null)
  if (opened === null) return failed('not checked: see database')
  const problems = [...stopFileProblem(config), ...(await standingCloses(opened, now))]
  if (problems.length > 0) {
    const remedies = [...new Set(problems.map(({ remedy }) => remedy))]
    return failed(problems.map(({ found }) => found).join('; '), remedies.join('; '))
  }
  return passed(config.closing.enabled ? 'nothing waits for a person' : 'off: closing.enabled is false')
}

function stopFileProblem(config: App['config']) {
  // Turned off in the configuration, closing is off on purpose.
  const reason = config.closing.enabled ? closingKillSwitch(config)() : null
  return reason === null ? [] : [{ found: reason, remedy: 'delete the file when RFQs may be closed again' }]
}

const MAX_NAMED_CLOSES = 5

async function standingCloses(store: Store, now: Date) {
  const [unsettled, plans] = await Promise.all([store.unsettledCloses({ now }), store.heldPlans({ now })])
  const closes = unsettled.map(({ channel, rfqId, rfqNumber, outcome, since, remedy }) => ({
    found: `RFQ ${rfqNumber ?? rfqId} of ${channel}: ${outcome} since ${formatMinute(since)}`,
    remedy,
  }))
  const more = closes.length - MAX_NAMED_CLOSES
  return [
    ...closes.slice(0, MAX_NAMED_CLOSES),
    ...(more > 0 ? [{ found: `${more} more`, remedy: 'see all with: quotekeeper decisions' }] : []),
    ...plans.map(({ plan, channel, rfqIds, remedy }) => ({
      found: `plan ${plan} of ${channel} waits for approval (${plural(rfqIds.length, 'RFQ')})`,
      remedy,
    })),
  ]
}

/** The target accepts anchors, the newest one fits, and the last attempt of the service succeeded. */
async function checkAnchors({ config, store }: App) {
  const target = config.anchors.to as AnchorTarget
  if (target.kind === 'file') {
    refuseNeededFile(target.path, config)
    const { requireContinuing } = await import('../../anchors/write-anchor.js')
    const { probeFolder } = await import('../../store/write-check.js')
    await requireContinuing(await store(), target.path)
    await probeFolder(dirname(target.path))
  }
  const reached = target.kind === 'url' ? await connectTo(target.url, 'anchors.to') : `${target.path}: writable`
  const state = await (await store()).maintenanceState('anchor')
  if (state !== null && state.failures > 0)
    return failed(`the last anchor failed (${formatMinute(state.attemptedAt)} UTC): ${state.error}`, ANCHOR_BY_HAND)
  return passed(state?.succeededAt ? `${reached}; last anchor ${formatMinute(state.succeededAt)} UTC` : reached)
}

const ANCHOR_BY_HAND = 'when the cause is removed, the service tries again within an hour'

async function checkReports({ config }: App) {
  const { directory } = config.reports
  const [{ makeFolder }, { probeFolder }] = await Promise.all([
    import('../../make-folder.js'),
    import('../../store/write-check.js'),
  ])
  makeFolder(directory)
  await probeFolder(directory)
  return passed(`${directory}: writable`)
}

/** A warning only: everything works, but others may read offers and keys. */
function checkPermissions({ config }: App) {
  const loose = looseFiles(config)
  if (loose.length === 0) return passed('only this user may read the database and the keys')
  return warning(loose.map(({ found }) => found).join('; '), loose.map(({ remedy }) => remedy).join(' && '))
}

// --- the marketplace --------------------------------------------------------------------------------------------------

const NETWORK = 'check baseUrl, the network and the firewall, then try again'
const NO_CLOSING =
  'RFQs are not closed while the clocks differ: synchronize this machine with NTP, or contact the marketplace'

/**
 * The address first, then the first channel, then the others at the same time. Where a check gets no reply, the ones after
 * it would only wait for the same error.
 */
function marketplaceChecks(cli: Cli, app: App): Check[] {
  const { baseUrl, channels } = app.config
  const reachable = once(async () => {
    if (isExampleAddress(baseUrl)) return failed('not checked: baseUrl is the example address')
    return passed(await connectTo(baseUrl, 'baseUrl'))
  })
  const context: ChannelContext = { cli, app, sessionOf: sessionOpener(cli, app), reachable, unanswered: null }
  const [first = [], ...others] = channels.map((channel) => channelChecks(context, channel))
  const firstDone = once(() => Promise.allSettled(first.map(({ run }) => run())))
  const later = others.flat().map(({ run, ...check }) => ({
    ...check,
    run: once(async () => {
      await firstDone()
      return context.unanswered === null ? run() : failed(`not checked: see ${context.unanswered}`)
    }),
  }))
  const address = async () => {
    const result = await reachable()
    void firstDone().then(() => Promise.allSettled(later.map(({ run }) => run())))
    return result
  }
  return [{ what: 'marketplace', remedy: NETWORK, run: address }, ...first, ...later]
}

interface ChannelContext {
  cli: Cli
  app: App
  sessionOf: (channel: ChannelConfig) => Promise<ChannelSession>
  reachable: () => Promise<Omit<Finding, 'what'>>
  /** The first check to which the marketplace sent no reply, or null. */
  unanswered: string | null
}

/** Opens sessions on a client of its own, without retries and with a deadline of seconds. */
function sessionOpener({ io }: Cli, app: App) {
  const { baseUrl, requests } = app.config
  const limits = { ...requests, retries: 0, timeoutMs: Math.min(requests.timeoutMs, MAX_READ_MS) }
  const open = once(async () => {
    const { createMarketplace } = await import('../../marketplace/client.js')
    // Without a database, these few requests have their own limits.
    const store = await app.store().catch(() => null)
    const ledger = store?.requestLedger(new URL(baseUrl).origin)
    const marketplace = createMarketplace({ baseUrl, limits, ledger, version: VERSION, now: io.now })
    app.onClose(() => marketplace.close())
    return marketplace
  })
  return async (channel: ChannelConfig) => (await open()).session(channel, { signal: io.stop })
}

function channelChecks(context: ChannelContext, channel: ChannelConfig): Check[] {
  const { io } = context.cli
  const { closing } = context.app.config
  const session = once(() => context.sessionOf(channel))
  const closes = channel.autoClose !== 'off' && closing.enabled

  const readList = async (
    what: string,
    noun: string,
    read: (from: ChannelSession) => Promise<ReadResult<unknown[]>>,
  ) => {
    const startedAt = performance.now()
    const { value, readAt, serverDate } = await read(await session()).catch((error: unknown) => {
      if (error instanceof UnavailableError && error.status === null) context.unanswered ??= what
      throw error
    })
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    const skew = clockProblem({ readAt, answeredAt: io.now(), serverDate }, closing.maxClockSkewSeconds)
    return { summary: `${plural(value.length, noun)} in ${seconds} s`, skew }
  }
  const isReachable = () =>
    context.reachable().then(
      ({ ok }) => ok,
      () => false,
    )
  const [listings, rfqs] = [`${channel.key} listings`, `${channel.key} RFQs`]
  const readListings = once(async () => {
    if (!(await isReachable())) return failed('not checked: see marketplace')
    const { summary } = await readList(listings, 'listing', (from) => from.listListings())
    return passed(summary)
  })
  const readRfqs = once(async () => {
    if (!(await isReachable())) return failed('not checked: see marketplace')
    const before = await readListings().catch(() => null)
    if (!before?.ok) return failed(`not checked: see ${listings}`)
    const { summary, skew } = await readList(rfqs, 'RFQ', (from) => from.listRfqs())
    if (skew === null) return passed(summary)
    return closes ? failed(`${summary}; ${skew}`, NO_CLOSING) : passed(`${summary}; ${skew}`)
  })
  return [
    { what: listings, remedy: NETWORK, run: readListings },
    { what: rfqs, remedy: NETWORK, run: readRfqs },
  ]
}

// --- output -----------------------------------------------------------------------------------------------------------

const COLUMNS: Column<Finding>[] = [
  { header: 'Check', cell: ({ what }) => what },
  { header: 'Result', cell: resultOf },
  { header: 'Details', cell: ({ found }) => found, min: 40, overflow: 'wrap' },
]
function resultOf({ ok, remedy }: Pick<Finding, 'ok' | 'remedy'>): string {
  if (!ok) return 'FAILED'
  return remedy === '' ? 'ok' : 'warning'
}

interface RowPrinter {
  started(check: Check): void
  finished(finding: Finding): void
  end(findings: readonly Finding[]): void
}

const MIN_DETAILS_WIDTH = 20

/** On a terminal, prints each row as it comes, and which check is running; elsewhere the whole table at the end. */
function rowPrinter(io: Io, checks: readonly Check[]): RowPrinter {
  const { width } = io
  const end = (findings: readonly Finding[]) => printTable(io, COLUMNS, findings, '')
  if (width === null) return { started: () => undefined, finished: () => undefined, end }
  const widths = [Math.max(...checks.map(({ what }) => what.length)), 'warning'.length] as const
  const detailsWidth = Math.max(MIN_DETAILS_WIDTH, width - widths[0] - widths[1] - 4)
  const line = (what: string, result: string, details: string) =>
    io.out(`${padEnd(what, widths[0])}  ${padEnd(result, widths[1])}  ${details}`.trimEnd().concat('\n'))
  const note = (text: string) => (io.stderrIsTerminal ? io.err(`\r\u001b[K${text}`) : undefined)
  line('Check', 'Result', 'Details')
  return {
    started: ({ what }) => note(`Checking ${what} …`),
    finished: ({ what, found, ...result }) => {
      note('')
      const [first = '', ...rest] = wrap(sanitize(found), detailsWidth)
      line(what, resultOf(result), first)
      for (const each of rest) line('', '', each)
    },
    end: () => undefined,
  }
}

/** Each failure and each warning once: the table has shown what was found, JSON has not. */
function printRemedies({ io }: Cli, findings: readonly Finding[], { json }: JsonOption): void {
  const failures = findings.filter(({ ok }) => !ok)
  for (const { what, found, remedy } of findings.filter(({ ok, remedy }) => !ok || remedy !== '')) {
    const lines = [...(json ? [sanitize(found)] : []), ...(remedy === '' ? [] : [`→ ${remedy}`])]
    if (lines.length > 0) io.err(`\n${what}: ${lines.join('\n  ')}\n`)
  }
  if (failures.length > 0) io.err(`\n${failures.length} of ${findings.length} checks failed.\n`)
  else io.err('\nAll checks passed. Run `quotekeeper start` to start the service.\n')
}
