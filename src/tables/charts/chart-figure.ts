import { cleanText, truncate } from '../../core/text/clean-text.js'
import { formatAmount, formatPrice } from '../../core/text/number-format.js'
import { escapeMarkup } from '../look/markup.js'
import { type Axis, numberAxis, timeAxis } from './axis.js'
import type { Chart, PointShape, Series } from './chart.js'
import { type Box, everyFitting, placesAround, spreadLabels, TEXT_HEIGHT, takeFree, textWidth } from './labels.js'

/** As wide as a phone shows without scaling; the style sheet limits how far a chart grows. */
const WIDTH = 400
/** The vertical range of a plot. */
const [TOP, BOTTOM] = [18, 208]
/** Labels are cut at this number of characters. */
const MAX_LABEL = 16
const [RADIUS, RING] = [4.5, 9]
/** Line styles. */
const DASHES = 4
/** How much farther than the points a limit may lie, as a share of their range, and still be on the chart. */
const MAX_LIMIT_DISTANCE = 1.5

/** The horizontal range of a plot. */
interface Plot {
  left: number
  right: number
}

interface Mark {
  name: string
  /** In words. */
  figures: string
  x: number
  y: number
  shape: PointShape
  awarded: boolean
}

/** A chart as the content of a `figure`: caption, SVG, and below it what the shapes stand for. */
export function chartFigure({ title, alt, unit, xAxis, series, limits = [] }: Chart): string {
  const isTime = xAxis === 'time'
  const all = series.flatMap(({ points }) => points)
  const [xs, ys] = [all.map((point) => point.x), all.map((point) => point.y)]
  const near = limits.filter(({ value }) => isNear(value, ys))
  const [across, up] = [isTime ? timeAxis(xs) : numberAxis(xs), numberAxis([...ys, ...near.map(({ value }) => value)])]
  const endWidths = series.map(({ shape, name }) => (shape === 'steps' ? textWidth(label(name)) + 14 : 20))
  const plot = {
    left: Math.ceil(Math.max(...up.ticks.map((tick) => textWidth(up.format(tick))))) + 8,
    right: WIDTH - Math.ceil(Math.max(20, ...endWidths)),
  }
  const [x, y] = [scale(across, plot.left + 4, plot.right), scale(up, BOTTOM, TOP)]
  const drawn = series.map(({ name, points, shape, awarded = false }) =>
    points.map((point): Mark => {
      const figures = `${isTime ? '' : `${formatAmount(point.x)} t, `}${formatPrice(point.y)}`
      return { ...{ name: label(name), figures, shape, awarded }, x: x(point.x), y: y(point.y) }
    }),
  )
  const taken = drawn.flat().map(boxOf)
  const limitLines = near.map(({ name, value }) => limitLine(name, y(value), plot, taken))
  const shapes = drawn.flat().filter(isDrawn).sort(ringsFirst)
  const dots = drawn.flat().filter(({ shape }) => shape === 'dot' || shape === 'open-dot')
  const parts = [
    ...grid(up, y, plot),
    ...axisBelow(across, x),
    ...limitLines,
    // What is awarded covers the others.
    ...[...drawn.entries()].sort(([, a], [, b]) => awardedLast(a, b)).map(([at, marks]) => joined(marks, at)),
    ...shapes.map((mark) => shapeOf(mark, `${mark.name}: ${mark.figures}`)),
    ...pointLabels(dots, taken, plot),
    ...endLabels(drawn, plot),
    isTime ? '' : element('text', { x: plot.right, y: BOTTOM + 37, 'text-anchor': 'end' }, 'Tonnes'),
  ]
  const frame = { viewBox: `0 0 ${WIDTH} ${BOTTOM + (isTime ? 26 : 42)}`, role: 'img', 'aria-label': alt }
  return [
    element('figcaption', {}, `${escapeMarkup(title)}${unit === '' ? '' : element('small', {}, escapeMarkup(unit))}`),
    element('svg', { class: 'plot', 'text-anchor': 'middle', ...frame }, parts.join('')),
    legend(series),
  ].join('')
}

/** Rounded to a tenth of a pixel. */
const tenth = (value: number) => String(Math.round(value * 10) / 10)

/** An element; numbers are rounded to a tenth of a pixel. */
function element(name: string, attributes: Readonly<Record<string, string | number>>, content = ''): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${typeof value === 'number' ? tenth(value) : escapeMarkup(value)}"`,
  )
  return `<${name}${written.join('')}>${content}</${name}>`
}

const label = (text: string) => truncate(cleanText(text), MAX_LABEL)

