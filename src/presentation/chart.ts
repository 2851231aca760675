import { type Axis, numberAxis } from './axis.js'
import { palette } from './palette.js'

/** A range of cells with its current values, so that a chart is correct before the workbook is recalculated. */
export interface ChartRange<T> {
  /** Absolute address, such as `'Summary'!$B$5:$B$9`; empty for a chart on a page, which has no cells. */
  ref: string
  cached: readonly T[]
}

export interface ChartSeries {
  name: ChartRange<string>
  values: ChartRange<number | null>
  /** In the colour of what is awarded; default false. */
  awarded?: boolean
  /** Written into its columns on pages, such as the number of an offer. */
  mark?: string
}

interface ChartFrame {
  title: string
  alt: string
}

/** A column chart by category: a native chart in the workbook, SVG on the HTML page. */
export interface ColumnChart extends ChartFrame {
  /** Whether the series are stacked or side by side. */
  stacked: boolean
  categories: ChartRange<string>
  categoryTitle: string
  valueTitle: string
  format: string
  series: readonly ChartSeries[]
  /** False: another chart beside it says on pages what its colours stand for. */
  legend?: boolean
}

/** How points are drawn: apart, or joined in their order by a line or by steps that hold each value until the next. */
export type PointShape = 'dot' | 'open-dot' | 'ring' | 'line' | 'steps'

/** Points drawn in the same way; those without a figure are not drawn. */
export interface ScatterSeries {
  /** The label beside its dots or at the end of its steps; a line has none. */
  name: ChartRange<string>
  x: ChartRange<number | null>
  y: ChartRange<number | null>
  shape: PointShape
  /** In the colour of what is awarded; default false. */
  awarded?: boolean
  /** What the shape stands for; each text is listed once below the chart, on pages. */
  meaning?: string
}

/** A chart of one figure against another. */
export interface ScatterChart extends ChartFrame {
  xTitle: string
  yTitle: string
  /** A number format, or `time` if the figures are moments in milliseconds. */
  xFormat: string
  yFormat: string
  points: readonly ScatterSeries[]
  /** Lines across the chart at a value of the y axis, on pages. */
  limits?: readonly { name: string; value: number }[]
}

export type Chart = ColumnChart | ScatterChart

/** The points of a series that have both figures. */
export const knownPoints = ({ name, x, y }: Pick<ScatterSeries, 'name' | 'x' | 'y'>) =>
  x.cached.flatMap((left, at) => {
    const up = y.cached[at] ?? null
    return left === null || up === null ? [] : [{ name: name.cached[at] ?? name.cached[0] ?? '', x: left, y: up }]
  })

/** The axes of a scatter chart of numbers, around all of its points. */
export function scatterAxes({ points }: Pick<ScatterChart, 'points'>): { x: Axis; y: Axis } {
  const known = points.flatMap(knownPoints)
  return { x: numberAxis(known.map(({ x }) => x)), y: numberAxis(known.map(({ y }) => y)) }
}

/** The colours of charts in the workbook: what is awarded, then everything else, told apart by shape, place and label. */
export const AWARD_COLOUR = palette.head.slice(2)
export const NEUTRAL_COLOURS = ['75828E', 'A3AEB8', 'C6CED5', '56626D'] as const
