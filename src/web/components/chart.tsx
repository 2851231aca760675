import type { Chart, ChartRange } from '../../presentation/chart.js'
import { chartSvg } from '../../presentation/chart-svg.js'

/** Cells of a chart that belongs to no sheet. */
export const values = <T,>(cached: readonly T[]): ChartRange<T> => ({ ref: '', cached })

/** A chart like that of the HTML report; its texts are escaped by the report's own renderer. */
export const ChartFigure = ({ chart }: { chart: Chart }) => (
  <figure class="chart" dangerouslySetInnerHTML={{ __html: chartSvg(chart) }} />
)
