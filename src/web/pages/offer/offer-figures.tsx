import type { Metrics } from '../../../compare/offer/metrics.js'
import type { OfferDetail } from '../../../tables/offer/offer.js'
import { amount, decimal, percent, plain, price, UNKNOWN } from '../../components/format.js'
import type { Table } from '../../tables/table.js'

interface Figure {
  title: string
  formula: string
  value: number | null
  /** `t`, `EUR`, `EUR/t`, `days`; empty for shares and years. */
  unit: string
  formatted: string
}

type Kind = 'tonnes' | 'money' | 'price' | 'share' | 'days' | 'year'

const FORMATS: Record<Kind, (value: number) => string> = {
  tonnes: amount,
  money: amount,
  price,
  share: percent,
  days: decimal,
  year: String,
}

/** The rows of the table: the figures of an offer in its own currency, as defined in docs/COMPARISON.md. */
const METRIC_ROWS: readonly (readonly [name: keyof Metrics, title: string, formula: string, kind: Kind])[] = [
  ['sumVolume', 'Volume of delivery lines', 'Σ tonnes of the delivery lines', 'tonnes'],
  ['sumValue', 'Value of delivery lines', 'Σ tonnes × price of the delivery lines', 'money'],
  ['volume', 'Volume', 'volume of the lines if each has a volume and a price; otherwise the stated volume', 'tonnes'],
  ['total', 'Total', 'value of the lines if each has a volume and a price; otherwise the stated total', 'money'],
  ['pricePerTonne', 'Price per tonne', 'total ÷ volume', 'price'],
  ['statedPrice', 'Stated price per tonne', 'stated total ÷ stated volume', 'price'],
  ['volumeDifference', 'Volume difference', 'stated volume − volume of the lines', 'tonnes'],
  ['totalDifference', 'Total difference', 'stated total − value of the lines', 'money'],
  ['coverage', 'Coverage', 'volume ÷ requested tonnes, at most 100 %', 'share'],
  ['prepaid', 'Prepaid', 'Σ pre-payments', 'money'],
  ['prepaidShare', 'Prepaid share', 'pre-payments ÷ total', 'share'],
  ['presentValue', 'Present value', 'Σ payment ÷ (1 + discount rate) ^ (days ÷ 365)', 'money'],
  ['presentValuePerTonne', 'Present value per tonne', 'present value ÷ volume', 'price'],
  ['oldestVintage', 'Oldest vintage', 'earliest year of the lines', 'year'],
  ['newestVintage', 'Newest vintage', 'latest year of the lines', 'year'],
]

/** Every figure in its own currency with its formula; converted ones last. */
export function metricsTable({ own, metrics, compared, exchangeRate }: OfferDetail): Table<Figure> {
  const figureOf = (kind: Kind, value: number | null, currency: string | null) => {
    const money = currency === null ? '' : plain(currency)
    const units: Record<Kind, string> = {
      ...{ tonnes: 't', money, price: `${money}/t`, days: 'days', share: '', year: '' },
    }
    const unit = units[kind]
    return { value, unit, formatted: value === null ? UNKNOWN : `${FORMATS[kind](value)} ${unit}`.trimEnd() }
  }
  const figures = METRIC_ROWS.map(([name, title, formula, kind]): Figure => {
    const value = metrics[name] as number | null
    return { title, formula, ...figureOf(kind, value, own.currency) }
  })
  const rate = exchangeRate === null ? 'no exchange rate' : `× ${exchangeRate}`
  const converted = (title: string, value: number | null): Figure => {
    const formula = `${title.charAt(0).toLowerCase()}${title.slice(1)} ${rate}`
    return { title: `${title}, compared`, formula, ...figureOf('price', value, compared.currency) }
  }
  return {
    name: 'metrics',
    caption: 'Figures of the offer, with their formulas',
    columns: [
      { key: 'figure', title: 'Figure', value: ({ title }) => title },
      {
        key: 'value',
        title: 'Value',
        align: 'right',
        value: ({ value }) => value,
        cell: ({ formatted }) => formatted,
      },
      { key: 'unit', title: 'Unit', fileOnly: true, value: ({ unit }) => unit },
      { key: 'formula', title: 'Formula', value: ({ formula }) => formula },
    ],
    rows: [
      ...figures,
      ...(own.currency === compared.currency
        ? []
        : [
            converted('Price per tonne', compared.pricePerTonne),
            converted('Present value per tonne', compared.presentValuePerTonne),
          ]),
    ],
    empty: <>No figures.</>,
  }
}
