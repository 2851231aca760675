import type { ScatterChart, ScatterSeries } from '../../../tables/charts/chart.js'
import type { RfqView } from '../../../tables/rfq/rfq-view.js'
import { comparePrices, type PriceHistory } from '../../../tables/rfq/timeline.js'
import { ChartFigure } from '../../components/chart.js'
import { plain } from '../../components/format.js'

/** Maximum number of offers in a chart: more could not be distinguished. */
const MAX_OFFERS = 24

/** Prices over time. */
export function PriceHistoryChart({ view, prices }: { view: RfqView; prices: readonly PriceHistory[] }) {
  const history = priceHistoryChart(view, prices)
  if (history === null) return null
  return (
    <section aria-labelledby="prices">
      <h2 id="prices">Prices over time</h2>
      <ChartFigure chart={history.chart} />
      {history.leftOut && <p class="small muted">{plain(history.leftOut)}</p>}
    </section>
  )
}

const perTonne = (currency: string | null) => `Price per tonne${currency ? `, ${plain(currency)}/t` : ''}`

/** Tonnes and price of the efficient awards, joined, of the offers, and of the recommended award. */
export const ChoicesChart = ({ view }: { view: RfqView }) => <ChartFigure chart={choicesChart(view)} />

function choicesChart({ offers, decision, currency, rfq }: RfqView): ScatterChart {
  const efficient = decision.choices.filter(({ kind }) => kind === 'efficient').map(({ award }) => award)
  const { award, status } = decision.recommendation
  const shown = offers.filter(({ compared }) => compared.pricePerTonne !== null).slice(0, MAX_OFFERS)
  const limit = (name: string, value: number | null) => (value === null ? [] : [{ name, value }])
  return {
    title: 'Tonnes and price',
    alt: `Tonnes and price per tonne of ${efficient.length} efficient awards, joined by a line, and of ${shown.length} offers`,
    xTitle: 'Tonnes',
    yTitle: perTonne(currency.comparison),
    xFormat: '#,##0',
    yFormat: '0.00',
    points: [
      ...(award === null
        ? []
        : [
            {
              name: status === 'accepted' ? 'accepted' : 'recommended',
              ...pointsOf([award]),
              ...{ shape: 'ring' as const, meaning: status === 'accepted' ? 'Accepted award' : 'Recommended award' },
            },
          ]),
      { name: 'Efficient award', ...pointsOf(efficient), shape: 'line', meaning: 'Efficient awards' },
      ...shown.map(({ number, tonnes, compared, standing, awardedTonnes }): ScatterSeries => {
        const competes = standing === 'ranked' || standing === 'accepted'
        return {
          name: `no. ${number}`,
          ...pointsOf([{ tonnes, pricePerTonne: compared.pricePerTonne }]),
          shape: competes ? 'dot' : 'open-dot',
          awarded: awardedTonnes > 0,
          meaning: awardedTonnes > 0 ? 'Offers in the award' : competes ? 'Other offers' : 'Offers without a rank',
        }
      }),
    ],
    limits: [...limit('Maximum price', rfq.comparedMaxUnitPrice), ...limit('Minimum price', rfq.comparedMinUnitPrice)],
  }
}

const pointsOf = (all: readonly { tonnes: number | null; pricePerTonne: number | null }[]) => ({
  x: all.map(({ tonnes }) => tonnes),
  y: all.map(({ pricePerTonne }) => pricePerTonne),
})

/** The price of each offer over time, held until the next version; null if no offer has a price that can be compared. */
function priceHistoryChart(
  view: RfqView,
  prices: readonly PriceHistory[],
): { chart: ScatterChart; leftOut: string | null } | null {
  const { currency, histories, leftOut } = comparePrices(prices, view)
  if (histories.length === 0) return null
  const endOf = (offerId: string) => view.offers.find(({ id }) => id === offerId)?.missingSince ?? view.asOf
  const chart: ScatterChart = {
    title: perTonne(currency),
    alt: `Price per tonne of ${histories.length} offers over time`,
    xTitle: '',
    yTitle: '',
    xFormat: 'time',
    yFormat: '0.00',
    points: histories.map(({ offerId, number, awarded, points }) => {
      const last = points.at(-1)
      const all = last === undefined ? points : [...points, { ...last, at: endOf(offerId) }]
      return {
        name: `no. ${number}`,
        x: all.map(({ at }) => Date.parse(at)),
        y: all.map(({ pricePerTonne }) => pricePerTonne),
        shape: 'steps',
        awarded,
      }
    }),
  }
  return { chart, leftOut }
}
