import type { BubbleChart, ColumnChart } from '../../presentation/chart.js'
import type { RfqPageModel, TonnesByOffer } from '../../read-models/rfq-page-model.js'
import type { RfqPage } from '../page-queries.js'
import { ChartFigure, values } from '../views/chart.js'
import { plain } from '../views/format.js'
import { PriceHistoryChart } from '../views/price-history-chart.js'

/** Offers in a column chart; more would be too narrow to read. */
const MAX_COLUMNS = 24

/** Price against the limits, score against price, volume by vintage, deliveries, prices over time. */
export function RfqCharts({ model, prices }: Pick<RfqPage, 'model' | 'prices'>) {
  const labels = new Map(model.offers.map(({ id, label, number }) => [id, `${number} ${label}`]))
  const histories = prices.map((history) => ({ ...history, label: labels.get(history.offerId) ?? history.offerId }))
  if (!model.offers.some(({ pricePerTonne }) => pricePerTonne !== null)) return null
  return (
    <section aria-labelledby="charts">
      <h2 id="charts">Charts</h2>
      <div class="charts">
        <ChartFigure chart={priceChart(model)} />
        {model.offers.some(({ score }) => score !== null) && <ChartFigure chart={scoreChart(model)} />}
        {model.vintages.length > 0 && (
          <ChartFigure chart={tonnesChart('Volume by vintage', 'Vintage', model.vintages)} />
        )}
        {model.deliveries.length > 0 && (
          <ChartFigure chart={tonnesChart('Delivery timeline', 'Month', model.deliveries)} />
        )}
        {histories.length > 0 && <PriceHistoryChart histories={histories} until={model.asOf} />}
      </div>
    </section>
  )
}

function priceChart({ offers, rfq, currency, isAccepted }: RfqPageModel): ColumnChart {
  const shown = offers.filter(({ pricePerTonne }) => pricePerTonne !== null).slice(0, MAX_COLUMNS)
  const limit = (name: string, value: number | null) =>
    value === null ? [] : [{ name: values([name]), values: values(shown.map(() => value)), line: true }]
  const awarded = (wanted: boolean) =>
    values(shown.map(({ pricePerTonne, awardedTonnes }) => (awardedTonnes > 0 === wanted ? pricePerTonne : null)))
  return {
    title: `Price per tonne${currency ? `, ${plain(currency)}/t` : ''}, by rank`,
    alt: `Price per tonne of ${shown.length} offers, with the limits of the RFQ`,
    stacked: true,
    labelled: shown.length <= 12,
    categories: values(shown.map(({ number }) => `no. ${number}`)),
    categoryTitle: 'Offer',
    valueTitle: 'Price per tonne',
    format: '0.00',
    series: [
      { name: values(['Other offers']), values: awarded(false) },
      { name: values([isAccepted ? 'Accepted award' : 'Recommended award']), values: awarded(true) },
      ...limit('Maximum price of the RFQ', rfq.comparedMaxUnitPrice),
      ...limit('Minimum price of the RFQ', rfq.comparedMinUnitPrice),
    ],
  }
}

function scoreChart({ offers, currency }: RfqPageModel): BubbleChart {
  const shown = offers.filter(({ score, riskAdjustedPrice }) => score !== null && riskAdjustedPrice !== null)
  const bubble = (offer: (typeof shown)[number]) => ({
    name: values([`${offer.number}`]),
    x: values([offer.riskAdjustedPrice]),
    y: values([offer.score]),
    sizes: values([offer.volume]),
  })
  const awarded = shown.filter(({ awardedTonnes }) => awardedTonnes > 0)
  return {
    title: 'Score against risk-adjusted price',
    alt: `Score and risk-adjusted price of ${shown.length} offers; the area is the volume, the award is highlighted`,
    xTitle: `Risk-adjusted price${currency ? `, ${plain(currency)}/t` : ''}`,
    yTitle: 'Score',
    xFormat: '0.00',
    yFormat: '0',
    yMin: 0,
    bubbles: [...shown.map(bubble), ...awarded.map((offer) => ({ ...bubble(offer), highlight: true }))],
  }
}

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
