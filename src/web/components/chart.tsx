import type { Chart } from '../../presentation/chart.js'
import { chartFigure } from '../../presentation/chart-svg.js'

/** A chart, whose renderer escapes its texts. */
export const ChartFigure = ({ chart }: { chart: Chart }) => (
  <figure class="chart" dangerouslySetInnerHTML={{ __html: chartFigure(chart) }} />
)
