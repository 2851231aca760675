import { formatAmount, formatPrice } from '../../core/text/number-format.js'

/** Points drawn in the same way. */
export interface Series {
  /** The label beside its dots or at the end of its steps; a line has none. */
  name: string
  /** `x` is in milliseconds on an axis of time; `y` is a price per tonne. */
  points: readonly { x: number; y: number }[]
  /** Apart as dots, or joined in their order by a line or by steps that hold each value until the next. */
  shape: 'dot' | 'open-dot' | 'line' | 'steps'
  /** In the colour of what is awarded; default false. */
  awarded?: boolean
}

/** A chart of prices per tonne against tonnes or time. */
export interface ChartProps {
  title: string
  alt: string
  xAxis: 'tonnes' | 'time'
  /** What the axes measure and what the shapes stand for; below the title. */
  legend: string
  series: readonly Series[]
  /** Lines across the chart at a price, as far as it is not far from the points. */
  limits?: readonly { name: string; value: number }[]
}

/** As wide as a phone shows without scaling; the style sheet limits how far a chart grows. */
const WIDTH = 400
/** The vertical range of a plot. */
const [TOP, BOTTOM] = [18, 208]
/** Height of a line of text, and a width of a character that no usual font exceeds, so that labels do not touch. */
const [TEXT_HEIGHT, CHARACTER_WIDTH] = [14, 8.2]
const RADIUS = 4.5
/** Line styles. */
const DASHES = 4

/** A chart: caption and SVG. Labels that have no room are left out; shapes say the same when pointed at. */
export function Chart({ title, alt, xAxis, legend, series, limits = [] }: ChartProps) {
  const isTime = xAxis === 'time'
  const all = series.flatMap(({ points }) => points)
  const ys = all.map((point) => point.y)
  const near = limits.filter(({ value }) => isNear(value, numberAxis(ys)))
  const across = (isTime ? timeAxis : numberAxis)(all.map((point) => point.x))
  const up = numberAxis([...ys, ...near.map(({ value }) => value)])
  const left = Math.ceil(Math.max(...up.ticks.map((tick) => textWidth(formatPrice(tick))))) + 8
  const ends = series.map(({ name, shape }) => (shape === 'steps' ? textWidth(name) + 14 : 20))
  const right = WIDTH - Math.ceil(Math.max(20, ...ends))
  const [x, y] = [scale(across, left + 4, right), scale(up, BOTTOM, TOP)]
  // What is awarded covers the others.
  const drawn = series
    .toSorted((a, b) => Number(a.awarded ?? 0) - Number(b.awarded ?? 0))
    .map((each) => ({
      ...each,
      points: each.points.map((point): Point => {
        const figures = `${isTime ? '' : `${formatAmount(point.x)} t, `}${formatPrice(point.y)}`
        return { x: x(point.x), y: y(point.y), name: each.name, text: `${each.name}: ${figures}` }
      }),
    }))
  const placed = drawn.flatMap(({ points }) => points.map(boxOf))
  const label = labeller({ x: left, y: 0, width: WIDTH - left, height: BOTTOM + TEXT_HEIGHT / 2 }, placed)
  const tickLabel = labeller({ x: 0, y: 0, width: WIDTH, height: BOTTOM + 26 }, [])
  return (
    <figure class="chart">
      <figcaption>
        {title}
        <small>{legend}</small>
      </figcaption>
      <svg class="plot" text-anchor="middle" viewBox={`0 0 ${WIDTH} ${BOTTOM + 26}`} role="img" aria-label={alt}>
        <path class="grid" d={up.ticks.map((tick) => `M${left} ${y(tick)}H${right}`).join('')} />
        <g text-anchor="end">
          {up.ticks.map((tick) => (
            <text x={left - 6} y={y(tick) + 4}>
              {formatPrice(tick)}
            </text>
          ))}
        </g>
        {across.ticks.map((tick) => tickLabel(across.format(tick), placesBelow(across.format(tick), x(tick)), 'tick'))}
        {near.map(({ name, value }) => [
          <path class="limit" d={`M${left} ${y(value)}H${right}`} />,
          label(name, placesOnLine(name, y(value), right), 'limit-name'),
        ])}
        {drawn.map(({ shape, awarded, points }, at) => [
          <path class={`path ${awarded ? 'award' : `d${at % DASHES}`}`} d={pathOf(shape, points)} />,
          points.map((point, index) =>
            // A step has a dot where its value changes.
            shape === 'steps' && points[index - 1]?.y === point.y ? null : (
              <circle
                class={`dot ${shape === 'open-dot' ? 'open' : awarded ? 'award' : ''}`}
                cx={point.x}
                cy={point.y}
                r={isDot(shape) ? RADIUS : 3}
              >
                <title>{point.text}</title>
              </circle>
            ),
          ),
        ])}
        {drawn.flatMap(({ shape, points }) =>
          isDot(shape) ? points.map((dot) => label(dot.name, placesAround(dot), 'value')) : [],
        )}
        {drawn
          .flatMap(({ shape, awarded, points }) =>
            shape === 'steps' ? points.slice(-1).map((end) => ({ ...end, awarded })) : [],
          )
          // From the upper one down, so that their labels are in this order.
          .sort((a, b) => a.y - b.y)
          .map((end) => label(end.name, placesAtEnd(end.name, right, end.y), end.awarded ? 'value award' : 'value'))}
      </svg>
    </figure>
  )
}

