import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import type { RfqReport } from '../../src/domain/comparison/report/rfq-report-model.js'
import { referenceTo } from '../layout/cell-text.js'
import { type Column, columnsOf } from '../layout/columns.js'
import { here, is, type Mark, mark } from '../layout/marks.js'
import { emptyRows, sectionRow, textRow } from '../layout/rows.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import { tableRows } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import type { OfferKey, RfqLayout } from './layout.js'
import { offerColumns } from './offers-sheet.js'

/** Column units of `Summary`, shared by all its blocks: rank, name, then figures. */
export const SUMMARY_WIDTHS = [7, 34, 17, 16, 19, 14, 16, 13, 12, 15, 19]
/** Number of offers shown. */
const SHOWN = 12

/** The best-ranked offers, which the charts show too. */
export interface Ranking {
  rows: RowPlan[]
  marks: Mark[]
  offers: readonly OfferReport[]
  /** First row of an offer. */
  firstRow: number
}

/** @param row the first row of the block */
export function rankingRows(layout: RfqLayout, row: number): Ranking {
  const offers = layout.report.offers.filter(({ rank }) => rank !== null).slice(0, SHOWN)
  const firstRow = row + 2
  const rows = [
    sectionRow(rankingTitle(layout.report, offers.length)),
    ...tableRows(rankingColumns(layout, firstRow), offers),
  ]
  if (offers.length === 0) rows.push(textRow('No offer is ranked. Offers gives the reasons.'))
  const last = firstRow + Math.max(0, offers.length - 1)
  return { rows: [...rows, ...emptyRows(1)], marks: rankingMarks(firstRow, last), offers, firstRow }
}

function rankingTitle({ summary }: RfqReport, shown: number): string {
  return shown < summary.ranked ? `Top ${shown} of ${summary.ranked} ranked offers` : 'Offers by rank'
}

/** Rank, then columns of `Offers` looked up by it, so that the block follows a changed ranking. */
function rankingColumns(layout: RfqLayout, firstRow: number): Column<OfferReport>[] {
  const { offers, report } = layout
  const columns = offerColumns(layout)
  const { number, formula } = columnsOf<OfferReport>()
  const fromOffers = (key: OfferKey): Column<OfferReport> => ({
    ...columns[key],
    cell: (offer, index) => {
      const row = `MATCH($A${firstRow + index},${offers.range('rank')},0)`
      return referenceTo(columns[key].cell(offer, index), `IFERROR(INDEX(${offers.range(key)},${row}),"")`, '')
    },
  })
  const limit = report.rfq.comparedMaxUnitPrice
  return [
    number('Rank', ({ rank }) => rank, style.asBold(style.plainNumber)),
    fromOffers('label'),
    fromOffers('comparedPricePerTonne'),
    formula('Difference from maximum price', style.signedPercent, ({ compared: { pricePerTonne } }, _at, index) => [
      `IFERROR(C${firstRow + index}/MaxPrice-1,"")`,
      pricePerTonne === null || !limit ? '' : pricePerTonne / limit - 1,
    ]),
    ...(['comparedTotal', 'volume', 'coverage', 'score', 'high', 'meets', 'status'] as const).map(fromOffers),
  ]
}

const rankingMarks = (first: number, last: number): Mark[] => [
  mark(`D${first}:D${last}`, is(here, '>', 0), 'bad'),
  mark(`J${first}:J${last}`, is(here, '=', 'yes'), 'good'),
  mark(`J${first}:J${last}`, is(here, '=', 'no'), 'warn'),
  mark(`I${first}:I${last}`, is(here, '>', 0), 'bad'),
]
