import type { ColumnChart, ScatterChart } from '../../../presentation/chart.js'
import type { RfqView, TonnesByOffer } from '../../../views/rfq/rfq-view.js'
import type { PriceHistory } from '../../../views/rfq/timeline.js'
import { ChartFigure, values } from '../../components/chart.js'
import { plain } from '../../components/format.js'
import { PriceHistoryChart } from '../../components/price-history-chart.js'

/** Maximum number of offers in a chart: more could not be distinguished. */
const MAX_OFFERS = 24

/** Prices against the limits, volume by vintage, deliveries, prices over time. */
export function RfqCharts({ view, prices }: { view: RfqView; prices: readonly PriceHistory[] }) {
  const labels = new Map(view.offers.map(({ id, label, number }) => [id, `${number} ${label}`]))
  const histories = prices.map((history) => ({ ...history, label: labels.get(history.offerId) ?? history.offerId }))
  if (!view.offers.some(({ compared }) => compared.pricePerTonne !== null)) return null
  return (
    <section aria-labelledby="charts">
      <h2 id="charts">Charts</h2>
      <div class="charts">
        <ChartFigure chart={priceChart(view)} />
        {view.vintages.length > 0 && <ChartFigure chart={tonnesChart('Volume by vintage', 'Vintage', view.vintages)} />}
        {view.deliveries.length > 0 && (
          <ChartFigure chart={tonnesChart('Delivery timeline', 'Month', view.deliveries)} />
        )}
        {histories.length > 0 && <PriceHistoryChart histories={histories} until={view.asOf} />}
      </div>
    </section>
  )
}

function priceChart({ offers, rfq, currency, decision }: RfqView): ColumnChart {
  const shown = offers.filter(({ compared }) => compared.pricePerTonne !== null).slice(0, MAX_OFFERS)
  const limit = (name: string, value: number | null) =>
    value === null ? [] : [{ name: values([name]), values: values(shown.map(() => value)), line: true }]
  const awarded = (wanted: boolean) =>
    values(shown.map(({ compared, awardedTonnes }) => (awardedTonnes > 0 === wanted ? compared.pricePerTonne : null)))
  const award = decision.recommendation.status === 'accepted' ? 'Accepted award' : 'Recommended award'
  return {
    title: `Price per tonne${currency.comparison ? `, ${plain(currency.comparison)}/t` : ''}, by rank`,
    alt: `Price per tonne of ${shown.length} offers, with the limits of the RFQ`,
    stacked: true,
    labelled: shown.length <= 12,
    categories: values(shown.map(({ number }) => `no. ${number}`)),
    categoryTitle: 'Offer',
    valueTitle: 'Price per tonne',
    format: '0.00',
    series: [
      { name: values(['Other offers']), values: awarded(false) },
      { name: values([award]), values: awarded(true) },
      ...limit('Maximum price of the RFQ', rfq.comparedMaxUnitPrice),
      ...limit('Minimum price of the RFQ', rfq.comparedMinUnitPrice),
    ],
  }
}

/** Tonnes and price of the efficient awards, joined, and of the offers that compete. */
export const ChoicesChart = ({ view }: { view: RfqView }) => <ChartFigure chart={choicesChart(view)} />

function choicesChart({ offers, decision, currency }: RfqView): ScatterChart {
  const efficient = decision.choices.filter(({ kind }) => kind === 'efficient').map(({ award }) => award)
  const { award } = decision.recommendation
  const shown = offers.filter(({ standing }) => standing === 'ranked').slice(0, MAX_OFFERS)
  const recommended = award === null ? [] : [award]
  return {
    title: 'Tonnes and price per tonne',
    alt: `Tonnes and price per tonne of ${efficient.length} efficient awards, joined by a line, and of ${shown.length} offers`,
    xTitle: 'Tonnes',
    yTitle: `Price per tonne${currency.comparison ? `, ${plain(currency.comparison)}/t` : ''}`,
    xFormat: '#,##0',
    yFormat: '0.00',
    points: [
      { name: values(['Recommended award']), ...pointsOf(recommended), highlight: true },
      { name: values(['Efficient awards']), ...pointsOf(efficient), joined: true },
      ...shown.map(({ number, tonnes, compared }) => ({
        name: values([`no. ${number}`]),
        ...pointsOf([{ tonnes, pricePerTonne: compared.pricePerTonne }]),
      })),
    ],
  }
}

const pointsOf = (all: readonly { tonnes: number | null; pricePerTonne: number | null }[]) => ({
  x: values(all.map(({ tonnes }) => tonnes)),
  y: values(all.map(({ pricePerTonne }) => pricePerTonne)),
})

function tonnesChart(title: string, categoryTitle: string, bars: readonly TonnesByOffer[]): ColumnChart {
  const offers = bars[0]?.tonnes.map(({ label }) => label) ?? []
  return {
    title: `${title}, t`,
    alt: `${title} of ${offers.length} offers`,
    stacked: true,
    categories: values(bars.map(({ label }) => label)),
    categoryTitle,
    valueTitle: 'Tonnes',
    format: '#,##0',
    series: offers.map((label, at) => ({
      name: values([label]),
      values: values(bars.map(({ tonnes }) => tonnes[at]?.tonnes ?? 0)),
    })),
  }
}
