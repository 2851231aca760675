/** A range of cells with its current values, so that a chart is correct before the workbook is recalculated. */
export interface ChartRange<T> {
  /** Absolute address, such as `'Summary'!$B$5:$B$9`; empty for a chart on a page, which has no cells. */
  ref: string
  cached: readonly T[]
}

export interface ChartSeries {
  name: ChartRange<string>
  values: ChartRange<number | null>
  /** Drawn as a line over the columns, such as a budget; default false. */
  line?: boolean
}

interface ChartFrame {
  title: string
  alt: string
}

/** A column chart by category: a native chart in the workbook, SVG on the HTML page. */
export interface ColumnChart extends ChartFrame {
  /** Whether the series are stacked or side by side. */
  stacked: boolean
  /** Bars to both sides of 0 instead, the first category on top; the series are in one line. */
  horizontal?: boolean
  /** Each column has one value, although the series are stacked: shown inside, where it cannot collide with a line. */
  labelled?: boolean
  categories: ChartRange<string>
  categoryTitle: string
  valueTitle: string
  format: string
  series: readonly ChartSeries[]
}

/** Bubbles of one colour; those of size 0 are not drawn. */
export interface BubbleSeries {
  /** Also the label of its bubbles, except of those that highlight others. */
  name: ChartRange<string>
  x: ChartRange<number | null>
  y: ChartRange<number | null>
  sizes: ChartRange<number | null>
  /** Drawn on top of others to highlight them. */
  highlight?: boolean
}

/** A chart of bubbles whose areas are a third figure. */
export interface BubbleChart extends ChartFrame {
  xTitle: string
  yTitle: string
  xFormat: string
  yFormat: string
  /** Where the vertical axis begins. */
  yMin: number
  bubbles: readonly BubbleSeries[]
}

export type Chart = ColumnChart | BubbleChart

/** Colours of lines in order, such as a maximum and a minimum. */
export const LINE_COLOURS = ['99271C', '7F5200'] as const
/** Of bubbles, and of columns that stand for an award and for others. */
export const HIGHLIGHT_COLOUR = 'E69F00'

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
