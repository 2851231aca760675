import { recommendationLines } from '../../compare/decision/recommendation-lines.js'
import { hasOtherTerms } from '../../compare/offer/newer-summary.js'
import { unreadText } from '../../compare/rfq/rfq-flags.js'
import { formatPrice } from '../../core/number-format.js'
import { withStore } from '../app.js'
import type { RegisterCommand } from '../cli-context.js'
import { requireRfq, rfqLabel } from '../find-rfq.js'
import { formatRecommendation } from '../format-recommendation.js'
import { describeFreshness } from '../freshness.js'
import { addListOptions, type ListColumns, type ListOptions, printList } from '../list-output.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  changedSinceOption,
  channelOption,
  jsonOption,
  withExamples,
} from '../options.js'
import { tableWidth } from '../output.js'
import { currencyHeading, type RankedOffer, rankedOffers, rfqReportOf } from '../ranked-offers.js'
import { keepChangedSince, parseReadFilter } from '../read-filter.js'
import { formatNumber } from '../terminal-text.js'
import type { TimeFormat } from '../time-zone.js'

type Options = ChannelOption & AsOfOption & ListOptions & { changedSince?: string }

/** `offers RFQ`: lists the offers for an RFQ. */
export const register: RegisterCommand = (command, cli) => {
  command
    .argument('<rfq>', 'number, reference or id of the RFQ')
    .addOption(channelOption())
    .addOption(changedSinceOption('offers'))
    .addOption(asOfOption())
    .addOption(jsonOption())
    .action((name: string, options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options, 'rfqs')
        const found = await requireRfq(store, { name, ...filter })
        const report = await rfqReportOf(cli, { store, app }, found.rfq, filter.asOf)
        const all = rankedOffers(app, found, report)
        const rows = await keepChangedSince(cli, store, all, options.changedSince)
        const { channel } = found.rfq
        const { unreadOffers } = report.rfq
        const { termsRead } = report.context
        const shown = { channels: [channel], kind: 'rfqs', asOf: filter.asOf, termsRead, rfqs: [found.rfq] } as const
        const freshness = await describeFreshness(cli, store, shown)
        const emptyText =
          all.length === 0
            ? `RFQ ${rfqLabel(found)} has ${unreadOffers === 0 ? 'no offers' : unreadText(unreadOffers)}.`
            : `None of the ${all.length} offers for RFQ ${rfqLabel(found)} match.`
        const footer = formatRecommendation(recommendationLines(report.decision), tableWidth(cli.io))
        printList(cli, { columns: COLUMNS, rows, emptyText, footer, freshness, groupOf: currencyHeading }, options)
      }),
    )
  addListOptions(command, COLUMNS)
  withExamples(
    command,
    ['quotekeeper offers 1012', 'the offers for RFQ 1012 by rank'],
    ['quotekeeper offers 1012 --sort per-tonne', 'cheapest first'],
    ['quotekeeper offers 1012 --channel acme/forest', 'if two channels have an RFQ 1012'],
  )
}

function statusText({ status, missingSince, notListed, newerSummary }: RankedOffer): string | null {
  const notes = [
    ...(missingSince !== null ? ['missing'] : notListed ? ['not listed'] : []),
    ...(hasOtherTerms(newerSummary) ? ['newer terms'] : []),
  ]
  return notes.length === 0 ? status : `${status ?? ''} (${notes.join(', ')})`
}

const submitted = ({ submittedAt, late }: RankedOffer, { minute }: TimeFormat) =>
  `${minute(submittedAt)}${late ? ' late' : ''}`

const COLUMNS: ListColumns<RankedOffer> = (time) => [
  { header: 'No.', cell: ({ number }) => formatNumber(number), value: ({ number }) => number, align: 'right' },
  {
    header: 'Rank',
    cell: ({ rank }) => (rank === null ? '–' : formatNumber(rank)),
    value: ({ rank }) => rank,
    align: 'right',
  },
  { header: 'Developer', cell: ({ projectDeveloperName }) => projectDeveloperName, min: 18 },
  { header: 'Project', cell: ({ projectName }) => projectName, min: 24, drop: 3 },
  {
    header: 'Status',
    cell: statusText,
    drop: 1,
  },
  { header: 'Contract', cell: ({ contractType }) => contractType, drop: 6 },
  {
    header: 'Tonnes',
    cell: ({ totalVolume }) => formatNumber(totalVolume),
    value: ({ totalVolume }) => totalVolume,
    align: 'right',
  },
  {
    header: 'Total',
    cell: ({ totalPrice }) => formatNumber(totalPrice),
    value: ({ totalPrice }) => totalPrice,
    align: 'right',
    drop: 4,
  },
  {
    header: 'Per tonne',
    cell: ({ pricePerTonne }) => (pricePerTonne === null ? '' : formatPrice(pricePerTonne)),
    value: ({ pricePerTonne }) => pricePerTonne,
    align: 'right',
  },
  { header: 'Basis', cell: ({ priceBasis }) => priceBasis, drop: 5 },
  { header: 'Cur.', cell: ({ currency }) => currency },
  {
    header: 'Score',
    cell: ({ score }) => formatNumber(score, 1),
    value: ({ score }) => score,
    align: 'right',
    isExtra: true,
  },
  { header: 'Expires', cell: ({ expiryDate }) => expiryDate, drop: 2 },
  {
    header: `Submitted (${time.label})`,
    cell: (row) => submitted(row, time),
    value: ({ submittedAt }) => submittedAt,
    drop: 7,
  },
  {
    header: `Changed (${time.label})`,
    cell: ({ observedAt }) => time.minute(observedAt),
    value: ({ observedAt }) => observedAt,
    isExtra: true,
  },
  { header: 'Id', cell: ({ id }) => id, drop: 8 },
]
