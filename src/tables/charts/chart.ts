/** How points are drawn: apart, or joined in their order by a line or by steps that hold each value until the next. */
export type PointShape = 'dot' | 'open-dot' | 'ring' | 'line' | 'steps'

/** Points drawn in the same way; those without a figure are not drawn. */
export interface ScatterSeries {
  /** The label beside its dots or at the end of its steps; a line has none. */
  name: string
  x: readonly (number | null)[]
  y: readonly (number | null)[]
  shape: PointShape
  /** In the colour of what is awarded; default false. */
  awarded?: boolean
  /** What the shape stands for; each text is listed once below the chart. */
  meaning?: string
}

/** A chart of one figure against another. */
export interface ScatterChart {
  title: string
  alt: string
  xTitle: string
  yTitle: string
  /** A number format, or `time` if the figures are moments in milliseconds. */
  xFormat: string
  yFormat: string
  points: readonly ScatterSeries[]
  /** Lines across the chart at a value of the y axis. */
  limits?: readonly { name: string; value: number }[]
}

/** The points of a series that have both figures. */
export const knownPoints = ({ name, x, y }: Pick<ScatterSeries, 'name' | 'x' | 'y'>) =>
  x.flatMap((left, at) => {
    const up = y[at] ?? null
    return left === null || up === null ? [] : [{ name, x: left, y: up }]
  })
