import { RFQ_STATES } from '../../../core/documents/documents.js'
import { listDiffLabel, withListMessage } from '../../../core/sources/source-text.js'
import { formatCount, formatPercent, formatPrice, formatRange } from '../../../core/text/number-format.js'
import { didYouMean } from '../../../core/text/suggest.js'
import type { RfqFigures } from '../../../recommendations/rfq-figures.js'
import type { Store } from '../../../store/contract.js'
import { rfqRow, withBody } from '../../../views/document-rows.js'
import type { RfqList, RfqListRow } from '../../../views/rfqs/rfq-list.js'
import { withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { UsageError } from '../../cli-error.js'
import { parseDueDate } from '../../input/moment.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  channelOption,
  jsonOption,
  limitOption,
  type SinceOption,
  sinceOption,
  withExamples,
} from '../../input/options.js'
import { databaseNow, parseReadFilter, parseTimeOption, type ReadFilter } from '../../input/read-filter.js'
import { shownChannels } from '../../input/select-channels.js'
import { zoneOf } from '../../input/time-zone.js'
import { describeFreshness } from '../../output/freshness.js'
import { addListOptions, type ListColumns, type ListOptions, printList, rowsToRead } from '../../output/list.js'
import { formatNumber, sanitize } from '../../output/terminal-text.js'

type Filters = SinceOption & { state?: string; dueBefore?: string }
type Options = ChannelOption & AsOfOption & ListOptions & Filters

/** `rfqs`: lists RFQs. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .option('--state <state>', 'only RFQs in this state, such as open or closed')
    .option('--due-before <date>', 'only RFQs due before this date: 2026-01-31, tomorrow or "in 7 days"')
    .addOption(sinceOption('RFQs that, or offers of which, are new or changed'))
    .addOption(asOfOption())
    .addOption(limitOption())
    .addOption(jsonOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options, 'rfqs')
        const [{ createRfqList }, { recordRecommendations }] = await Promise.all([
          import('../../../views/rfqs/rfq-list.js'),
          import('../../service/keep-recommendations.js'),
        ])
        await recordRecommendations(cli, app)
        const { channels } = app.config
        const list = createRfqList({ store, channels, settings: app.config.reports.settings })
        const moment = { now: await databaseNow(store, cli.io.now()), ...(filter.asOf && { asOf: filter.asOf }) }
        const all = await list.rows({ ...filter, ...moment })
        const wanted = await createFilter(cli, store, { filter, options }, all)
        const rows = await withFigures(list, all.filter(wanted).slice(0, rowsToRead(options)), moment)
        const emptyText =
          all.length === 0
            ? 'No RFQs found. `quotekeeper sync` polls the marketplace.'
            : `None of the ${all.length} RFQs match.`
        const shown = shownChannels(app.config, filter.channel)
        // Polls read closed ones again only after hours.
        const open = rows.filter(({ state }) => state !== 'closed')
        const sources = { channels: shown, kind: 'rfqs', asOf: filter.asOf, rfqs: open } as const
        const freshness = await describeFreshness(cli, store, sources)
        const toJson = options.json ? await jsonRows(store, filter, rows) : undefined
        printList(cli, { columns: COLUMNS, rows, emptyText, freshness, ...(toJson && { toJson }) }, options)
      }),
    )
  addListOptions(command, COLUMNS)
  withExamples(
    command,
    ['quotekeeper rfqs --state open', 'the open RFQs, due soonest first'],
    ['quotekeeper rfqs --due-before "in 7 days" --sort -offers', 'due within a week, most offers first'],
    ['quotekeeper rfqs --since yesterday', 'with news since yesterday'],
    ['quotekeeper rfqs --as-of yesterday --json', 'as known at the end of yesterday, for a script'],
  )
}

/** The currency of the figures is not always that of the RFQ. */
type Row = RfqListRow & Omit<RfqFigures, 'currency'> & { priceCurrency: string | null }

/** RFQs whose figures are read at once: if none is recorded, so many are computed. */
const FIGURES_BATCH = 1_000

async function withFigures(
  list: RfqList,
  rows: readonly RfqListRow[],
  moment: { now: Date; asOf?: Date },
): Promise<Row[]> {
  const all: Row[] = []
  for (let at = 0; at < rows.length; at += FIGURES_BATCH) {
    const batch = rows.slice(at, at + FIGURES_BATCH)
    const figures = await list.figures(batch, moment)
    batch.forEach((row, index) => {
      const { currency: priceCurrency, ...own } = figures[index] as RfqFigures
      all.push({ ...row, ...own, priceCurrency })
    })
  }
  return all
}

async function createFilter(
  cli: Cli,
  store: Store,
  { filter, options }: { filter: ReadFilter; options: Filters },
  all: readonly RfqListRow[],
): Promise<(row: RfqListRow) => boolean> {
  const { state, dueBefore } = options
  if (state !== undefined) await refuseUnknownState(store, state, all)
  const context = { option: '--due-before', now: cli.io.now(), zone: zoneOf(cli) }
  const due = dueBefore === undefined ? null : parseDueDate(dueBefore, context)
  const since = options.since === undefined ? null : await parseTimeOption(cli, store, '--since', options.since)
  const changed = new Set<string>()
  if (since !== null) {
    const { channel, asOf } = filter
    const period = { after: since, ...(channel !== undefined && { channel }), ...(asOf && { asOf }) }
    for (const each of await store.offerRevisions(period)) changed.add(`${each.channel} ${each.rfqId}`)
  }
  return (row) =>
    (state === undefined || row.state === state) &&
    (due === null || (row.responseDueDate !== null && row.responseDueDate < due)) &&
    (since === null || new Date(row.changedAt) > since || changed.has(`${row.channel} ${row.id}`))
}

