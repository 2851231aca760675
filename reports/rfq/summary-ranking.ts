import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import type { RfqReport } from '../../src/domain/comparison/report/rfq-report-model.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { fittedRow } from '../layout/table-sheet.js'
import { countFlags, withCurrency, yesNo } from '../layout/wording.js'
import {
  asBold,
  body,
  boldWrapped,
  centred,
  header,
  headerRight,
  highlights,
  integer,
  oneDecimal,
  percent,
  plainNumber,
  type Style,
  section,
  signedPercent,
} from '../xlsx/cell-styles.js'
import { blank, type CachedResult, formula, number, text } from '../xlsx/cells.js'
import type { RfqLayout } from './layout.js'

/** Column units of `Summary`: rank, then the widest column, then figures; shared by all its blocks. */
export const SUMMARY_WIDTHS = [7, 34, 17, 16, 19, 14, 16, 13, 12, 15, 19]
/** Offers shown by rank. */
const SHOWN = 12

/** The best-ranked offers: also what the charts are drawn from. */
export interface Ranking {
  rows: RowPlan[]
  rules: NonNullable<SheetPlan['rules']>
  offers: readonly OfferReport[]
  /** First row of an offer. */
  firstRow: number
}

/** @param row the row it begins at */
export function rankingRows(layout: RfqLayout, row: number): Ranking {
  const offers = layout.report.offers.filter(({ rank }) => rank !== null).slice(0, SHOWN)
  const firstRow = row + 2
  const rows = [
    { cells: [text(rankingTitle(layout.report, offers.length), section)], height: 18 },
    rankingHeader(layout),
    ...offers.map((offer, index) => rankingRow(layout, offer, index + 1, firstRow + index)),
  ]
  if (offers.length === 0) rows.push({ cells: [text('No offer is ranked; Offers says why.', body)] })
  const last = firstRow + Math.max(0, offers.length - 1)
  return { rows: [...rows, { cells: [blank()] }], rules: rankingRules(firstRow, last), offers, firstRow }
}

function rankingTitle({ summary }: RfqReport, shown: number): string {
  return shown < summary.ranked ? `The ${shown} best-ranked of ${summary.ranked} offers` : 'Offers by rank'
}

function rankingHeader({ currency }: RfqLayout): RowPlan {
  const figures = [
    withCurrency('Price per tonne', currency, '/t'),
    'Against the maximum price',
    withCurrency('Total', currency),
    'Volume (t)',
    'Coverage',
    'Score of 100',
    'Flags, high',
  ]
  return fittedRow(
    [
      text('Rank', headerRight),
      text('Offer', header),
      ...figures.map((name) => text(name, headerRight)),
      text('Meets all requirements', header),
      text('Status', header),
    ],
    SUMMARY_WIDTHS,
  )
}

function rankingRow(layout: RfqLayout, offer: OfferReport, rank: number, row: number): RowPlan {
  const { numbers, currency, report, offers } = layout
  const price = offer.compared.pricePerTonne
  const limit = report.rfq.comparedMaxUnitPrice
  const ratio = price === null || limit === null || limit === 0 ? null : price / limit - 1
  const fetch = (range: string, cached: CachedResult, style: Style) =>
    formula(`IFERROR(INDEX(${range},MATCH($A${row},${offers.range('rank')},0)),"")`, cached, style)
  return fittedRow(
    [
      number(rank, asBold(plainNumber)),
      fetch(offers.range('label'), offer.label, boldWrapped),
      fetch(offers.range('comparedPricePerTonne'), price, numbers.price(currency)),
      formula(`IFERROR(C${row}/MaxPrice-1,"")`, ratio ?? '', signedPercent),
      fetch(offers.range('comparedTotal'), offer.compared.total, numbers.money(currency)),
      fetch(offers.range('volume'), offer.metrics.volume, numbers.volume),
      fetch(offers.range('coverage'), offer.metrics.coverage ?? '', percent),
      fetch(offers.range('score'), offer.scores?.total ?? '', oneDecimal),
      fetch(offers.range('high'), countFlags(offer, 'high'), integer),
      fetch(offers.range('meets'), yesNo(offer.meetsRequirements), centred),
      fetch(offers.range('status'), offer.status ?? 'unknown', body),
    ],
    SUMMARY_WIDTHS,
  )
}

const rankingRules = (first: number, last: number): NonNullable<SheetPlan['rules']> => [
  {
    ref: `D${first}:D${last}`,
    rules: [
      { type: 'expression', priority: 4, formulae: [`AND(ISNUMBER($D${first}),$D${first}>0)`], style: highlights.bad },
    ],
  },
  {
    ref: `J${first}:J${last}`,
    rules: [
      { type: 'expression', priority: 5, formulae: [`$J${first}="yes"`], style: highlights.good },
      { type: 'expression', priority: 6, formulae: [`$J${first}="no"`], style: highlights.warn },
    ],
  },
  {
    ref: `I${first}:I${last}`,
    rules: [
      { type: 'expression', priority: 7, formulae: [`AND(ISNUMBER($I${first}),$I${first}>0)`], style: highlights.bad },
    ],
  },
]
