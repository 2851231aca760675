import { recommendationLines } from '../../domain/comparison/decision/recommendation-lines.js'
import { formatPercent, formatPrice } from '../../domain/comparison/number-format.js'
import { withStore } from '../app.js'
import type { RegisterCommand } from '../cli-context.js'
import { findRfq, rfqLabel } from '../find-rfq.js'
import { formatRecommendation } from '../format-recommendation.js'
import { describeFreshness } from '../freshness.js'
import { addListOptions, type ListColumns, type ListOptions, printList } from '../list-output.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  channelOption,
  jsonOption,
  type SetOption,
  setOption,
  withExamples,
} from '../options.js'
import { printJson, tableWidth } from '../output.js'
import { currencyHeading, type RankedOffer, rankedOffers, rfqReportOf } from '../ranked-offers.js'
import { parseReadFilter } from '../read-filter.js'
import { formatNumber } from '../terminal-text.js'

type Options = ChannelOption & AsOfOption & SetOption & ListOptions

/** `compare RFQ`: the recommendation, then the offers with what speaks for and against each. */
export const register: RegisterCommand = (command, cli) => {
  command
    .argument('<rfq>', 'number, reference or id of the RFQ')
    .addOption(channelOption())
    .addOption(asOfOption())
    .addOption(setOption())
    .addOption(jsonOption('print JSON: the recommendation and the offers'))
    .action((match: string, options: Options) =>
      withStore(
        cli,
        async (store, app) => {
          const filter = await parseReadFilter(cli, { store, app }, options, 'rfqs')
          const found = await findRfq(store, { match, ...filter })
          const { channel, id } = found.rfq
          const report = await rfqReportOf(cli, { store, app }, found.rfq, filter.asOf)
          const rows = rankedOffers(app, found, report)
          const lines = recommendationLines(report.decision)
          if (options.json) return printJson(cli.io, { channel, rfqId: id, recommendation: lines, offers: rows })
          if (!options.tsv) {
            cli.io.out(`RFQ ${rfqLabel(found)} in ${channel}\n\n`)
            cli.io.out(`${formatRecommendation(lines, tableWidth(cli.io))}\n`)
          }
          const sources = { channels: [channel], kind: 'rfqs', asOf: filter.asOf } as const
          const freshness = await describeFreshness(cli, store, sources)
          const list = { columns: COLUMNS, rows, emptyText: 'There are no offers.', freshness }
          printList(cli, { ...list, groupOf: currencyHeading }, options)
        },
        options,
      ),
    )
  addListOptions(command, COLUMNS)
  withExamples(
    command,
    ['quotekeeper compare 1042', 'whom to award, and how the offers compare'],
    ['quotekeeper compare 1042 --set wantedVolume=max --set weights.price=60', 'with other settings'],
    ['quotekeeper compare 1042 --as-of yesterday', 'as it was at the end of yesterday'],
  )
}

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

const COLUMNS: ListColumns<RankedOffer> = () => [
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
  { header: 'Failed requirement', key: 'failed', cell: ({ failure }) => failure ?? 'none', min: 18 },
  { header: 'Flags', cell: flagCounts, drop: 1 },
  { header: 'Flag details', cell: flagWords, min: 40, isExtra: true },
]
