import stringWidth from 'string-width'
import { createFindClockSkewBlock, createFindClosingBlocker } from '../../../closing/closing-blockers.js'
import { formatTotal } from '../../../core/text/number-format.js'
import { createPollChecks } from '../../../readiness/poll-freshness.js'
import type { Store } from '../../../store/contract.js'
import { plural, sanitize } from '../../../tables/print/terminal-text.js'
import { padEnd, truncate, wrap } from '../../../tables/print/text-width.js'
import { createRfqList } from '../../../tables/rfqs/rfq-list.js'
import {
  DUE_WITHIN_DAYS,
  type Today,
  type TodayItem,
  type TodayRfq,
  type TodaySeverity,
  type TodaySource,
} from '../../../tables/today/today-view.js'
import { type App, withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import {
  type ChannelOption,
  channelOption,
  csvOption,
  jsonOption,
  limitOption,
  type SinceOption,
  sinceOption,
  wholeNumber,
  withExamples,
} from '../../input/options.js'
import { databaseNow, parseReadFilter, parseTimeOption } from '../../input/read-filter.js'
import { shownChannels } from '../../input/select-channels.js'
import { describeFreshness } from '../../output/freshness.js'
import { type ListColumns, type ListOptions, printFreshness, printList } from '../../output/list.js'
import { bold, formatMinute, printJson, tableWidth } from '../../output/output.js'

type Options = ChannelOption & SinceOption & ListOptions & { dueWithin: number }

/** `today`: lists what needs attention. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .addOption(sinceOption('what changed', 'yesterday'))
    .option(
      '--due-within <days>',
      `open RFQs due within so many days (default: ${DUE_WITHIN_DAYS})`,
      wholeNumber(0, 3650),
      DUE_WITHIN_DAYS,
    )
    .addOption(limitOption(50))
    .addOption(jsonOption('print JSON'))
    .addOption(csvOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options)
        const [{ today }, { recordRecommendations }] = await Promise.all([
          import('../../../tables/today/today.js'),
          import('../../service/keep-recommendations.js'),
        ])
        await recordRecommendations(cli, app)
        const found = await today(createTodaySource(app, store), {
          ...filter,
          now: await databaseNow(store, cli.io.now()),
          since: await parseTimeOption(cli, store, '--since', options.since ?? 'yesterday'),
          dueWithinDays: options.dueWithin,
          page: { from: 0, to: options.limit ?? Number.MAX_SAFE_INTEGER },
        })
        if (options.json) printJson(cli.io, found)
        else if (options.csv) printList(cli, { columns: COLUMNS, rows: itemsOf(found), emptyText: '' }, options)
        else printToday(cli, found)
        const { rfqs, totalRfqs } = found
        if (totalRfqs > rfqs.length)
          cli.io.err(`${plural(totalRfqs - rfqs.length, 'more RFQ')}; --limit ${totalRfqs} shows all.\n`)
        if (options.json || options.csv) return
        const channels = shownChannels(app.config, filter.channel)
        printFreshness(cli.io, await describeFreshness(cli, store, { channels, kind: 'rfqs' }))
      }),
    )
  withExamples(
    command,
    ['quotekeeper today', 'what needs attention, most urgent first'],
    ['quotekeeper today --since Monday --due-within 14', 'changes since Monday, and RFQs due within two weeks'],
  )
}

/** What the list of what needs attention is made from, with the rules of the configured channels. */
function createTodaySource({ config }: Pick<App, 'config'>, store: Store): TodaySource {
  const { channels } = config
  return {
    store,
    config,
    channels,
    settings: config.reports.settings,
    rfqs: createRfqList({ store, channels, settings: config.reports.settings }),
    pollChecks: createPollChecks(config, store),
    findClosingBlocker: createFindClosingBlocker(config, store),
    findClockSkewBlock: createFindClockSkewBlock(store),
  }
}

/** What is printed of RFQs, closings and the system alike. */
type PrintedItem = TodayItem | TodayRfq

const itemsOf = ({ rfqs, closings, system }: Today): PrintedItem[] => [...rfqs, ...closings, ...system]

const HEADINGS: Record<TodaySeverity, string> = { high: 'Now', medium: 'Soon', low: 'News' }

function printToday(cli: Cli, found: Today): void {
  const { io } = cli
  const { rfqs, closings, system, since, dueWithinDays } = found
  const of = ({ severity: wanted }: { severity: TodaySeverity }) => rfqs.filter(({ severity }) => severity === wanted)
  const groups: [string, readonly PrintedItem[]][] = [
    ...(Object.keys(HEADINGS) as TodaySeverity[]).map((severity): [string, readonly PrintedItem[]] => [
      HEADINGS[severity],
      of({ severity }),
    ]),
    ['Closings', closings],
    ['System', system],
  ]
  io.out(`${summaryText(found)}\n`)
  io.out(`RFQs due within ${plural(dueWithinDays, 'day')}, changes since ${formatMinute(since)} UTC\n`)
  const all = itemsOf(found)
  if (all.length === 0) io.out('\nNothing needs attention.\n')
  for (const [heading, items] of groups) {
    if (items.length > 0) io.out(`\n${bold(io, heading)}\n${items.map((item) => itemLines(cli, item, all)).join('')}`)
  }
}

/** `12 open RFQs worth 1,204,000 USD, 4 due, 1 overdue, 5 waiting`. */
function summaryText({ summary: { open, values, due, overdue, waiting } }: Today): string {
  const value = values.map(({ total, currency }) => sanitize(formatTotal(total, currency))).join(' and ')
  return [
    `${plural(open, 'open RFQ')}${value === '' ? '' : `, ${value} at stake`}`,
    `${due} due soon`,
    `${overdue} overdue`,
    `${waiting} waiting for a person`,
  ].join('; ')
}

const COLUMNS: ListColumns<PrintedItem> = [
  { header: 'Severity', cell: ({ severity }) => severity },
  { header: 'Kind', cell: ({ kind }) => kind },
  { header: 'Channel', cell: ({ channel }) => channel },
  { header: 'RFQ', cell: ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId },
  { header: 'Title', cell: ({ rfqTitle }) => rfqTitle },
  { header: 'Due', cell: ({ dueDate }) => dueDate },
  { header: 'Since', cell: ({ since }) => since },
  { header: 'Message', cell: ({ message }) => message },
  { header: 'Command', cell: ({ action }) => action.command },
]

const MAX_LABEL_WIDTH = 36
const MAX_TITLE_WIDTH = 60
/** Narrower text is hard to read. */
const MIN_TEXT_WIDTH = 30

const labelOf = ({ rfqNumber, rfqId, channel }: PrintedItem) =>
  truncate(sanitize(rfqId === null ? channel : `RFQ ${rfqNumber ?? rfqId} ${channel}`), MAX_LABEL_WIDTH)

/** What happened, and below it what to run. */
function itemLines({ io, runnable }: Cli, item: PrintedItem, all: readonly PrintedItem[]): string {
  const labelWidth = Math.max(...all.map((each) => stringWidth(labelOf(each))))
  const width = Math.max(MIN_TEXT_WIDTH, tableWidth(io) - labelWidth - 4)
  const title = item.rfqTitle === null ? '' : ` “${truncate(sanitize(item.rfqTitle), MAX_TITLE_WIDTH)}”`
  const [first = '', ...more] = wrap(`${sanitize(item.message)}${title}`, width)
  const indent = ' '.repeat(labelWidth + 4)
  return [
    `  ${padEnd(labelOf(item), labelWidth)}  ${first}`,
    ...more.map((line) => `${indent}${line}`),
    // A command is never broken, so that it can be copied.
    `${indent}$ ${sanitize(runnable(item.action.command))}`,
  ]
    .map((line) => `${line}\n`)
    .join('')
}
