import type { Chart, ChartRange } from '../../presentation/chart.js'
import { chartFigure } from '../../presentation/chart-svg.js'

/** Cells of a chart that belongs to no sheet. */
export const values = <T,>(cached: readonly T[]): ChartRange<T> => ({ ref: '', cached })

/** A chart like that of the HTML report, whose renderer escapes its texts. */
export const ChartFigure = ({ chart }: { chart: Chart }) => (
  <figure class="chart" dangerouslySetInnerHTML={{ __html: chartFigure(chart) }} />
)
