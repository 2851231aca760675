import { DELIVERY_COLUMNS, PREPAYMENT_COLUMNS } from '../../src/tables/offer/offer-lines.js'
import { isConverted, type OfferView } from '../../src/tables/offer/offer-view.js'
import type { Column, Columns } from '../layout/columns.js'
import { HEADER_ROW, tableSheet } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import { text, webLink } from '../xlsx/cells.js'
import { letterOf } from '../xlsx/sheet.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import { pick, type RfqLayout, withFormula, withStyle, wordedColumns } from './layout.js'

/** The columns that come first, and are printed. */
const PRINTED = [
  ...['rank', 'number', 'offer', 'price', 'cost', 'tonnes', 'total', 'awardedTonnes', 'expires', 'lastDelivery'],
  ...['notMet', 'flags'],
]

/** `Offers`: outcome, figures and terms of each offer, one per row; formulas explain its tonnes, total and price. */
export function offersSheet(layout: RfqLayout): WriteSheet {
  const { offers: columns, view } = layout
  return tableSheet(layout, {
    name: 'Offers',
    title: 'Offers',
    note: 'Accepted offers first, then those that compete by rank, then the others. What describes a project is its developer’s claim.',
    rows: view.offers,
    frozenColumns: 3,
    columns: {
      ...pick(columns, ...PRINTED),
      ...columns,
      ...change(columns, 'tonnes', (column) => withFormula(column, (offer) => sumOfLines(layout, 'tonnes', offer))),
      ...change(columns, 'price', (column) => withFormula(column, (_, at) => `${at('total')}/${at('tonnes')}`)),
      ...change(columns, 'total', (column) =>
        withFormula(column, (offer, at) =>
          isConverted(offer) ? `${at('ownTotal')}*${at('exchangeRate')}` : sumOfLines(layout, 'total', offer),
        ),
      ),
      ...change(columns, 'ownTotal', (column) => withFormula(column, (offer) => sumOfLines(layout, 'total', offer))),
      ...change(columns, 'offer', (column) =>
        withStyle(column, style.asGood, ({ awardedTonnes }) => awardedTonnes > 0),
      ),
      ...change(columns, 'flags', (column) =>
        withStyle(column, style.asBad, ({ flags }) => flags.some(({ loud }) => loud)),
      ),
      ...change(columns, 'storefront', (column) => ({
        ...column,
        cell: ({ listing: { storefrontUrl: url } }) =>
          url === null ? text(null, style.body) : webLink('open', url, style.link, style.body),
      })),
    },
  })
}

/** A column with a change, if there is one of that key. */
const change = <Row>(columns: Columns<Row>, key: string, to: (column: Column<Row>) => Column<Row>): Columns<Row> =>
  columns[key] === undefined ? {} : { [key]: to(columns[key]) }

/** The sum of a column of `Deliveries` over the lines of an offer; null if its figures are those it states. */
function sumOfLines({ lines }: RfqLayout, key: string, { metrics, terms, sequence }: OfferView): string | null {
  const range = (of: string) => {
    const letter = letterOf(DELIVERY_COLUMNS.findIndex((column) => column.key === of))
    return `Deliveries!$${letter}$${HEADER_ROW + 1}:$${letter}$${HEADER_ROW + lines.length}`
  }
  // Amounts in a text that is no currency code are texts.
  return metrics.basis === 'lines' && style.currencyCode(terms.currency) !== null
    ? `SUMIFS(${range(key)},${range('offer')},${sequence})`
    : null
}

/** `Deliveries`: the lines whose sums are the totals of the offers. */
export function deliveriesSheet(layout: RfqLayout): WriteSheet {
  const columns = wordedColumns(DELIVERY_COLUMNS, layout.lines)
  return tableSheet(layout, {
    name: 'Deliveries',
    title: 'Scheduled deliveries',
    note: 'One row per vintage of a delivery. Line total = volume × unit price, in the offer’s currency. Empty: not stated.',
    rows: layout.lines,
    frozenColumns: 1,
    columns: {
      ...columns,
      ...change(columns, 'total', (column) => withFormula(column, (_, at) => `${at('tonnes')}*${at('price')}`)),
    },
  })
}

/** `Prepayments`. */
export const prepaymentsSheet = (layout: RfqLayout): WriteSheet =>
  tableSheet(layout, {
    name: 'Prepayments',
    title: 'Pre-payments',
    note: 'One row per pre-payment, in the offer’s currency. Pre-payments are part of the total, not in addition to it.',
    rows: layout.payments,
    frozenColumns: 1,
    columns: wordedColumns(PREPAYMENT_COLUMNS, layout.payments),
  })
