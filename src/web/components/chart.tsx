import type { ScatterChart } from '../../tables/charts/chart.js'
import { chartFigure } from '../../tables/charts/chart-svg.js'

/** A chart, whose renderer escapes its texts. */
export const ChartFigure = ({ chart }: { chart: ScatterChart }) => (
  <figure class="chart" dangerouslySetInnerHTML={{ __html: chartFigure(chart) }} />
)
