import { cleanText, truncate } from '../core/text/clean-text.js'
import {
  type Axis,
  CHART_COLOURS,
  type Chart,
  type ChartSeries,
  type ColumnChart,
  HIGHLIGHT_COLOUR,
  roundStep,
  type ScatterChart,
  scatterAxes,
} from './chart.js'
import { escapeMarkup } from './markup.js'
import { formatNumber } from './number-format-code.js'

const WIDTH = 640
const PLOT = { left: 62, top: 34, right: 630, bottom: 252 }
const LEGEND = { top: PLOT.bottom + 40, line: 17, characters: 30 }
const TICKS = 5
const LABEL_CHARACTERS = 12
/** Radius of a dot, and of a highlighted one. */
const [RADIUS, HIGHLIGHT_RADIUS] = [5, 10]

/** Renders a chart as SVG, from the same figures as the native chart in the workbook. */
export function chartSvg(chart: Chart): string {
  const { parts, bottom } = 'points' in chart ? scatterParts(chart) : columnParts(chart)
  const title = label(chart.title, WIDTH / 2, 18, { class: 'chart-title' })
  const frame = { viewBox: `0 0 ${WIDTH} ${bottom}`, role: 'img', 'aria-label': chart.alt }
  return element('svg', frame, title + parts.join(''))
}

/** What is drawn below the title, and the height of the whole. */
interface Drawing {
  parts: readonly string[]
  bottom: number
}

// --- elements --------------------------------------------------------------------------------------------------------

type Attributes = Readonly<Record<string, string | number>>

/** An element; numbers are rounded to a tenth of a pixel. */
function element(name: string, attributes: Attributes, content = ''): string {
  const written = Object.entries(attributes).map(([key, value]) => {
    const shown = typeof value === 'number' ? String(Math.round(value * 10) / 10) : escapeMarkup(value)
    return ` ${key}="${shown}"`
  })
  return `<${name}${written.join('')}>${content}</${name}>`
}

/** Text, centred unless stated. */
const label = (words: string, x: number, y: number, more: Attributes = {}) =>
  element('text', { x, y, 'text-anchor': 'middle', ...more }, escapeMarkup(cleanText(words)))
const START = { 'text-anchor': 'start' }
const END = { 'text-anchor': 'end' }
const VALUE = { class: 'value' }

type Box = Record<'x' | 'y' | 'width' | 'height', number>
/** A column or bar; its words show when the reader points at it. */
const boxSvg = (box: Box, index: number, words: string) =>
  element('rect', { ...box, fill: colour(index) }, element('title', {}, escapeMarkup(words)))

const colour = (index: number) => `#${CHART_COLOURS[index % CHART_COLOURS.length]}`
const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })

const lineSvg = (x1: number, y1: number, x2: number, y2: number, className: string) =>
  element('line', { x1, y1, x2, y2, class: className })

/** Lines across the plot with their values. */
const gridSvg = ({ ticks, at }: Scale) =>
  ticks.map(
    (tick) =>
      lineSvg(PLOT.left, at(tick), PLOT.right, at(tick), 'grid') +
      label(number.format(tick), PLOT.left - 8, at(tick) + 4, END),
  )

// --- scales ----------------------------------------------------------------------------------------------------------

/** Positions of values in pixels, and round values to mark. */
interface Scale {
  at: (value: number) => number
  ticks: readonly number[]
}

/** From 0 at the bottom to a round value at the top of the plot. */
function scaleFromZero(values: readonly number[]): Scale {
  const top = axisMaximum(values.reduce((max, value) => Math.max(max, value), 0))
  return {
    at: (value) => PLOT.bottom - ((PLOT.bottom - PLOT.top) * Math.max(0, value)) / top,
    ticks: Array.from({ length: TICKS + 1 }, (_, tick) => (top * tick) / TICKS),
  }
}

/** From one end of an axis to the other. */
function scaleOf({ min, max, step }: Axis, from: number, to: number): Scale {
  const count = Math.round((max - min) / step)
  const ticks = Array.from({ length: count + 1 }, (_, tick) => Number((min + tick * step).toPrecision(12)))
  return { at: (value) => from + ((value - min) / (max - min)) * (to - from), ticks }
}