/** Text in its box. */
const textIn = (text: string, { x, y, width }: Box, className: string) =>
  element('text', { x: x + width / 2, y: y + TEXT_HEIGHT - 3, class: className }, escapeMarkup(text))

function scale({ min, max }: Axis, from: number, to: number) {
  return (value: number) => from + ((value - min) / (max - min)) * (to - from)
}

function isNear(limit: number, values: readonly number[]): boolean {
  const { min, max } = numberAxis(values)
  const room = (max - min) * MAX_LIMIT_DISTANCE
  return values.length > 0 && limit >= min - room && limit <= max + room
}

const isPoint = ({ shape }: Pick<Mark, 'shape'>) => shape !== 'line' && shape !== 'steps'
/** A step has a dot where its value changes. */
const isDrawn = (mark: Mark, at: number, all: readonly Mark[]) =>
  mark.shape !== 'steps' || all[at - 1]?.y !== mark.y || all[at - 1]?.name !== mark.name
const ringsFirst = (a: Mark, b: Mark) => Number(b.shape === 'ring') - Number(a.shape === 'ring')
const awardedLast = ([a]: readonly Mark[], [b]: readonly Mark[]) => Number(a?.awarded ?? 0) - Number(b?.awarded ?? 0)

function boxOf({ x, y, shape }: Pick<Mark, 'x' | 'y' | 'shape'>): Box {
  const r = shape === 'ring' ? RING + 1 : shape === 'line' ? 3 : RADIUS + 0.5
  return { x: x - r, y: y - r, width: 2 * r, height: 2 * r }
}

/** Lines across the plot with their values. */
const grid = ({ ticks, format }: Axis, y: (value: number) => number, { left, right }: Plot): string[] => [
  element('path', {
    d: ticks.map((tick) => `M${tenth(left)} ${tenth(y(tick))}H${tenth(right)}`).join(''),
    class: 'grid',
  }),
  element(
    'g',
    { 'text-anchor': 'end' },
    ticks.map((tick) => element('text', { x: left - 6, y: y(tick) + 4 }, escapeMarkup(format(tick)))).join(''),
  ),
]

/** The marks of the axis below the plot. */
function axisBelow({ ticks, format }: Axis, x: (value: number) => number): string[] {
  const labels = ticks.map((tick) => {
    const width = textWidth(format(tick))
    const left = Math.max(0, Math.min(WIDTH - width, x(tick) - width / 2))
    return { x: left, y: BOTTOM + 7, width, height: TEXT_HEIGHT, text: format(tick) }
  })
  return everyFitting(labels, 6).map((box) => textIn(box.text, box, 'tick'))
}

/** The line or the steps through the points of a series. */
function joined(marks: readonly Mark[], index: number): string {
  const [first] = marks
  if (first === undefined || isPoint(first)) return ''
  const isLine = first.shape === 'line'
  const d = marks.map(({ x, y }, at) =>
    at === 0 ? `M${tenth(x)} ${tenth(y)}` : isLine ? `L${tenth(x)} ${tenth(y)}` : `H${tenth(x)}V${tenth(y)}`,
  )
  const style = isLine ? 'd0' : first.awarded ? 'award' : `d${index % DASHES}`
  return element('path', { d: d.join(''), class: `path ${style}` })
}

/** @param hint nothing in a legend, which says it beside the shape @param ring the radius of a ring */
function shapeOf({ x, y, shape, awarded }: Omit<Mark, 'name' | 'figures'>, hint: string, ring = RING): string {
  const title = hint === '' ? '' : element('title', {}, escapeMarkup(hint))
  if (shape === 'line') return element('rect', { x: x - 2.5, y: y - 2.5, width: 5, height: 5, class: 'dot' }, title)
  if (shape === 'ring') return element('circle', { cx: x, cy: y, r: ring, class: 'ring' }, title)
  const kind = shape === 'open-dot' ? 'dot open' : awarded ? 'dot award' : 'dot'
  return element('circle', { cx: x, cy: y, r: shape === 'steps' ? 3 : RADIUS, class: kind }, title)
}

/** A dashed line across the plot, named above or below its end. */
function limitLine(name: string, y: number, { left, right }: Plot, taken: Box[]): string {
  const size = { width: textWidth(name), height: TEXT_HEIGHT }
  const places = [right - size.width, left + 4].flatMap((x) =>
    [y - TEXT_HEIGHT - 1, y + 1].map((top) => ({ x, y: top, ...size })),
  )
  const place = takeFree(places, taken, { x: left, y: 0, width: right - left, height: BOTTOM })
  const line = element('line', { x1: left, y1: y, x2: right, y2: y, class: 'limit' })
  return line + (place === undefined ? '' : textIn(name, place, 'limit-name'))
}

