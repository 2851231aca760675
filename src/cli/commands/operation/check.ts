import { cleanLine } from '../../../core/text/clean-text.js'
import { padEnd, wrap } from '../../../tables/print/text-width.js'
import { type App, withApp } from '../../app.js'
import { type Check, type Finding, failed, localChecks } from '../../check/local-checks.js'
import { marketplaceChecks } from '../../check/marketplace-checks.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { jsonOption, type SharedOptions, withExamples } from '../../input/options.js'
import { errorMessage } from '../../output/error-message.js'
import { printJson, tableWidth } from '../../output/output.js'
import type { Io } from '../../process/process-io.js'
import { untilStopped } from '../../runs/stop-signals.js'

/** `check`: tests everything that `start` needs. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(jsonOption())
    .action((options: SharedOptions) => withApp(cli, APP_OPTIONS, (app) => check(cli, app, options)))
  withExamples(command, ['quotekeeper check', 'test everything before quotekeeper start'])
}

// Logs are off because every failure is printed with its remedy.
const APP_OPTIONS = { secrets: 'required', defaultLevel: 'silent' } as const

async function check(cli: Cli, app: App, options: SharedOptions): Promise<void> {
  const checks = [...localChecks(app, cli.io.now()), ...marketplaceChecks(cli, app)]
  const print = options.json ? null : rowPrinter(cli.io, checks)
  const findings: Finding[] = []
  // Whatever the check waits for.
  const stopped = untilStopped(cli.io.stop).then(() => Promise.reject(cli.io.stop.reason))
  stopped.catch(() => undefined)
  for (const each of checks) {
    const finding = scrubbed(cli, await Promise.race([stopped, runCheck(each)]))
    findings.push(finding)
    print?.(finding)
  }
  if (options.json) printJson(cli.io, findings)
  printRemedies(cli, findings, options)
  cli.status = findings.every(({ ok }) => ok) ? 0 : 1
}

/** Errors of libraries may quote what they were given. */
const scrubbed = ({ scrub }: Cli, { found, remedy, ...finding }: Finding): Finding => ({
  ...finding,
  found: scrub(found),
  remedy: scrub(remedy),
})

async function runCheck({ what, run }: Check): Promise<Finding> {
  try {
    return { what, ...(await run()) }
  } catch (error) {
    // Messages of errors include their remedy.
    return { what, ...failed(errorMessage(error)) }
  }
}

function resultOf({ ok, remedy }: Pick<Finding, 'ok' | 'remedy'>): string {
  if (!ok) return 'FAILED'
  return remedy === '' ? 'ok' : 'warning'
}

const MIN_DETAILS_WIDTH = 20

/** Prints each row as it comes. */
function rowPrinter(io: Io, checks: readonly Check[]) {
  const widths = [Math.max(...checks.map(({ what }) => what.length)), 'warning'.length] as const
  const detailsWidth = Math.max(MIN_DETAILS_WIDTH, tableWidth(io) - widths[0] - widths[1] - 4)
  const line = (what: string, result: string, details: string) =>
    io.out(`${padEnd(what, widths[0])}  ${padEnd(result, widths[1])}  ${details}`.trimEnd().concat('\n'))
  line('Check', 'Result', 'Details')
  return ({ what, found, ...result }: Finding) => {
    const [first = '', ...rest] = wrap(cleanLine(found), detailsWidth)
    line(what, resultOf(result), first)
    for (const each of rest) line('', '', each)
  }
}

/** Each failure and each warning once: the table has shown what was found, JSON has not. */
function printRemedies({ io }: Cli, findings: readonly Finding[], { json }: SharedOptions): void {
  const failures = findings.filter(({ ok }) => !ok)
  for (const { what, found, remedy } of findings.filter(({ ok, remedy }) => !ok || remedy !== '')) {
    const lines = [...(json ? [cleanLine(found)] : []), ...(remedy === '' ? [] : [`→ ${remedy}`])]
    if (lines.length > 0) io.err(`\n${what}: ${lines.join('\n  ')}\n`)
  }
  if (failures.length > 0) io.err(`\n${failures.length} of ${findings.length} checks failed.\n`)
  else io.err('\nAll checks passed. Run `quotekeeper start` to start the service.\n')
}