/** The smallest axis maximum that gives five round steps. */
const axisMaximum = (max: number): number => (max > 0 ? roundStep(max / TICKS) * TICKS : 1)

// --- columns ---------------------------------------------------------------------------------------------------------

function columnParts(chart: ColumnChart): Drawing {
  const { categories, series, stacked, labelled, format } = chart
  const columns = series.filter(({ line }) => !line)
  const lines = series.filter(({ line }) => line)
  const names = categories.cached
  const figureOf = (one: ChartSeries, at: number) => one.values.cached[at] ?? 0
  const totals = names.map((_, at) => columns.reduce((sum, one) => sum + figureOf(one, at), 0))
  const each = (some: readonly ChartSeries[]) => some.flatMap((one) => names.map((_, at) => figureOf(one, at)))
  const scale = scaleFromZero([...(stacked ? totals : each(columns)), ...each(lines)])
  const slot = (PLOT.right - PLOT.left) / Math.max(1, names.length)
  const width = (slot * 0.62) / (stacked ? 1 : columns.length)
  const leftOf = (at: number) => PLOT.left + at * slot
  const boxes = names.flatMap((name, at) => {
    let below = 0
    return columns.map((one, index) => {
      const value = figureOf(one, at)
      const [x, y] = [leftOf(at) + slot * 0.19 + (stacked ? 0 : index * width), scale.at(below + value)]
      if (stacked) below += value
      const words = `${name}, ${one.name.cached[0] ?? ''}: ${number.format(value)}`
      return boxSvg({ x, y, width, height: PLOT.bottom - scale.at(value) }, index, words)
    })
  })
  const limits = lines.map(({ values }, index) => {
    const points = values.cached.flatMap((value, at) =>
      value === null ? [] : [leftOf(at), leftOf(at + 1)].map((x) => `${x.toFixed(1)},${scale.at(value).toFixed(1)}`),
    )
    return element('polyline', { points: points.join(' '), class: `limit limit${index}` })
  })
  // The value of each column, or the total of each stack; side by side, columns have no room for them.
  const values = totals.map((total, at) => {
    if (total === 0 || (!stacked && columns.length !== 1)) return ''
    const y = labelled ? PLOT.bottom - 6 : scale.at(total) - 4
    return label(formatNumber(total, format), leftOf(at) + slot / 2, y, VALUE)
  })
  const characters = Math.max(6, Math.floor((LABEL_CHARACTERS * 8) / Math.max(8, names.length))) + 3
  const labels = names.map((name, at) =>
    label(truncate(cleanText(name), characters), leftOf(at) + slot / 2, PLOT.bottom + 16),
  )
  const legend = legendSvg(chart, LEGEND.top)
  const parts = [...gridSvg(scale), ...boxes, ...limits, ...values, ...labels, legend.svg]
  return { parts, bottom: legend.bottom + 12 }
}

/** Legend entries from the left, on as many lines as needed, and the position of the last line. */
function legendSvg({ series }: ColumnChart, top: number): { svg: string; bottom: number } {
  let [x, y] = [PLOT.left, top]
  const columns = series.filter(({ line }) => !line).length
  const entries = series.map(({ name, line }, index) => {
    const words = truncate(cleanText(name.cached[0] ?? ''), LEGEND.characters)
    const width = Math.round(30 + words.length * 6.8)
    if (x + width > WIDTH && x > PLOT.left) [x, y] = [PLOT.left, y + LEGEND.line]
    const mark = line
      ? lineSvg(x, y - 4, x + 14, y - 4, `limit limit${index - columns}`)
      : element('rect', { x, y: y - 10, width: 11, height: 11, fill: colour(index) })
    const entry = mark + label(words, x + 18, y, START)
    x += width
    return entry
  })
  return { svg: entries.join(''), bottom: y }
}

// --- scatter ---------------------------------------------------------------------------------------------------------

