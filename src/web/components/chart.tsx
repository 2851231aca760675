import type { ScatterChart } from '../../presentation/chart.js'
import { chartFigure } from '../../presentation/chart-svg.js'

/** A chart, whose renderer escapes its texts. */
export const ChartFigure = ({ chart }: { chart: ScatterChart }) => (
  <figure class="chart" dangerouslySetInnerHTML={{ __html: chartFigure(chart) }} />
)
