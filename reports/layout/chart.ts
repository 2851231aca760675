/** A range of cells with its current values, so that a chart is correct before the workbook is recalculated. */
export interface ChartRange<T> {
  /** Absolute address, such as `'Summary'!$B$5:$B$9`. */
  ref: string
  cached: readonly T[]
}

export interface ChartSeries {
  name: ChartRange<string>
  values: ChartRange<number | null>
  /** Drawn as a line over the columns, such as a budget; default false. */
  line?: boolean
}

/** A column chart by category: a native chart in the workbook, SVG on the HTML page. */
export interface Chart {
  title: string
  /** Alternative text. */
  alt: string
  /** Whether the series are stacked or side by side. */
  stacked: boolean
  categories: ChartRange<string>
  categoryTitle: string
  valueTitle: string
  /** Number format of the value axis. */
  format: string
  series: readonly ChartSeries[]
  /** Corner cells, counted from 0. */
  anchor: { column: number; row: number; toColumn: number; toRow: number }
}

/** Distinguishable with colour blindness and in greyscale (Okabe and Ito, 2008). */
export const CHART_COLOURS = [
  '0072B2',
  'E69F00',
  '009E73',
  'CC79A7',
  '56B4E9',
  'D55E00',
  'B8A500',
  '7F7F7F',
  '4B3F72',
  '8C564B',
]
