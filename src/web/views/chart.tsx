import { chartSvg } from '../../../reports/html/chart-svg.js'
import type { Chart, ChartRange } from '../../../reports/layout/chart.js'

/** Cells of a chart that belongs to no sheet. */
export const values = <T,>(cached: readonly T[]): ChartRange<T> => ({ ref: '', cached })

/** A chart's place on a sheet, which a page does not have. */
export const NO_ANCHOR = { column: 0, row: 0, toColumn: 0, toRow: 0 }

/** A chart like that of the HTML report; its texts are escaped by the report's own renderer. */
export const ChartFigure = ({ chart }: { chart: Chart }) => (
  <figure class="chart" dangerouslySetInnerHTML={{ __html: chartSvg(chart) }} />
)
