import { READ_STATE_TEXT } from '../../../compare/input/stored-documents.js'
import { RFQ_STATES } from '../../../core/documents/documents.js'
import { formatCount, formatPercent, formatPrice, formatRange } from '../../../core/text/number-format.js'
import { didYouMean } from '../../../core/text/suggest.js'
import type { Store } from '../../../store/contract.js'
import { parseDueDate } from '../../../tables/moments.js'
import { formatNumber, sanitize } from '../../../tables/print/terminal-text.js'
import type { RfqFilter, RfqItem, RfqQuery } from '../../../tables/rfqs/rfqs.js'
import type { Views } from '../../../tables/views.js'
import { withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { UsageError } from '../../cli-error.js'
import {
  type ChannelOption,
  channelOption,
  jsonOption,
  limitOption,
  type SinceOption,
  sinceOption,
  withExamples,
} from '../../input/options.js'
import { databaseNow, parseReadFilter, parseTimeOption } from '../../input/read-filter.js'
import { shownChannels } from '../../input/select-channels.js'
import { openViews } from '../../open-views.js'
import { describeFreshness } from '../../output/freshness.js'
import { addListOptions, type ListColumns, type ListOptions, printList, rowsToRead } from '../../output/list.js'
import { formatMinute } from '../../output/output.js'

type Filters = SinceOption & { state?: string; dueBefore?: string }
type Options = ChannelOption & ListOptions & Filters

/** `rfqs`: lists RFQs. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .option('--state <state>', 'only RFQs in this state, such as open or closed')
    .option('--due-before <date>', 'only RFQs due before this date: 2026-01-31, tomorrow or "in 7 days"')
    .addOption(sinceOption('RFQs that, or offers of which, are new or changed'))
    .addOption(limitOption())
    .addOption(jsonOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options, 'rfqs')
        const { recordRecommendations } = await import('../../service/keep-recommendations.js')
        await recordRecommendations(cli, app)
        const views = await openViews(app, store)
        const moment = { now: await databaseNow(store, cli.io.now()), ...filter }
        const query = { ...moment, ...(await readFilter(cli, store, views, options)) }
        const rows = await readRows(views, query, rowsToRead(options))
        const none = { ...moment, page: { from: 0, to: 0 }, figures: false }
        const total = rows.length === 0 ? (await views.rfqs(none)).total : rows.length
        const emptyText =
          total === 0 ? 'No RFQs found. `quotekeeper sync` polls the marketplace.' : `None of the ${total} RFQs match.`
        const shown = await shownChannels(app.config, store, filter.channel)
        // Polls read closed ones again only after hours.
        const open = rows.filter(({ state }) => state !== 'closed')
        const sources = { channels: shown, kind: 'rfqs', rfqs: open } as const
        const freshness = await describeFreshness(cli, store, sources)
        printList(cli, { columns: COLUMNS, rows, emptyText, freshness }, options)
      }),
    )
  addListOptions(command, COLUMNS)
  withExamples(
    command,
    ['quotekeeper rfqs --state open', 'the open RFQs, due soonest first'],
    ['quotekeeper rfqs --due-before "in 7 days" --sort -offers', 'due within a week, most offers first'],
    ['quotekeeper rfqs --since yesterday', 'with news since yesterday'],
  )
}

/** RFQs whose figures are read at once: if none is recorded, so many are computed. */
const BATCH = 1_000

async function readRows(
  views: Views,
  query: Omit<RfqQuery, 'page' | 'figures'>,
  max: number | undefined = Number.MAX_SAFE_INTEGER,
): Promise<RfqItem[]> {
  const rows: RfqItem[] = []
  for (let total = max; rows.length < Math.min(total, max); ) {
    const page = { from: rows.length, to: Math.min(rows.length + BATCH, max) }
    const found = await views.rfqs({ ...query, page, figures: true })
    rows.push(...found.items)
    total = found.items.length === 0 ? 0 : found.total
  }
  return rows
}

async function readFilter(cli: Cli, store: Store, views: Views, options: Filters): Promise<RfqFilter> {
  const { state, dueBefore, since } = options
  if (state !== undefined) await refuseUnknownState(views, state, cli.io.now())
  const context = { option: '--due-before', now: cli.io.now() }
  return {
    ...(state !== undefined && { state }),
    ...(dueBefore !== undefined && { dueBefore: parseDueDate(dueBefore, context) }),
    ...(since !== undefined && { changedSince: await parseTimeOption(cli, store, '--since', since) }),
  }
}

/** A state that is neither documented nor in the database is a typo, not a filter that nothing matches. */
async function refuseUnknownState(views: Views, state: string, now: Date): Promise<void> {
  if (RFQ_STATES.some((known) => known === state)) return
  const states = [...new Set([...RFQ_STATES, ...(await views.rfqStates(now))])]
  if (states.includes(state)) return
  const suggestion = didYouMean(state, states)
  throw new UsageError(`no RFQ has the state "${sanitize(state)}"; ${suggestion}Known states: ${states.join(', ')}`)
}

/** Negative: overdue. */
function daysText({ daysToDue, state }: RfqItem): string {
  if (daysToDue === null || state !== 'open') return ''
  return formatNumber(daysToDue)
}

function bestPrice({ figures }: RfqItem): string {
  const price = figures?.bestPricePerTonne ?? null
  return price === null ? '' : `${formatPrice(price)} ${figures?.currency ?? ''}`.trim()
}

function priceLimits({ minUnitPrice, maxUnitPrice, currency }: RfqItem): string {
  const range = formatRange(minUnitPrice, maxUnitPrice, formatPrice)
  return range === null ? '' : `${range} ${currency ?? ''}`.trim()
}

/** The offers that the desk awarded, or else the accepted ones and those that are recommended; empty if there are none. */
function recommendedText({ figures, awarded }: RfqItem, toText: (offers: readonly string[]) => string): string {
  if (awarded !== null) return `${toText(awarded.offers)} (awarded)`
  const { accepted = null, award = null } = figures ?? {}
  const recommended = toText(award?.offers ?? [])
  return accepted === null
    ? recommended
    : [`${toText(accepted.offers)} (accepted)`, recommended].filter(Boolean).join(' + ')
}

function offersText([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${formatCount(others.length, 'other')}`
}

const COLUMNS: ListColumns<RfqItem> = [
  { header: 'Number', cell: ({ number, id }) => number ?? id, align: 'right' },
  { header: 'Reference', cell: ({ reference }) => reference, drop: 6 },
  { header: 'Title', cell: ({ title }) => title, min: 16 },
  { header: 'State', cell: ({ state, missingSince }) => (missingSince ? `${state ?? ''} (missing)` : state) },
  { header: 'Note', cell: ({ readState }) => READ_STATE_TEXT[readState], below: true, hideIfEmpty: true },
  { header: 'Due', cell: ({ responseDueDate }) => responseDueDate },
  { header: 'Days', cell: daysText, value: ({ daysToDue }) => daysToDue, align: 'right', drop: 2 },
  {
    header: 'Offers',
    cell: ({ offers, unreadOffers }) => (unreadOffers === 0 ? offers : `${formatNumber(unreadOffers)} unread`),
    value: ({ offers }) => offers,
    sortValue: ({ offers, unreadOffers }) => offers + unreadOffers,
    align: 'right',
  },
  {
    header: 'Recommended',
    cell: (row) => recommendedText(row, offersText),
    value: (row) => recommendedText(row, (offers) => offers.join(', ')),
    min: 14,
    hideIfEmpty: true,
  },
  {
    header: 'Best price',
    cell: bestPrice,
    value: ({ figures }) => figures?.bestPricePerTonne,
    align: 'right',
    drop: 1,
  },
  { header: 'Best price currency', cell: ({ figures }) => figures?.currency, isExtra: true, inCsv: true },
  {
    header: 'Covered',
    cell: ({ figures }) => (figures?.coverage == null ? '' : formatPercent(figures.coverage)),
    value: ({ figures }) => figures?.coverage,
    align: 'right',
    drop: 2,
  },
  {
    header: 'Tonnes',
    cell: ({ minVolume, maxVolume }) => formatRange(minVolume, maxVolume) ?? '',
    value: ({ minVolume, maxVolume }) => maxVolume ?? minVolume,
    align: 'right',
    drop: 3,
  },
  {
    header: 'Price',
    cell: priceLimits,
    value: ({ minUnitPrice, maxUnitPrice }) => maxUnitPrice ?? minUnitPrice,
    align: 'right',
    drop: 4,
  },
  { header: 'Price currency', cell: ({ currency }) => currency, isExtra: true, inCsv: true },
  { header: 'Best offer', cell: ({ figures }) => figures?.bestPriceOffer, min: 14, isExtra: true },
  { header: 'Ranked', cell: ({ figures }) => figures?.ranked, align: 'right', isExtra: true },
  { header: 'Fulfilment', cell: ({ fulfilmentDueDate }) => fulfilmentDueDate, isExtra: true },
  {
    header: 'Changed (UTC)',
    cell: ({ changedAt }) => formatMinute(changedAt),
    value: ({ changedAt }) => changedAt,
    isExtra: true,
  },
  { header: 'Channel', cell: ({ channel }) => channel, dropIfUniform: 2 },
  { header: 'Unread offers', cell: ({ unreadOffers }) => unreadOffers, align: 'right', isExtra: true, inCsv: true },
]
