import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import type { RfqReport } from '../../src/domain/comparison/report/rfq-report-model.js'
import { codeWords } from '../layout/codes.js'
import { here, is, type Mark, mark } from '../layout/marks.js'
import { bodyRow, emptyRows, headRow, right, sectionRow, textRow } from '../layout/rows.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import { countFlags, withCurrency, yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { type CachedResult, formula, number } from '../xlsx/cells.js'
import type { RfqLayout } from './layout.js'

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
    rankingHeader(layout),
    ...offers.map((offer, index) => rankingRow(layout, offer, index + 1, firstRow + index)),
  ]
  if (offers.length === 0) rows.push(textRow('No offer is ranked. Offers gives the reasons.'))
  const last = firstRow + Math.max(0, offers.length - 1)
  return { rows: [...rows, ...emptyRows(1)], marks: rankingMarks(firstRow, last), offers, firstRow }
}

function rankingTitle({ summary }: RfqReport, shown: number): string {
  return shown < summary.ranked ? `Top ${shown} of ${summary.ranked} ranked offers` : 'Offers by rank'
}

function rankingHeader({ currency }: RfqLayout): RowPlan {
  const figures = [
    withCurrency('Price per tonne', currency, '/t'),
    'Difference from maximum price',
    withCurrency('Total', currency),
    'Volume (t)',
    'Coverage',
    'Score (0–100)',
    'High flags',
  ]
  return headRow(right('Rank'), 'Offer', ...figures.map(right), 'Meets all requirements', 'Status')
}

function rankingRow(layout: RfqLayout, offer: OfferReport, rank: number, row: number): RowPlan {
  const { numbers, currency, report, offers } = layout
  const price = offer.compared.pricePerTonne
  const limit = report.rfq.comparedMaxUnitPrice
  const ratio = price === null || limit === null || limit === 0 ? null : price / limit - 1
  const fromOffers = (range: string, cached: CachedResult, style: style.Style) =>
    formula(`IFERROR(INDEX(${range},MATCH($A${row},${offers.range('rank')},0)),"")`, cached, style)
  return bodyRow(
    number(rank, style.asBold(style.plainNumber)),
    fromOffers(offers.range('label'), offer.label, style.boldWrapped),
    fromOffers(offers.range('comparedPricePerTonne'), price, numbers.price(currency)),
    formula(`IFERROR(C${row}/MaxPrice-1,"")`, ratio ?? '', style.signedPercent),
    fromOffers(offers.range('comparedTotal'), offer.compared.total, numbers.money(currency)),
    fromOffers(offers.range('volume'), offer.metrics.volume, numbers.volume),
    fromOffers(offers.range('coverage'), offer.metrics.coverage ?? '', style.percent),
    fromOffers(offers.range('score'), offer.scores?.total ?? '', style.oneDecimal),
    fromOffers(offers.range('high'), countFlags(offer, 'high'), style.integer),
    fromOffers(offers.range('meets'), yesNo(offer.meetsRequirements), style.centred),
    fromOffers(offers.range('status'), codeWords(offer.status ?? 'unknown'), style.body),
  )
}

const rankingMarks = (first: number, last: number): Mark[] => [
  mark(`D${first}:D${last}`, is(here, '>', 0), 'bad'),
  mark(`J${first}:J${last}`, is(here, '=', 'yes'), 'good'),
  mark(`J${first}:J${last}`, is(here, '=', 'no'), 'warn'),
  mark(`I${first}:I${last}`, is(here, '>', 0), 'bad'),
]