/** The documents of the rows, with what the list knows about them. */
async function jsonRows(store: Store, filter: ReadFilter, rows: readonly Row[]) {
  const found = await store.rfqs({ ...filter, ids: rows.map(({ id }) => id), withoutResponses: true })
  const documents = new Map(found.map((known) => [`${known.rfq.channel} ${known.rfq.id}`, known]))
  return ({ name: _name, changedAt: _changedAt, channel, id, ...row }: Row) => {
    const known = documents.get(`${channel} ${id}`)
    return {
      ...row,
      ...(known === undefined ? { channel, id } : withBody(rfqRow(known), known.rfq)),
      offers: row.offers,
      listed: withListMessage(row.listed),
    }
  }
}

/** A state that is neither documented nor in the database is a typo, not a filter that nothing matches. */
async function refuseUnknownState(store: Store, state: string, listed: readonly RfqListRow[]): Promise<void> {
  const isKnown = (rows: readonly { state: string | null }[]) => rows.some((row) => row.state === state)
  if (RFQ_STATES.some((known) => known === state) || isKnown(listed)) return
  const stored = (await store.rfqs({ withoutResponses: true })).map((known) => rfqRow(known))
  if (isKnown(stored)) return
  const states = [...new Set([...RFQ_STATES, ...stored.flatMap((row) => row.state ?? [])])]
  const suggestion = didYouMean(state, states)
  throw new UsageError(`no RFQ has the state "${sanitize(state)}"; ${suggestion}Known states: ${states.join(', ')}`)
}

/** Negative: overdue. */
function daysText({ daysToDue, state }: Row): string {
  if (daysToDue === null || state !== 'open') return ''
  return formatNumber(daysToDue)
}

const priceCurrencyOf = ({ priceCurrency, currency }: Row) => priceCurrency ?? currency

const bestPrice = (row: Row) =>
  row.bestPricePerTonne == null ? '' : `${formatPrice(row.bestPricePerTonne)} ${priceCurrencyOf(row) ?? ''}`.trim()

/** The accepted offers, or those that are recommended; empty if there are none. */
function recommendedText({ accepted, award }: Row): string {
  const [first, ...others] = (accepted ?? award)?.offers ?? []
  if (first === undefined) return ''
  const more = others.length === 0 ? '' : ` and ${formatCount(others.length, 'other')}`
  return `${first}${more}${accepted == null ? '' : ' (accepted)'}`
}

const COLUMNS: ListColumns<Row> = ({ label, minute }) => [
  { header: 'Number', cell: ({ number, id }) => number ?? id, align: 'right' },
  { header: 'Reference', cell: ({ reference }) => reference, drop: 6 },
  { header: 'Title', cell: ({ title }) => title, min: 16 },
  { header: 'State', cell: ({ state, missingSince }) => (missingSince ? `${state ?? ''} (missing)` : state) },
  {
    header: 'List says',
    cell: ({ listed }) => listed && listDiffLabel(listed),
    below: true,
    hideIfEmpty: true,
  },
  { header: 'Due', cell: ({ responseDueDate }) => responseDueDate },
  { header: 'Days', cell: daysText, value: ({ daysToDue }) => daysToDue, align: 'right', drop: 2 },
  {
    header: 'Offers',
    cell: ({ offers, unreadOffers }) => (unreadOffers === 0 ? offers : `${formatNumber(unreadOffers)} unread`),
    value: ({ offers }) => offers,
    sortValue: ({ offers, unreadOffers }) => offers + unreadOffers,
    align: 'right',
  },
  { header: 'Recommended', cell: recommendedText, min: 14, hideIfEmpty: true },
  {
    header: 'Best price',
    cell: bestPrice,
    value: ({ bestPricePerTonne }) => bestPricePerTonne,
    align: 'right',
    drop: 1,
  },
  { header: 'Cur.', cell: priceCurrencyOf, isExtra: true, inCsv: true },
  {
    header: 'Covered',
    cell: ({ coverage }) => (coverage == null ? '' : formatPercent(coverage)),
    value: ({ coverage }) => coverage,
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
    cell: ({ minUnitPrice, maxUnitPrice }) => formatRange(minUnitPrice, maxUnitPrice, formatPrice) ?? '',
    value: ({ minUnitPrice, maxUnitPrice }) => maxUnitPrice ?? minUnitPrice,
    align: 'right',
    drop: 4,
  },
  { header: 'Best offer', cell: ({ bestPriceOffer }) => bestPriceOffer, min: 14, isExtra: true },
  { header: 'Ranked', cell: ({ ranked }) => ranked, align: 'right', isExtra: true },
  { header: 'Fulfilment', cell: ({ fulfilmentDueDate }) => fulfilmentDueDate, isExtra: true },
  {
    header: `Changed (${label})`,
    cell: ({ changedAt }) => minute(changedAt),
    value: ({ changedAt }) => changedAt,
    isExtra: true,
  },
  { header: 'Channel', cell: ({ channel }) => channel, dropIfUniform: 2 },
  { header: 'Unread offers', cell: ({ unreadOffers }) => unreadOffers, align: 'right', isExtra: true, inCsv: true },
]
