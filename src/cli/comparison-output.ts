import { NOT_MET_TITLE } from '../compare/decision/not-met.js'
import { recommendationLines } from '../compare/decision/recommendation-lines.js'
import { unreadText } from '../compare/rfq/rfq-flags.js'
import { formatPercent, formatPrice, withoutNoise } from '../core/number-format.js'
import type { RfqWithResponses } from '../core/records.js'
import { withWords } from '../core/source-words.js'
import type { Store } from '../store/contract.js'
import type { App } from './app.js'
import type { Cli } from './cli-context.js'
import { rfqLabel } from './find-rfq.js'
import { formatRecommendation } from './format-recommendation.js'
import { type ListColumns, type ListOptions, printList } from './list-output.js'
import { printJson, tableWidth } from './output.js'
import { currencyHeading, type RankedOffer, rankedOffers, rfqReportOf } from './ranked-offers.js'
import { formatNumber } from './terminal-text.js'

export interface ComparisonContext {
  store: Store
  app: App
  /** Default now. */
  asOf?: Date | undefined
  /** How recent the data is; default: not shown. */
  freshness?: string
}

/** Prints the recommendation on an RFQ in three lines, then its offers with what speaks for and against each. */
export async function printComparison(
  cli: Pick<Cli, 'io' | 'globals'>,
  { store, app, asOf, freshness }: ComparisonContext,
  found: RfqWithResponses,
  options: ListOptions = {},
): Promise<void> {
  const { io } = cli
  const { channel, id } = found.rfq
  const report = await rfqReportOf(cli, { store, app }, found.rfq, asOf)
  const rows = rankedOffers(app, found, report)
  const lines = recommendationLines(report.decision)
  const listed = withWords(report.context.listed)
  if (options.json)
    return printJson(io, { channel, rfqId: id, recommendation: lines, listed, offers: rows.map(roundedFigures) })
  if (!options.tsv) {
    io.out(`RFQ ${rfqLabel(found)} in ${channel}\n\n${formatRecommendation(lines, tableWidth(io))}\n`)
  }
  const { unreadOffers } = report.rfq
  const emptyText = unreadOffers === 0 ? 'There are no offers.' : `${unreadText(unreadOffers)}.`
  const list = { columns: COMPARISON_COLUMNS, rows, emptyText, ...(freshness && { freshness }) }
  printList(cli, { ...list, groupOf: currencyHeading }, options)
}

/** As in the CSV files and on the pages; `body` keeps the figures of the offer as they are. */
const roundedFigures = (row: RankedOffer) =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, typeof value === 'number' ? withoutNoise(value) : value]),
  )

const flagWords = ({ flags }: RankedOffer) => flags.map(({ words }) => words).join(' ')

function flagCounts({ flags }: RankedOffer): string {
  const count = (wanted: string) => flags.filter(({ severity }) => severity === wanted).length
  const [high, medium] = [count('high'), count('medium')]
  return [high > 0 ? `${high} high` : '', medium > 0 ? `${medium} med.` : ''].filter((text) => text !== '').join(', ')
}

const price = ({ comparedPricePerTonne, pricePerTonne }: RankedOffer) => comparedPricePerTonne ?? pricePerTonne

function priceText(row: RankedOffer): string {
  const amount = price(row)
  const currency = row.comparedPricePerTonne === null ? row.currency : row.comparisonCurrency
  return amount === null ? '' : `${formatPrice(amount)} ${currency ?? ''}`.trim()
}

export const COMPARISON_COLUMNS: ListColumns<RankedOffer> = () => [
  {
    header: 'Rank',
    cell: ({ rank }) => (rank === null ? '–' : formatNumber(rank)),
    value: ({ rank }) => rank,
    align: 'right',
  },
  { header: 'No.', cell: ({ number }) => formatNumber(number), value: ({ number }) => number, align: 'right' },
  { header: 'Offer', cell: ({ label, projectDeveloperName, id }) => label ?? projectDeveloperName ?? id, min: 18 },
  { header: 'Score', cell: ({ score }) => formatNumber(score, 1), value: ({ score }) => score, align: 'right' },
  {
    header: 'Per tonne',
    cell: priceText,
    value: price,
    align: 'right',
  },
  {
    header: 'Currency',
    cell: ({ comparedPricePerTonne, comparisonCurrency, currency }) =>
      comparedPricePerTonne === null ? currency : comparisonCurrency,
    isExtra: true,
  },
  {
    header: 'Covers',
    cell: ({ coverage }) => (coverage === null ? '' : formatPercent(coverage)),
    value: ({ coverage }) => coverage,
    align: 'right',
  },
  {
    header: 'Award',
    cell: ({ awarded }) => formatNumber(awarded),
    value: ({ awarded }) => awarded,
    align: 'right',
    hideIfEmpty: true,
  },
  {
    header: 'Tonnes',
    cell: ({ totalVolume }) => formatNumber(totalVolume),
    value: ({ totalVolume }) => totalVolume,
    align: 'right',
    isExtra: true,
  },
  { header: 'Status', cell: ({ status }) => status, isExtra: true },
  { header: 'Expires', cell: ({ expiryDate }) => expiryDate, isExtra: true },
  {
    header: NOT_MET_TITLE,
    key: 'failed',
    cell: ({ notMet }) => notMet,
    min: 18,
    below: 40,
    hideIfEmpty: true,
  },
  { header: 'Flags', cell: flagCounts, drop: 1 },
  { header: 'Flag details', cell: flagWords, min: 40, isExtra: true },
]
