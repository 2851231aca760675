import { unreadText } from '../../../compare/rfq/rfq-flags.js'
import type { RfqWithResponses } from '../../../core/records.js'
import { formatPrice } from '../../../core/text/number-format.js'
import { awardLines } from '../../../views/awards/award-lines.js'
import { offerItems } from '../../../views/offer/offer-items.js'
import { type RfqView, recommendationLines } from '../../../views/rfq/rfq-view.js'
import type { OfferItem } from '../../../views/schemas/index.js'
import { withStore } from '../../app.js'
import type { RegisterCommand } from '../../cli-context.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  changedSinceOption,
  channelOption,
  jsonOption,
  withExamples,
} from '../../input/options.js'
import { readComparison } from '../../input/read-comparison.js'
import { keepChangedSince, parseReadFilter } from '../../input/read-filter.js'
import { requireRfq, rfqLabel } from '../../input/require-rfq.js'
import type { TimeFormat } from '../../input/time-zone.js'
import { rankText } from '../../output/comparison.js'
import { formatRecommendation } from '../../output/format-recommendation.js'
import { describeFreshness } from '../../output/freshness.js'
import { addListOptions, type ListColumns, type ListOptions, printList } from '../../output/list.js'
import { tableWidth } from '../../output/output.js'
import { formatNumber } from '../../output/terminal-text.js'

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
        const view = await readComparison(cli, { store, app }, found.rfq, filter.asOf)
        const all = withDocuments(view, found)
        const rows = await keepChangedSince(cli, store, all, options.changedSince)
        const { channel, termsRead, award, decision } = view
        const { unreadOffers } = view.rfq
        const shown = { channels: [channel], kind: 'rfqs', asOf: filter.asOf, termsRead, rfqs: [found.rfq] } as const
        const freshness = await describeFreshness(cli, store, shown)
        const emptyText =
          all.length === 0
            ? `RFQ ${rfqLabel(found)} has ${unreadOffers === 0 ? 'no offers' : unreadText(unreadOffers)}.`
            : `None of the ${all.length} offers for RFQ ${rfqLabel(found)} match.`
        const footer = formatRecommendation(
          [...awardLines(award), ...recommendationLines(decision)],
          tableWidth(cli.io),
        )
        printList(cli, { columns: COLUMNS, rows, emptyText, footer, freshness }, options)
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

/** An offer with its document. */
type Row = OfferItem & { body: unknown }

function withDocuments(view: RfqView, found: RfqWithResponses): Row[] {
  const bodies = new Map(found.responses.map((response) => [response.id, response.exactBody]))
  return offerItems(view, found).map((offer) => ({ ...offer, body: bodies.get(offer.id) }))
}

function statusText({ status, missingSince, notListed, newerTerms }: Row): string | null {
  const notes = [
    ...(missingSince !== null ? ['missing'] : notListed ? ['not listed'] : []),
    ...(newerTerms ? ['newer terms'] : []),
  ]
  return notes.length === 0 ? status : `${status ?? ''} (${notes.join(', ')})`
}

const submitted = ({ submittedAt, late }: Row, { minute }: TimeFormat) => `${minute(submittedAt)}${late ? ' late' : ''}`

const COLUMNS: ListColumns<Row> = (time) => [
  { header: 'No.', cell: ({ number }) => formatNumber(number), value: ({ number }) => number, align: 'right' },
  { header: 'Rank', cell: rankText, value: ({ rank }) => rank, align: 'right' },
  { header: 'Developer', cell: ({ developer }) => developer, min: 18 },
  { header: 'Project', cell: ({ project }) => project, min: 24, drop: 4 },
  {
    header: 'Status',
    cell: statusText,
    drop: 1,
  },
  { header: 'Contract', cell: ({ contractType }) => contractType, drop: 6 },
  {
    header: 'Tonnes',
    cell: ({ tonnes }) => formatNumber(tonnes),
    value: ({ tonnes }) => tonnes,
    align: 'right',
  },
  {
    header: 'Total',
    cell: ({ own }) => formatNumber(own.total),
    value: ({ own }) => own.total,
    align: 'right',
    drop: 3,
  },
  {
    header: 'Per tonne',
    cell: ({ own }) => (own.pricePerTonne === null ? '' : formatPrice(own.pricePerTonne)),
    value: ({ own }) => own.pricePerTonne,
    align: 'right',
  },
  { header: 'Basis', cell: ({ own }) => own.basis, drop: 5 },
  { header: 'Cur.', cell: ({ own }) => own.currency },
  {
    header: 'Score',
    cell: ({ score }) => formatNumber(score, 1),
    value: ({ score }) => score,
    align: 'right',
    isExtra: true,
  },
  {
    header: 'Not ranked because',
    key: 'why',
    cell: ({ why }) => why,
    below: true,
    hideIfEmpty: true,
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
