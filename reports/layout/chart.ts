/** A range of cells with what it shows now, so that a chart is right before anything is computed. */
export interface ChartRange<T> {
  /** Absolute address, such as `'Summary'!$B$5:$B$9`. */
  ref: string
  cached: readonly T[]
}

export interface ChartSeries {
  name: ChartRange<string>
  values: ChartRange<number | null>
  /** A line over the columns, such as a budget; a column unless told. */
  line?: boolean
}

/** A native chart of columns by category. */
export interface Chart {
  title: string
  /** What the chart shows, in words, for those who cannot see it. */
  alt: string
  /** Columns of several series on top of each other, or beside each other. */
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

/** Told apart by people who see colours differently, and in grey (Okabe and Ito, 2008). */
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