/** Labels beside dots, as far as they have room; points in one place share a label. */
function pointLabels(dots: readonly Mark[], taken: Box[], { left }: Plot): string[] {
  const groups: Mark[][] = []
  for (const dot of dots) {
    const group = groups.find(([first]) => first !== undefined && Math.hypot(first.x - dot.x, first.y - dot.y) < 2)
    if (group === undefined) groups.push([dot])
    else group.push(dot)
  }
  return groups.flatMap((group) => {
    const text = group.map(({ name }) => name).join(', ')
    // Farther away where a ring is around the point.
    const places = [RADIUS, RING].flatMap((radius) => placesAround(group[0] as Mark, textWidth(text), radius + 3))
    const place = takeFree(places, taken, { x: left, y: 0, width: WIDTH - left, height: BOTTOM })
    return place === undefined ? [] : [textIn(text, place, 'value')]
  })
}

/** Labels at the right of steps, moved apart where these end close to each other. */
function endLabels(drawn: readonly (readonly Mark[])[], { right }: Plot): string[] {
  const ends = drawn.flatMap((marks) => marks.at(-1) ?? []).filter(({ shape }) => shape === 'steps')
  ends.sort((a, b) => a.y - b.y)
  const ys = ends.map(({ y }) => y)
  const centres = spreadLabels(ys, BOTTOM)
  return ends.flatMap(({ name, x, y, awarded }, at) => {
    const centre = centres[at] ?? y
    const box = { x: right + 10, y: centre - TEXT_HEIGHT / 2, width: textWidth(name), height: TEXT_HEIGHT }
    const leader = `M${tenth(x + 2)} ${tenth(y)}L${tenth(right + 8)} ${tenth(centre)}`
    return [element('path', { d: leader, class: 'leader' }), textIn(name, box, awarded ? 'value award' : 'value')]
  })
}

function legend(series: readonly Series[]): string {
  const meanings = new Map<string, string>()
  for (const { meaning, shape, awarded = false } of series) {
    if (meaning === undefined || meanings.has(meaning)) continue
    const line = shape === 'line' ? element('path', { d: 'M0 6H18', class: 'path d0' }) : ''
    const shown = shapeOf({ x: 9, y: 6, shape, awarded }, '', RADIUS)
    // The style sheet gives it its size, 18 × 12.
    const key = element('svg', { class: 'key', 'aria-hidden': 'true' }, line + shown)
    meanings.set(meaning, element('li', {}, key + escapeMarkup(meaning)))
  }
  return meanings.size === 0 ? '' : element('ul', { class: 'legend' }, [...meanings.values()].join(''))
}

/** Styles of charts; theme.ts defines colours and sizes. Charts keep the size of the text around them. */
export const CHART_STYLE = `.chart{margin:0;padding:0;border:0;background:none;min-width:0;max-width:30rem}.chart figcaption{font-size:var(--t3);font-weight:600;margin-bottom:var(--s2)}.chart figcaption small{display:block;font-size:var(--t4);font-weight:400;color:var(--muted)}
.plot{display:block;width:100%;height:auto;font-size:12px;fill:var(--muted);font-variant-numeric:tabular-nums}.plot text{stroke:none}.plot .value,.plot .limit-name{paint-order:stroke;stroke:var(--chart-paper,var(--paper));stroke-width:3px}.plot .value{fill:var(--ink)}
.grid{stroke:var(--line);stroke-width:1}.limit{stroke:var(--badink);stroke-width:1.5;stroke-dasharray:5 3}.plot .limit-name{fill:var(--badink)}.leader{stroke:var(--line);stroke-width:1}
.path{fill:none;stroke:var(--edge);stroke-width:1.5}.path.d1{stroke-dasharray:6 3}.path.d2{stroke-dasharray:2 3}.path.d3{stroke-dasharray:8 3 2 3}.path.award{stroke:var(--sectionink);stroke-width:2.5}
.dot{fill:var(--edge);stroke:var(--paper);stroke-width:1}.dot.award{fill:var(--sectionink)}.dot.open{fill:var(--paper);stroke:var(--edge);stroke-width:2}.ring{fill:none;stroke:var(--sectionink);stroke-width:2.5}
.legend{display:flex;flex-wrap:wrap;gap:var(--s1) var(--s4);margin:var(--s2) 0 0;padding:0;list-style:none;font-size:var(--t4);color:var(--muted)}.legend .key{width:18px;height:12px;margin-right:var(--s1);vertical-align:-1px}
@media (max-width:40rem){.chart{max-width:none}.plot{font-size:14px}}`
