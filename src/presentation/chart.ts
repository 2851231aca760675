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
  /** Each column has one value, although the series are stacked: shown inside, where it cannot collide with a line. */
  labelled?: boolean
  categories: ChartRange<string>
  categoryTitle: string
  valueTitle: string
  format: string
  series: readonly ChartSeries[]
}

/** Dots, or points joined by a line, of one colour; points without a figure are not drawn. */
export interface ScatterSeries {
  /** The label of its dots; a line has none. */
  name: ChartRange<string>
  x: ChartRange<number | null>
  y: ChartRange<number | null>
  /** Joined by a line in their order. */
  joined?: boolean
  /** A larger dot in another colour, drawn below the others. */
  highlight?: boolean
}

/** A chart of one figure against another. */
export interface ScatterChart extends ChartFrame {
  xTitle: string
  yTitle: string
  xFormat: string
  yFormat: string
  points: readonly ScatterSeries[]
}

export type Chart = ColumnChart | ScatterChart

/** The axis of a scatter chart, from one round figure to another. */
export interface Axis {
  min: number
  max: number
  step: number
}

const AXIS_STEPS = 5
/** Share of the axis that is left free at both ends, for labels. */
const AXIS_MARGIN = 0.08

/** A step of 1, 2, 2.5 or 5 times a power of ten, at least as large. */
export function roundStep(step: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(step))
  return ([1, 2, 2.5, 5, 10].find((factor) => factor * magnitude >= step * (1 - 1e-9)) ?? 10) * magnitude
}

/** The axes of a scatter chart, around all of its points. */
export function scatterAxes({ points }: Pick<ScatterChart, 'points'>): { x: Axis; y: Axis } {
  const known = points.flatMap(({ x, y }) =>
    x.cached.flatMap((left, at) => {
      const up = y.cached[at] ?? null
      return left === null || up === null ? [] : [[left, up] as const]
    }),
  )
  return { x: axisAround(known.map(([left]) => left)), y: axisAround(known.map(([, up]) => up)) }
}

function axisAround(values: readonly number[]): Axis {
  if (values.length === 0) return { min: 0, max: 1, step: 1 }
  const low = values.reduce((a, b) => Math.min(a, b))
  const high = values.reduce((a, b) => Math.max(a, b))
  const span = high - low || Math.abs(high) || 1
  const step = roundStep((span * (1 + 2 * AXIS_MARGIN)) / AXIS_STEPS)
  const from = Math.floor((low - span * AXIS_MARGIN) / step) * step
  const exact = (value: number) => Number(value.toPrecision(12))
  const max = Math.ceil((high + span * AXIS_MARGIN) / step) * step
  return { min: exact(low >= 0 ? Math.max(0, from) : from), max: exact(max), step: exact(step) }
}

/** Colours of lines in order, such as a maximum and a minimum. */
export const LINE_COLOURS = ['99271C', '7F5200'] as const
/** Of dots and columns that stand for an award. */
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
