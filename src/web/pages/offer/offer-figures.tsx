import { CRITERION_DEFINITIONS, CRITERION_NAMES } from '../../../compare/offer/criterion-text.js'
import type { MetricName, Metrics } from '../../../compare/offer/metrics.js'
import { CRITERIA, type Criterion } from '../../../core/decision/settings.js'
import type { OfferDetail } from '../../../views/offer/offer.js'
import { numberColumn } from '../../components/columns.js'
import { amount, decimal, percent, plain, price, UNKNOWN } from '../../components/format.js'
import type { Table } from '../../tables/table.js'

interface Figure {
  name: MetricName | 'comparedPrice' | 'comparedPricePerTonne'
  title: string
  formula: string
  value: number | string | null
  formatted: string
  reason: string | null
}

type Format = (value: number | null) => string
const year: Format = (value) => (value === null ? UNKNOWN : String(value))
const days: Format = (value) => (value === null ? UNKNOWN : `${decimal(value)} days`)

/** The rows of the table: the figures of an offer in its own currency, as defined in docs/COMPARISON.md. */
const METRIC_ROWS: readonly (readonly [name: MetricName, title: string, formula: string, format: Format])[] = [
  ['sumVolume', 'Volume of delivery lines', 'Σ tonnes of the delivery lines', amount],
  ['sumValue', 'Value of delivery lines', 'Σ tonnes × price of the delivery lines', amount],
  ['volume', 'Volume', 'volume of the lines if each has a volume and a price; otherwise the stated volume', amount],
  ['total', 'Total', 'value of the lines if each has a volume and a price; otherwise the stated total', amount],
  ['pricePerTonne', 'Price per tonne', 'total ÷ volume', price],
  ['statedPrice', 'Stated price per tonne', 'stated total ÷ stated volume', price],
  ['volumeDifference', 'Volume difference', 'stated volume − volume of the lines', amount],
  ['totalDifference', 'Total difference', 'stated total − value of the lines', amount],
  ['coverage', 'Coverage', 'volume ÷ requested tonnes, at most 100 %', percent],
  ['prepaid', 'Prepaid', 'Σ pre-payments', amount],
  ['prepaidShare', 'Prepaid share', 'pre-payments ÷ total', percent],
  ['presentValue', 'Present value', 'Σ payment ÷ (1 + discount rate) ^ (days ÷ 365)', amount],
  ['presentValuePerTonne', 'Present value per tonne', 'present value ÷ volume', price],
  ['haircut', 'Haircut', 'share of tonnes expected not to be delivered, by contract type', percent],
  ['riskAdjustedPrice', 'Risk-adjusted price', 'present value per tonne ÷ (1 − haircut)', price],
  ['meanWaitDays', 'Mean wait', 'Σ tonnes × days to delivery ÷ Σ tonnes', days],
  ['onTimeShare', 'On-time share', 'tonnes due by the fulfilment due date ÷ tonnes', percent],
  ['oldestVintage', 'Oldest vintage', 'earliest year of the lines', year],
  ['newestVintage', 'Newest vintage', 'latest year of the lines', year],
]

export function metricsTable({ own, metrics, compared, exchangeRate }: OfferDetail): Table<Figure> {
  const { currency } = compared
  const figures = METRIC_ROWS.map(([name, title, formula, format]): Figure => {
    const value = metrics[name as keyof Metrics] as number | null
    return {
      name,
      title,
      formula,
      value,
      formatted: format(value),
      reason: value === null ? (metrics.reasons[name] ?? null) : null,
    }
  })
  const rate = exchangeRate === null ? 'no exchange rate' : `× ${exchangeRate}`
  return {
    name: 'metrics',
    caption: 'Figures of the offer, with their formulas',
    columns: [
      { key: 'figure', title: 'Figure', value: ({ title }) => title },
      {
        key: 'value',
        title: `Value${own.currency ? `, ${plain(own.currency)}` : ''}`,
        align: 'right',
        value: ({ value }) => value,
        cell: ({ formatted }) => formatted,
      },
      { key: 'formula', title: 'Formula', value: ({ formula }) => formula },
      { key: 'reason', title: 'Why unknown', value: ({ reason }) => reason },
    ],
    rows: [
      ...figures,
      {
        name: 'comparedPricePerTonne',
        title: `Price per tonne, compared${currency ? ` in ${plain(currency)}` : ''}`,
        formula: `price per tonne ${rate}`,
        value: compared.pricePerTonne,
        formatted: price(compared.pricePerTonne),
        reason: null,
      },
      {
        name: 'comparedPrice',
        title: `Risk-adjusted price, compared${currency ? ` in ${plain(currency)}` : ''}`,
        formula: `risk-adjusted price ${rate}`,
        value: compared.riskAdjustedPrice,
        formatted: price(compared.riskAdjustedPrice),
        reason: null,
      },
    ],
    empty: <>No figures.</>,
  }
}

interface ScoreRow {
  criterion: Criterion
  points: number | null
}

export const scoresTable = ({ scores }: OfferDetail): Table<ScoreRow> => ({
  name: 'scores',
  caption: 'Points by criterion',
  columns: [
    { key: 'criterion', title: 'Criterion', value: ({ criterion }) => CRITERION_NAMES[criterion] },
    numberColumn('points', 'Points', ({ points }) => points, decimal),
    { key: 'definition', title: 'Definition', value: ({ criterion }) => CRITERION_DEFINITIONS[criterion] },
  ],
  rows: CRITERIA.map((criterion) => ({ criterion, points: scores?.[criterion] ?? null })),
  empty: <>The offer is not ranked.</>,
})
