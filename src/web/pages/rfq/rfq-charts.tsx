import { Chart, type ChartProps, type Series } from '../../../tables/charts/chart.js'
import { comparePrices, type OfferPrice } from '../../../tables/rfq/price-history.js'
import type { RfqView } from '../../../tables/rfq/rfq-view.js'
import { awardOf } from '../../../tables/rfq/what-if.js'
import { plain } from '../../components/format.js'

/** Maximum number of offers in a chart: more could not be distinguished. */
const MAX_OFFERS = 24

const perTonne = (currency: string | null) => `Price per tonne${currency ? `, ${plain(currency)}/t` : ''}`

/** The offers by tonnes and price, and their prices over time. */
export function Charts({ view, prices }: { view: RfqView; prices: readonly OfferPrice[] }) {
  const histories = comparePrices(prices, view)
  if (histories.length === 0) return null
  return (
    <section aria-labelledby="charts-title">
      <h2 id="charts-title">Prices</h2>
      <div class="charts">
        <Chart {...choicesChart(view)} />
        <Chart {...priceChart(view, histories)} />
      </div>
    </section>
  )
}

/** Tonnes and price of the efficient awards, joined, of the offers, and of the recommended award. */
function choicesChart({ offers, decision, currency, rfq }: RfqView): ChartProps {
  const award = awardOf({ decision })
  const kind = decision.recommendation.status === 'accepted' ? 'accepted' : 'recommended'
  const efficient = decision.choices.filter((choice) => choice.kind === 'efficient').map((choice) => choice.award)
  const shown = offers.slice(0, MAX_OFFERS)
  const limit = (name: string, value: number | null) => (value === null ? [] : [{ name, value }])
  const pointsOf = (awards: readonly { tonnes: number; pricePerTonne: number }[]) =>
    awards.map(({ tonnes, pricePerTonne }) => ({ x: tonnes, y: pricePerTonne }))
  return {
    title: 'Tonnes and price',
    alt: `Tonnes and price per tonne of ${efficient.length} efficient awards, joined by a line, and of ${shown.length} offers`,
    xAxis: 'tonnes',
    legend: `${perTonne(currency.comparison)}, by tonnes. Line: efficient awards. Hollow: offers without a rank.`,
    series: [
      { name: 'efficient award', points: pointsOf(efficient), shape: 'line' },
      ...shown.map(
        ({ sequence, metrics: { volume: x }, compared: { pricePerTonne: y }, standing, awardedTonnes }): Series => ({
          name: `no. ${sequence}`,
          points: x === null || y === null ? [] : [{ x, y }],
          shape: standing === 'ranked' || standing === 'accepted' ? 'dot' : 'open-dot',
          awarded: awardedTonnes > 0,
        }),
      ),
      { name: kind, points: pointsOf(award === null ? [] : [award]), shape: 'dot', awarded: true },
    ],
    limits: [...limit('Maximum price', rfq.comparedMaxUnitPrice), ...limit('Minimum price', rfq.comparedMinUnitPrice)],
  }
}

/** The price of each offer over time, held until the next version. */
function priceChart({ currency, asOf }: RfqView, histories: ReturnType<typeof comparePrices>): ChartProps {
  return {
    title: 'Prices over time',
    alt: `Price per tonne of ${histories.length} offers over time`,
    xAxis: 'time',
    legend: perTonne(currency.comparison),
    series: histories.map(({ offer: { sequence, missingSince, awardedTonnes }, points }) => {
      const ends = points.slice(-1).map((last) => ({ ...last, at: missingSince ?? asOf }))
      const shown = [...points, ...ends].map(({ at, pricePerTonne: y }) => ({ x: Date.parse(at), y }))
      return { name: `no. ${sequence}`, points: shown, shape: 'steps', awarded: awardedTonnes > 0 }
    }),
  }
}
