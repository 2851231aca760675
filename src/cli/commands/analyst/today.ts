import { cleanLine } from '../../../core/text/clean-text.js'
import { formatCount, formatTotal } from '../../../core/text/number-format.js'
import { formatMinute } from '../../../core/time/clock.js'
import { DUE_WITHIN_DAYS, rfqs as list } from '../../../tables/lists/rfqs.js'
import { printTerminal } from '../../../tables/print/terminal.js'
import { wrap } from '../../../tables/print/text-width.js'
import { type Matter, matterSubject } from '../../../tables/today/matters.js'
import { movedText, type Today, todayJson } from '../../../tables/today/today.js'
import { withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { channelOption, jsonOption, type SharedOptions, wholeNumber, withExamples } from '../../input/options.js'
import { parseReadFilter, parseTimeOption } from '../../input/read-filter.js'
import { bold, printJson, tableWidth } from '../../output/output.js'
import { noteOtherSettings } from '../../service/keep-figures.js'

type Options = SharedOptions & { since?: string; limit: number }

/** `today`: what waits for a person. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .option(
      '--since <time>',
      'only what moved since then: yesterday, "2 days ago", 2026-01-31 or 2026-01-31T12:00Z (default: the last working day)',
    )
    .option('--limit <number>', 'show at most so many rows (default: 50)', wholeNumber(1, 1_000_000), 50)
    .addOption(jsonOption('print JSON'))
    .action(({ limit, since, ...options }: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options)
        await noteOtherSettings(cli, app, store)
        const views = await app.views()
        const moment = since === undefined ? {} : { since: parseTimeOption(cli, '--since', since) }
        const found = await views.today({ ...filter, ...moment, limit, now: cli.io.now() })
        if (options.json) printJson(cli.io, todayJson(found))
        else printToday(cli, found)
      }),
    )
  withExamples(command, ['quotekeeper today', 'what waits for a person, most urgent first'])
}

function printToday(cli: Cli, today: Today): void {
  const { io } = cli
  const { rfqs, closings, system, summary } = today
  const moved = today.moved.map((each) => cleanLine(movedText(each)))
  const since = `Since ${formatMinute(today.since)} UTC: ${moved.join(' ') || 'no award or recommendation moved.'}`
  io.out(`${summaryText(today)}\n${since}\n`)
  if (rfqs.length === 0) io.out('\nNo RFQ waits for a person.\n')
  else
    io.out(
      `\n${printTerminal(list.columns, rfqs, { width: tableWidth(io), emphasize: (text) => bold(io, text) }).text}`,
    )
  if (summary.waiting > rfqs.length)
    io.err(`${formatCount(summary.waiting - rfqs.length, 'more RFQ')}; --limit ${summary.waiting} shows all.\n`)
  printMatters(cli, 'Closings', closings)
  printMatters(cli, 'System', system)
  io.out(`\nWhat changed: quotekeeper changes --since ${formatMinute(today.since).replace(' ', 'T')}Z\n`)
}

/** `25 RFQs wait for a person; 12 are due within 7 days, 3 overdue; 40 open. At stake: accepted 12,000 USD; recommended 1,204,000 USD.` */
function summaryText({ summary: { open, due, overdue, waiting, atStake }, closings, system }: Today): string {
  const stakes = atStake.map(({ kind, currency, total }) => `${kind} ${cleanLine(formatTotal(total, currency))}`)
  const others = [
    ...(closings.length > 0 ? [`${closings.length} about closing`] : []),
    ...(system.length > 0 ? [`${system.length} about the system`] : []),
  ]
  return [
    `${formatCount(waiting, 'RFQ')} ${waiting === 1 ? 'waits' : 'wait'} for a person; ${due} due within ${DUE_WITHIN_DAYS} days, ${overdue} overdue; ${open} open.`,
    ...(stakes.length === 0 ? [] : [`At stake: ${stakes.join('; ')}.`]),
    ...(others.length === 0 ? [] : [`Below the RFQs: ${others.join(', ')}.`]),
  ].join('\n')
}

function printMatters({ io }: Cli, title: string, matters: readonly Matter[]): void {
  if (matters.length === 0) return
  io.out(`\n${bold(io, title)}\n`)
  for (const matter of matters) {
    const { message, command } = matter
    const lines = wrap(cleanLine(`${matterSubject(matter)}: ${message}`), tableWidth(io) - 2)
    io.out([...lines, ...(command === null ? [] : [`  $ ${cleanLine(command)}`])].map((line) => `  ${line}\n`).join(''))
  }
}