/** In pixels. */
interface Point {
  x: number
  y: number
  name: string
  /** Shown when it is pointed at. */
  text: string
}

const isDot = (shape: Series['shape']) => shape === 'dot' || shape === 'open-dot'

/** What joins the points of a series. */
function pathOf(shape: Series['shape'], points: readonly Point[]): string {
  if (isDot(shape)) return ''
  const next = ({ x, y }: Point) => (shape === 'line' ? `L${x} ${y}` : `H${x}V${y}`)
  return points.map((point, at) => (at === 0 ? `M${point.x} ${point.y}` : next(point))).join('')
}

// --- axes -----------------------------------------------------------------------------------------------------------

/** An axis from `min` to `max`, with its marks. */
interface Axis {
  min: number
  max: number
  ticks: readonly number[]
  /** The text beside a mark. */
  format: (tick: number) => string
}

const MAX_STEPS = 5
/** What is left free at both ends: a share of the range, and of the values, since no figure of an offer is more exact. */
const [MARGIN, MIN_MARGIN] = [0.08, 0.01]
/** Marks have two decimals. */
const MIN_STEP = 0.01

const rangeOf = (values: readonly number[]): [low: number, high: number] =>
  values.length === 0 ? [0, 1] : [Math.min(...values), Math.max(...values)]

/** An axis with round marks around all values. @param values finite numbers */
function numberAxis(values: readonly number[]): Axis {
  const [low, high] = rangeOf(values)
  const margin = Math.max((high - low) * MARGIN, Math.max(Math.abs(low), Math.abs(high)) * MIN_MARGIN, MIN_STEP)
  const step = roundStep((high - low + 2 * margin) / MAX_STEPS)
  const first = Math.floor((low - margin) / step)
  const from = low >= 0 ? Math.max(0, first) : first
  const to = Math.ceil((high + margin) / step)
  // 3 × 0.1 is not 0.3 in binary.
  const ticks = Array.from({ length: to - from + 1 }, (_, at) => Number(((from + at) * step).toPrecision(12)))
  return { min: ticks[0] ?? 0, max: ticks.at(-1) ?? 1, ticks, format: formatAmount }
}

/** A step of 1, 2 or 5 times a power of ten, at least as large. */
function roundStep(step: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(step))
  const factor = [1, 2, 5].find((each) => each * magnitude >= step) ?? 10
  return Math.max(MIN_STEP, factor * magnitude)
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const TIME_STEPS = [
  HOUR / 4,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  ...[1, 2, 7, 14, 28, 91, 364].map((days) => days * DAY),
]

