import stringWidth from 'string-width'
import { cleanText, truncate } from '../../core/text/clean-text.js'
import { formatAmount, formatPrice } from '../../core/text/number-format.js'
import { type Axis, numberAxis, timeAxis } from './axis.js'

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

/** A rectangle in pixels; `x` and `y` are its left and upper edge. */
interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** As wide as a phone shows without scaling; the style sheet limits how far a chart grows. */
const WIDTH = 400
/** The vertical range of a plot. */
const [TOP, BOTTOM] = [18, 208]
/** Height of a line of text, and a width of a character that no usual font exceeds, so that labels do not touch. */
const [TEXT_HEIGHT, CHARACTER_WIDTH] = [14, 8.2]
const MAX_LABEL = 16
const RADIUS = 4.5
/** Line styles. */
const DASHES = 4
/** How much farther than the points a limit may lie, as a share of their range, and still be on the chart. */
const MAX_LIMIT_DISTANCE = 1.5

/** A chart: caption and SVG. Labels that have no room are left out; shapes say the same when pointed at. */
export function Chart({ title, alt, xAxis, legend, series, limits = [] }: ChartProps) {
  const isTime = xAxis === 'time'
  const all = series.flatMap(({ points }) => points)
  const ys = all.map((point) => point.y)
  const near = limits.filter(({ value }) => isNear(value, numberAxis(ys)))
  const across = (isTime ? timeAxis : numberAxis)(all.map((point) => point.x))
  const up = numberAxis([...ys, ...near.map(({ value }) => value)])
  const ends = series.map(({ name, shape }) => (shape === 'steps' ? textWidth(labelOf(name)) + 14 : 20))
  const left = Math.ceil(Math.max(...up.ticks.map((tick) => textWidth(formatPrice(tick))))) + 8
  const right = WIDTH - Math.ceil(Math.max(20, ...ends))
  const [x, y] = [scale(across, left + 4, right), scale(up, BOTTOM, TOP)]
  // What is awarded covers the others.
  const drawn = series
    .toSorted((a, b) => Number(a.awarded ?? 0) - Number(b.awarded ?? 0))
    .map((each) => ({
      ...{ ...each, name: labelOf(each.name) },
      points: each.points.map((point) => ({
        ...{ x: x(point.x), y: y(point.y), name: labelOf(each.name) },
        figures: `${isTime ? '' : `${formatAmount(point.x)} t, `}${formatPrice(point.y)}`,
      })),
    }))
  const dots = drawn.flatMap(({ shape, points }) => (shape === 'dot' || shape === 'open-dot' ? points : []))
  const taken = drawn.flatMap(({ points }) => points.map(boxOf))
  const area = { x: left, y: 0, width: WIDTH - left, height: BOTTOM + TEXT_HEIGHT / 2 }
  return (
    <figure class="chart">
      <figcaption>
        {title}
        <small>{cleanText(legend)}</small>
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
        {ticksBelow(across, x)}
        {near.map(({ name, value }) => [
          <path class="limit" d={`M${left} ${y(value)}H${right}`} />,
          label(name, limitPlaces(name, y(value), left, right), taken, area, 'limit-name'),
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
                r={shape === 'dot' || shape === 'open-dot' ? RADIUS : 3}
              >
                <title>{`${point.name}: ${point.figures}`}</title>
              </circle>
            ),
          ),
        ])}
        {withSharedNames(dots).map((dot) => label(dot.name, placesAround(dot), taken, area, 'value'))}
        {stepEnds(drawn).map(({ name, y: end, awarded }) =>
          label(name, placesAtEnd(name, right, end), taken, area, awarded ? 'value award' : 'value'),
        )}
      </svg>
    </figure>
  )
}

const textWidth = (text: string) => stringWidth(text) * CHARACTER_WIDTH
const labelOf = (text: string) => truncate(cleanText(text), MAX_LABEL)

/** Rounded to a tenth of a pixel. */
const scale =
  ({ min, max }: Axis, from: number, to: number) =>
  (value: number) =>
    Math.round((from + ((value - min) / (max - min)) * (to - from)) * 10) / 10

function isNear(limit: number, { min, max }: Axis): boolean {
  const room = (max - min) * MAX_LIMIT_DISTANCE
  return limit >= min - room && limit <= max + room
}

interface Point {
  x: number
  y: number
  name: string
}

/** What joins the points of a series. */
function pathOf(shape: Series['shape'], points: readonly Point[]): string {
  if (shape === 'dot' || shape === 'open-dot') return ''
  const next = ({ x, y }: Point) => (shape === 'line' ? `L${x} ${y}` : `H${x}V${y}`)
  return points.map((point, at) => (at === 0 ? `M${point.x} ${point.y}` : next(point))).join('')
}

// --- labels ---------------------------------------------------------------------------------------------------------

const overlaps = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

const boxOf = ({ x, y }: Point): Box => ({ x: x - RADIUS, y: y - RADIUS, width: 2 * RADIUS, height: 2 * RADIUS })
const boxAt = (text: string, x: number, y: number): Box => ({ x, y, width: textWidth(text), height: TEXT_HEIGHT })

