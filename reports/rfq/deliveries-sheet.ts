import { daysFromAsOf } from '../layout/as-of.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { type ColumnPlan, tableSheet } from '../layout/table-sheet.js'
import { joinList } from '../layout/wording.js'
import { calendarDate, fourDecimals, integer, plainNumber, type Style, wrapped } from '../xlsx/cell-styles.js'
import { date, formula, number, text } from '../xlsx/cells.js'
import { type DeliveryKey, type OfferLine, type RfqLayout, rfqHeading } from './layout.js'

const NOTE =
  'One row a vintage of a scheduled delivery. Line total = volume × unit price, in the currency of the offer. Empty: not stated.'

/** `Deliveries`: what every sum and mean of the workbook is made from. */
export function deliveriesSheet(layout: RfqLayout): SheetPlan {
  return tableSheet<OfferLine, DeliveryKey>({
    grid: layout.deliveries,
    heading: rfqHeading(layout, 'Scheduled deliveries', NOTE),
    columns: deliveryColumns(layout),
    rows: layout.lines,
    emptyText: 'No offer schedules a delivery.',
    frozenColumns: 1,
    pagesWide: 2,
  })
}

function deliveryColumns(layout: RfqLayout): Record<DeliveryKey, ColumnPlan<OfferLine>> {
  const { deliveries, numbers } = layout
  const at = (key: DeliveryKey, index: number) => deliveries.at(key, index)
  const said = (value: (line: OfferLine) => unknown, head: string): ColumnPlan<OfferLine> => ({
    header: head,
    cell: (line) => text(value(line), wrapped),
  })
  const counted = (value: (line: OfferLine) => number | null, head: string, style: Style): ColumnPlan<OfferLine> => ({
    header: head,
    alignRight: true,
    cell: (line) => number(value(line), style),
  })
  return {
    offer: counted(({ offer }) => offer.sequence, 'Offer no.', plainNumber),
    due: { header: 'Due', cell: ({ line }) => date(line.dueDate, calendarDate) },
    year: counted(({ line }) => line.vintageYear, 'Vintage year', plainNumber),
    volume: counted(({ line }) => line.volume, 'Volume (t)', numbers.volume),
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
    currency: said(({ offer }) => offer.terms.currency, 'Currency'),
    label: said(({ offer }) => offer.label, 'Offer'),
    delivery: counted(({ line }) => line.delivery, 'Delivery no.', plainNumber),
    vintage: counted(({ line }) => line.vintage, 'Vintage no.', plainNumber),
    method: said(({ line }) => line.method, 'Method'),
    periodStart: { header: 'Period from', cell: ({ line }) => date(line.periodStart, calendarDate) },
    periodEnd: { header: 'Period to', cell: ({ line }) => date(line.periodEnd, calendarDate) },
    fromYear: counted(({ line }) => line.vintageFromYear, 'Vintage from year', plainNumber),
    name: said(({ line }) => line.name, 'Vintage name'),
    mitigation: said(({ line }) => joinList(line.mitigationTypes), 'Mitigation types'),
    ...workings(layout),
  }
}

/** The discount factor of a payment due in so many days; overdue and undated payments are not discounted. */
export const discountFactorExpression = (days: string): string => `1/(1+DiscountRate)^(MAX(0,N(${days}))/365)`

type Working = 'days' | 'factor' | 'present' | 'tonneDays' | 'onTime' | 'tonneYears'

/** What the metrics are summed from. Nothing here is rounded. */
function workings(layout: RfqLayout): Record<Working, ColumnPlan<OfferLine>> {
  const { deliveries, numbers } = layout
  const at = (key: DeliveryKey, index: number) => deliveries.at(key, index)
  const volumeOf = ({ line }: OfferLine) => Math.max(0, line.volume ?? 0)
  return {
    days: {
      band: 'Workings',
      header: 'Days from as-of',
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
      header: 'Line total, discounted',
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
      header: 'Volume on time (t)',
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