interface Point {
  name: string
  x: number
  y: number
  highlight: boolean
}

function scatterParts(chart: ScatterChart): Drawing {
  const { xTitle, yTitle, points } = chart
  const axes = scatterAxes(chart)
  // Leaves room for half of the last label.
  const xs = scaleOf(axes.x, PLOT.left, PLOT.right - 16)
  const ys = scaleOf(axes.y, PLOT.bottom, PLOT.top + 12)
  const series = points.map(({ name, x, y, joined = false, highlight = false }) => ({
    joined,
    points: x.cached.flatMap((left, at): Point[] => {
      const up = y.cached[at] ?? null
      if (left === null || up === null) return []
      return [{ name: cleanText(name.cached[at] ?? name.cached[0]), x: xs.at(left), y: ys.at(up), highlight }]
    }),
  }))
  const lines = series.filter(({ joined }) => joined).map((one) => joinedSvg(one.points))
  const dots = series.filter(({ joined }) => !joined).flatMap((one) => one.points)
  const circles = [...dots.filter(({ highlight }) => highlight), ...dots.filter(({ highlight }) => !highlight)].map(
    dotSvg,
  )
  const below = xs.ticks.map((tick) => label(number.format(tick), xs.at(tick), PLOT.bottom + 16))
  const titles = [label(xTitle, PLOT.right, PLOT.bottom + 34, END), label(yTitle, 4, PLOT.top - 4, START)]
  return {
    parts: [...gridSvg(ys), ...below, ...lines, ...circles, ...labelsSvg(dots), ...titles],
    bottom: PLOT.bottom + 44,
  }
}

const joinedSvg = (points: readonly Point[]) =>
  element('polyline', {
    points: points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' '),
    fill: 'none',
    stroke: colour(0),
    'stroke-width': 2,
  }) + points.map(({ x, y }) => element('rect', { x: x - 3, y: y - 3, width: 6, height: 6, fill: colour(0) })).join('')

const dotSvg = ({ name, x, y, highlight }: Point) => {
  const [r, fill] = highlight ? [HIGHLIGHT_RADIUS, `#${HIGHLIGHT_COLOUR}`] : [RADIUS, '#4B3F72']
  return element('circle', { cx: x, cy: y, r, fill, stroke: '#fff' }, element('title', {}, escapeMarkup(name)))
}

/** Above, below, right or left of its dot: the first place where a label meets no other. */
function labelsSvg(dots: readonly Point[]): string[] {
  const taken: { x: number; y: number; width: number }[] = dots.map(({ x, y }) => ({ x, y: y + 4, width: 2 * RADIUS }))
  return dots.map(({ name, x, y, highlight }) => {
    const [width, gap] = [name.length * 6.6 + 4, highlight ? HIGHLIGHT_RADIUS + 3 : RADIUS + 3]
    const places = [
      { x, y: y - gap },
      { x, y: y + gap + 8 },
      { x: x + gap + width / 2, y: y + 4 },
      { x: x - gap - width / 2, y: y + 4 },
    ].filter((place) => place.x + width / 2 <= WIDTH && place.x - width / 2 >= 0)
    const isFree = (place: { x: number; y: number }) =>
      taken.every((one) => Math.abs(one.y - place.y) > 10 || Math.abs(one.x - place.x) > (one.width + width) / 2)
    const place = places.find(isFree) ?? { x, y: y - gap }
    taken.push({ ...place, width })
    return label(name, place.x, place.y, VALUE)
  })
}

/** Styles of the charts; the page defines the colours. */
export const CHART_STYLE = `svg{display:block;width:100%;height:auto;font:11px Arial,Helvetica,sans-serif;fill:var(--ink)}
.chart-title{font-size:14px;font-weight:bold}.value{font-weight:bold;paint-order:stroke;stroke:var(--paper);stroke-width:3px}.grid{stroke:var(--line);stroke-width:1}.limit{stroke:var(--badink);stroke-width:2;stroke-dasharray:6 4;fill:none}.limit1{stroke:var(--warnink)}`