/** A text at the first place that is inside of the area and overlaps nothing taken, which it joins; nothing if there is none. */
function label(text: string, places: readonly Box[], taken: Box[], area: Box, className: string) {
  const isInside = ({ x, y, width, height }: Box) =>
    area.x <= x && area.y <= y && x + width <= area.x + area.width && y + height <= area.y + area.height
  const free = places.find((box) => isInside(box) && !taken.some((other) => overlaps(box, other)))
  if (free === undefined) return null
  taken.push(free)
  return (
    <text class={className} x={Math.round(free.x + free.width / 2)} y={Math.round(free.y) + TEXT_HEIGHT - 3}>
      {text}
    </text>
  )
}

/** The marks of the axis below the plot that do not touch the one before. */
function ticksBelow({ ticks, format }: Axis, x: (value: number) => number) {
  const taken: Box[] = []
  const area = { x: 0, y: 0, width: WIDTH, height: BOTTOM + 26 }
  return ticks.map((tick) => {
    const text = format(tick)
    const left = Math.max(0, Math.min(WIDTH - textWidth(text), x(tick) - textWidth(text) / 2))
    return label(text, [boxAt(text, left, BOTTOM + 7)], taken, area, 'tick')
  })
}

/** Above or below the right or the left end of a limit. */
const limitPlaces = (name: string, y: number, left: number, right: number): Box[] =>
  [right - textWidth(name), left + 4].flatMap((x) => [y - TEXT_HEIGHT - 1, y + 1].map((top) => boxAt(name, x, top)))

/** Points in one place share a label. */
function withSharedNames(points: readonly Point[]): Point[] {
  const isSame = (a: Point) => (b: Point) => Math.hypot(a.x - b.x, a.y - b.y) < 2
  const firsts = points.filter((point, at) => points.findIndex(isSame(point)) === at)
  const namesAt = (point: Point) => points.filter(isSame(point)).map(({ name }) => name)
  return firsts.map((point) => ({ ...point, name: namesAt(point).join(', ') }))
}

/** Above, below, right, left, then the corners. */
function placesAround({ x, y, name }: Point): Box[] {
  const gap = RADIUS + 3
  const rows = [y - gap - TEXT_HEIGHT, y + gap]
  const [left, right, middle] = [x - gap - textWidth(name), x + gap, x - textWidth(name) / 2]
  const besides = [right, left].map((side) => boxAt(name, side, y - TEXT_HEIGHT / 2))
  const [vertical, ...corners] = [middle, right, left].map((column) => rows.map((row) => boxAt(name, column, row)))
  return [...(vertical ?? []), ...besides, ...corners.flat()]
}

/** The last points of steps, from the upper one down, so that their labels are in this order. */
const stepEnds = (series: readonly (Pick<Series, 'shape' | 'awarded'> & { points: readonly Point[] })[]) =>
  series
    .flatMap(({ shape, awarded, points }) =>
      points.slice(-1).flatMap((end) => (shape === 'steps' ? { ...end, awarded } : [])),
    )
    .sort((a, b) => a.y - b.y)

/** At the right of the end of steps, or so many lines down or up. */
const placesAtEnd = (name: string, right: number, y: number): Box[] =>
  Array.from({ length: 16 }, (_, at) => (at % 2 === 0 ? -at / 2 : (at + 1) / 2)).map((line) =>
    boxAt(name, right + 6, y + (line - 0.5) * TEXT_HEIGHT),
  )

/** Styles of charts; theme.ts defines colours and sizes. Charts keep the size of the text around them. */
export const CHART_STYLE = `.chart{margin:0;padding:0;border:0;background:none;min-width:0;max-width:30rem}.chart figcaption{font-size:var(--t3);font-weight:600;margin-bottom:var(--s2)}.chart figcaption small{display:block;font-size:var(--t4);font-weight:400;color:var(--muted)}
.plot{display:block;width:100%;height:auto;font-size:12px;fill:var(--muted);font-variant-numeric:tabular-nums}.plot text{stroke:none}.plot .value,.plot .limit-name{paint-order:stroke;stroke:var(--paper);stroke-width:3px}.plot .value{fill:var(--ink)}
.grid{stroke:var(--line);stroke-width:1}.limit{stroke:var(--badink);stroke-width:1.5;stroke-dasharray:5 3}.plot .limit-name{fill:var(--badink)}
.path{fill:none;stroke:var(--edge);stroke-width:1.5}.path.d1{stroke-dasharray:6 3}.path.d2{stroke-dasharray:2 3}.path.d3{stroke-dasharray:8 3 2 3}.path.award{stroke:var(--sectionink);stroke-width:2.5}
.dot{fill:var(--edge);stroke:var(--paper);stroke-width:1}.dot.award{fill:var(--sectionink)}.dot.open{fill:var(--paper);stroke:var(--edge);stroke-width:2}
@media (max-width:40rem){.chart{max-width:none}.plot{font-size:14px}}`
