import { daysFromAsOf } from '../layout/as-of.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { type ColumnPlan, tableSheet } from '../layout/table-sheet.js'
import { joinList } from '../layout/wording.js'
import { calendarDate, fourDecimals, integer, plainNumber, type Style, wrapped } from '../xlsx/cell-styles.js'
import { date, formula, number, text } from '../xlsx/cells.js'
import { type DeliveryKey, type OfferLine, type RfqLayout, rfqHeading } from './layout.js'

const NOTE =
  'One row per vintage of a scheduled delivery. Line total = volume × unit price, in the offer’s currency. Empty cells: not stated.'

/** `Deliveries`: the lines from which the workbook computes its sums and means. */
export function deliveriesSheet(layout: RfqLayout): SheetPlan {
  return tableSheet<OfferLine, DeliveryKey>({
    grid: layout.deliveries,
    heading: rfqHeading(layout, 'Scheduled deliveries', NOTE),
    columns: deliveryColumns(layout),
    rows: layout.lines,
    emptyText: 'No offer has scheduled deliveries.',
    frozenColumns: 1,
    pagesWide: 2,
  })
}

function deliveryColumns(layout: RfqLayout): Record<DeliveryKey, ColumnPlan<OfferLine>> {
  const { deliveries, numbers } = layout
  const at = (key: DeliveryKey, index: number) => deliveries.at(key, index)
  const textColumn = (value: (line: OfferLine) => unknown, head: string): ColumnPlan<OfferLine> => ({
    header: head,
    cell: (line) => text(value(line), wrapped),
  })
  const numberColumn = (
    value: (line: OfferLine) => number | null,
    head: string,
    style: Style,
  ): ColumnPlan<OfferLine> => ({
    header: head,
    alignRight: true,
    cell: (line) => number(value(line), style),
  })
  return {
    offer: numberColumn(({ offer }) => offer.sequence, 'Offer no.', plainNumber),
    due: { header: 'Due date', cell: ({ line }) => date(line.dueDate, calendarDate) },
    year: numberColumn(({ line }) => line.vintageYear, 'Vintage year', plainNumber),
    volume: numberColumn(({ line }) => line.volume, 'Volume (t)', numbers.volume),
    price: {
      header: 'Unit price (per t)',
      alignRight: true,
      cell: ({ offer, line }) => number(line.unitPrice, numbers.price(offer.terms.currencyCode)),
    },
    total: {
      header: 'Line total',
      alignRight: true,
      cell: ({ offer, line }, index) => {
        const style = numbers.money(offer.terms.currencyCode)
        if (line.total === null) return text(null, style)
        return formula(`${at('volume', index)}*${at('price', index)}`, line.total, style)
      },
    },
    currency: textColumn(({ offer }) => offer.terms.currency, 'Currency'),
    label: textColumn(({ offer }) => offer.label, 'Offer'),
    delivery: numberColumn(({ line }) => line.delivery, 'Delivery no.', plainNumber),
    vintage: numberColumn(({ line }) => line.vintage, 'Vintage no.', plainNumber),
    method: textColumn(({ line }) => line.method, 'Method'),
    periodStart: { header: 'Period from', cell: ({ line }) => date(line.periodStart, calendarDate) },
    periodEnd: { header: 'Period to', cell: ({ line }) => date(line.periodEnd, calendarDate) },
    fromYear: numberColumn(({ line }) => line.vintageFromYear, 'Vintage start year', plainNumber),
    name: textColumn(({ line }) => line.name, 'Vintage name'),
    mitigation: textColumn(({ line }) => joinList(line.mitigationTypes), 'Mitigation types'),
    ...workings(layout),
  }
}

/** The discount factor of a payment by its days from the as-of date; overdue and undated payments are not discounted. */
export const discountFactorExpression = (days: string): string => `1/(1+DiscountRate)^(MAX(0,N(${days}))/365)`

type Working = 'days' | 'factor' | 'present' | 'tonneDays' | 'onTime' | 'tonneYears'

/** Intermediate results the metrics are summed from, not rounded. */
function workings(layout: RfqLayout): Record<Working, ColumnPlan<OfferLine>> {
  const { deliveries, numbers } = layout
  const at = (key: DeliveryKey, index: number) => deliveries.at(key, index)
  const volumeOf = ({ line }: OfferLine) => Math.max(0, line.volume ?? 0)
  return {
    days: {
      band: 'Calculation',
      header: 'Days from as-of date',
      alignRight: true,
      cell: ({ line }, index) => daysFromAsOf(at('due', index), line.dueDate, line.days),
    },
    factor: {
      header: 'Discount factor',
      alignRight: true,
      cell: ({ line }, index) =>
        formula(discountFactorExpression(at('days', index)), line.discountFactor, fourDecimals),
    },
    present: {
      header: 'Discounted line total',
      alignRight: true,
      cell: ({ offer, line }, index) => {
        const style = numbers.money(offer.terms.currencyCode)
        if (line.total === null) return text(null, style)
        return formula(`${at('total', index)}*${at('factor', index)}`, line.total * line.discountFactor, style)
      },
    },
    tonneDays: {
      header: 'Volume × days',
      alignRight: true,
      cell: (line, index) =>
        formula(
          `IF(ISNUMBER(${at('days', index)}),MAX(0,N(${at('volume', index)}))*${at('days', index)},0)`,
          volumeOf(line) * (line.line.days ?? 0),
          integer,
        ),
    },
    onTime: {
      header: 'Volume due on time (t)',
      alignRight: true,
      cell: (line, index) =>
        formula(
          `IF(AND(ISNUMBER(FulfilmentDays),ISNUMBER(${at('days', index)})),IF(${at('days', index)}<=FulfilmentDays,MAX(0,N(${at('volume', index)})),0),0)`,
          isOnTime(layout, line) ? volumeOf(line) : 0,
          numbers.volume,
        ),
    },
    tonneYears: {
      header: 'Volume × vintage year',
      alignRight: true,
      cell: (line, index) =>
        formula(
          `MAX(0,N(${at('volume', index)}))*N(${at('year', index)})`,
          volumeOf(line) * (line.line.vintageYear ?? 0),
          integer,
        ),
    },
  }
}

function isOnTime({ report }: RfqLayout, { line }: OfferLine): boolean {
  const limit = report.rfq.daysToFulfilment
  return limit !== null && line.days !== null && line.days <= limit
}
