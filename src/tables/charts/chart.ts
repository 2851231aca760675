/** How points are drawn: apart, or joined in their order by a line or by steps that hold each value until the next. */
export type PointShape = 'dot' | 'open-dot' | 'ring' | 'line' | 'steps'

/** Points drawn in the same way. */
export interface Series {
  /** The label beside its dots or at the end of its steps; a line has none. */
  name: string
  /** `x` is in milliseconds on an axis of time. */
  points: readonly { x: number; y: number }[]
  shape: PointShape
  /** In the colour of what is awarded; default false. */
  awarded?: boolean
  /** What the shape stands for; each text is listed once below the chart. */
  meaning?: string
}

/** A chart of prices per tonne against tonnes or time. */
export interface Chart {
  title: string
  alt: string
  xAxis: 'tonnes' | 'time'
  /** What the vertical axis measures; below the title. */
  unit: string
  series: readonly Series[]
  /** Lines across the chart at a price, as far as it is not far from the points. */
  limits?: readonly { name: string; value: number }[]
}