/** An axis of moments in UTC, in milliseconds, with marks at full hours or days. */
function timeAxis(moments: readonly number[]): Axis {
  const [first, max] = rangeOf(moments)
  const min = Math.min(first, max - HOUR)
  const step = TIME_STEPS.find((each) => (max - min) / each <= MAX_STEPS) ?? 3640 * DAY
  const from = Math.ceil(min / step) * step
  const ticks = Array.from({ length: Math.floor((max - from) / step) + 1 }, (_, at) => from + at * step)
  return { min, max, ticks, format: formatTime }
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** `18:00` or `3 Dec`. */
const formatTime = (tick: number): string =>
  tick % DAY === 0 ? dayFormat.format(tick) : new Date(tick).toISOString().slice(11, 16)

/** The place of a value in pixels, rounded to a tenth. */
const scale =
  ({ min, max }: Axis, from: number, to: number) =>
  (value: number) =>
    Math.round((from + ((value - min) / (max - min)) * (to - from)) * 10) / 10

/** Whether a limit is at most so many times the range of an axis away from it, so that it does not squash the points. */
function isNear(limit: number, { min, max }: Axis): boolean {
  const room = (max - min) * 1.5
  return limit >= min - room && limit <= max + room
}

// --- labels ---------------------------------------------------------------------------------------------------------

/** A rectangle in pixels; `x` and `y` are its left and upper edge. */
interface Box {
  x: number
  y: number
  width: number
  height: number
}

const textWidth = (text: string) => text.length * CHARACTER_WIDTH
const boxAt = (text: string, x: number, y: number): Box => ({ x, y, width: textWidth(text), height: TEXT_HEIGHT })
const boxOf = ({ x, y }: Point): Box => ({ x: x - RADIUS, y: y - RADIUS, width: 2 * RADIUS, height: 2 * RADIUS })

const overlaps = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

/**
 * Creates the function that shows a text at the first of some places that is inside of the area and overlaps nothing, or else not at all.
 * @param taken where nothing else may be; labels join them
 */
function labeller(area: Box, taken: Box[]) {
  const isInside = ({ x, y, width, height }: Box) =>
    area.x <= x && area.y <= y && x + width <= area.x + area.width && y + height <= area.y + area.height
  return (text: string, places: readonly Box[], className: string) => {
    const free = places.find((box) => isInside(box) && !taken.some((other) => overlaps(box, other)))
    if (free === undefined) return null
    taken.push(free)
    return (
      <text class={className} x={Math.round(free.x + free.width / 2)} y={Math.round(free.y) + TEXT_HEIGHT - 3}>
        {text}
      </text>
    )
  }
}

/** Below a mark of the horizontal axis. */
const placesBelow = (text: string, x: number): Box[] => [
  boxAt(text, Math.max(0, Math.min(WIDTH - textWidth(text), x - textWidth(text) / 2)), BOTTOM + 7),
]

/** Above or below the right end of a line. */
const placesOnLine = (name: string, y: number, right: number): Box[] =>
  [y - TEXT_HEIGHT - 1, y + 1].map((top) => boxAt(name, right - textWidth(name), top))

/** Above, below, right, left. */
function placesAround({ x, y, name }: Point): Box[] {
  const gap = RADIUS + 3
  return [
    ...[y - gap - TEXT_HEIGHT, y + gap].map((top) => boxAt(name, x - textWidth(name) / 2, top)),
    ...[x + gap, x - gap - textWidth(name)].map((side) => boxAt(name, side, y - TEXT_HEIGHT / 2)),
  ]
}

/** At the right of the end of steps, or so many lines down or up. */
const placesAtEnd = (name: string, right: number, y: number): Box[] =>
  [0, 1, -1, 2, -2, 3, -3].map((line) => boxAt(name, right + 6, y + (line - 0.5) * TEXT_HEIGHT))

/** Styles of charts; theme.ts defines colours and sizes. Charts keep the size of the text around them. */
export const CHART_STYLE = `.chart{margin:0;padding:0;border:0;background:none;min-width:0;max-width:30rem}.chart figcaption{font-size:var(--t3);font-weight:600;margin-bottom:var(--s2)}.chart figcaption small{display:block;font-size:var(--t4);font-weight:400;color:var(--muted)}
.plot{display:block;width:100%;height:auto;font-size:12px;fill:var(--muted);font-variant-numeric:tabular-nums}.plot text{stroke:none}.plot .value,.plot .limit-name{paint-order:stroke;stroke:var(--paper);stroke-width:3px}.plot .value{fill:var(--ink)}
.grid{stroke:var(--line);stroke-width:1}.limit{stroke:var(--badink);stroke-width:1.5;stroke-dasharray:5 3}.plot .limit-name{fill:var(--badink)}
.path{fill:none;stroke:var(--edge);stroke-width:1.5}.path.d1{stroke-dasharray:6 3}.path.d2{stroke-dasharray:2 3}.path.d3{stroke-dasharray:8 3 2 3}.path.award{stroke:var(--sectionink);stroke-width:2.5}
.dot{fill:var(--edge);stroke:var(--paper);stroke-width:1}.dot.award{fill:var(--sectionink)}.dot.open{fill:var(--paper);stroke:var(--edge);stroke-width:2}
@media (max-width:40rem){.chart{max-width:none}.plot{font-size:14px}}`
