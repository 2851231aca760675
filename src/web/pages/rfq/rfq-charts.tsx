import type { Chart, Series } from '../../../tables/charts/chart.js'
import { chartFigure } from '../../../tables/charts/chart-figure.js'
import type { RfqView } from '../../../tables/rfq/rfq-view.js'
import { comparePrices, type PriceHistory } from '../../../tables/rfq/timeline.js'
import { awardOf } from '../../../tables/rfq/what-if.js'
import { plain } from '../../components/format.js'

/** Maximum number of offers in a chart: more could not be distinguished. */
const MAX_OFFERS = 24

/** A chart, whose renderer escapes its texts. */
const ChartFigure = ({ chart }: { chart: Chart }) => (
  <figure class="chart" dangerouslySetInnerHTML={{ __html: chartFigure(chart) }} />
)

const perTonne = (currency: string | null) => `Price per tonne${currency ? `, ${plain(currency)}/t` : ''}`

/** Tonnes and price of the efficient awards, joined, of the offers, and of the recommended award. */
export function ChoicesChart({ view: { offers, decision, currency, rfq } }: { view: RfqView }) {
  const award = awardOf({ decision })
  const kind = decision.recommendation.status === 'accepted' ? 'Accepted' : 'Recommended'
  const efficient = decision.choices.filter((choice) => choice.kind === 'efficient').map((choice) => choice.award)
  const shown = offers.filter(({ compared }) => compared.pricePerTonne !== null).slice(0, MAX_OFFERS)
  const limits = [
    { name: 'Maximum price', value: rfq.comparedMaxUnitPrice },
    { name: 'Minimum price', value: rfq.comparedMinUnitPrice },
  ]
  const pointsOf = (awards: readonly { tonnes: number; pricePerTonne: number }[]) =>
    awards.map(({ tonnes, pricePerTonne }) => ({ x: tonnes, y: pricePerTonne }))
  const chart: Chart = {
    title: 'Tonnes and price',
    alt: `Tonnes and price per tonne of ${efficient.length} efficient awards, joined by a line, and of ${shown.length} offers`,
    xAxis: 'tonnes',
    unit: perTonne(currency.comparison),
    series: [
      {
        name: kind.toLowerCase(),
        points: pointsOf(award === null ? [] : [award]),
        shape: 'ring',
        ...(award !== null && { meaning: `${kind} award` }),
      },
      { name: 'Efficient award', points: pointsOf(efficient), shape: 'line', meaning: 'Efficient awards' },
      ...shown.map(({ number, tonnes, compared, standing, awardedTonnes }): Series => {
        const competes = standing === 'ranked' || standing === 'accepted'
        return {
          name: `no. ${number}`,
          points: [{ x: tonnes, y: compared.pricePerTonne }],
          shape: competes ? 'dot' : 'open-dot',
          awarded: awardedTonnes > 0,
          meaning: awardedTonnes > 0 ? 'Offers in the award' : competes ? 'Other offers' : 'Offers without a rank',
        }
      }),
    ],
    limits: limits.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }])),
  }
  return <ChartFigure chart={chart} />
}

/** The price of each offer over time, held until the next version; nothing if no price can be compared. */
export function PriceHistoryChart({ view, prices }: { view: RfqView; prices: readonly PriceHistory[] }) {
  const { currency, histories, leftOut } = comparePrices(prices, view)
  if (histories.length === 0) return null
  const chart: Chart = {
    title: perTonne(currency),
    alt: `Price per tonne of ${histories.length} offers over time`,
    xAxis: 'time',
    unit: '',
    series: histories.map(({ offerId, number, awarded, points }) => {
      const end = view.offers.find(({ id }) => id === offerId)?.missingSince ?? view.asOf
      const shown = points.map(({ at, pricePerTonne: y }) => ({ x: Date.parse(at), y }))
      const last = shown.at(-1)
      if (last !== undefined) shown.push({ x: Date.parse(end), y: last.y })
      return { name: `no. ${number}`, points: shown, shape: 'steps', awarded }
    }),
  }
  return (
    <section aria-labelledby="prices">
      <h2 id="prices">Prices over time</h2>
      <ChartFigure chart={chart} />
      {leftOut && <p class="small muted">{plain(leftOut)}</p>}
    </section>
  )
}
