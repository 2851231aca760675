import { cleanText, truncate } from '../core/clean-text.js'
import {
  type BubbleChart,
  CHART_COLOURS,
  type Chart,
  type ChartSeries,
  type ColumnChart,
  HIGHLIGHT_COLOUR,
} from './chart.js'
import { escapeMarkup } from './markup.js'
import { formatNumber } from './number-format-code.js'

const WIDTH = 640
const PLOT = { left: 62, top: 34, right: 630, bottom: 252 }
const LEGEND = { top: PLOT.bottom + 40, line: 17, characters: 30 }
const TICKS = 5
const LABEL_CHARACTERS = 12
/** Radius of the largest bubble. */
const MAX_RADIUS = 26
/** Height of a horizontal bar with its gap, and the width of its label. */
const BAR = { slot: 22, label: 216 }

/** Renders a chart as SVG, from the same figures as the native chart in the workbook. */
export function chartSvg(chart: Chart): string {
  const { parts, bottom } =
    'bubbles' in chart ? bubbleParts(chart) : chart.horizontal ? barParts(chart) : columnParts(chart)
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

/** From the lowest to the highest value. */
function scaleOf(values: readonly number[], from: number, to: number): Scale {
  const low = values.reduce((min, value) => Math.min(min, value), Number.POSITIVE_INFINITY)
  const high = values.reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY)
  const span = high - low || Math.abs(high) || 1
  const step = axisMaximum(span) / TICKS
  const first = Math.ceil(low / step)
  const ticks = Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, at) => (first + at) * step)
  return { at: (value) => from + ((value - low) / span) * (to - from), ticks }
}

/** The smallest axis maximum that gives five round steps. */
function axisMaximum(max: number): number {
  if (!(max > 0)) return 1
  const step = max / TICKS
  const magnitude = 10 ** Math.floor(Math.log10(step))
  const nice = [1, 2, 2.5, 5, 10].find((factor) => factor * magnitude >= step) ?? 10
  return nice * magnitude * TICKS
}

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

/** Bars to both sides of 0, all series of a category in one line. */
function barParts(chart: ColumnChart): Drawing {
  const { categories, series, valueTitle, format } = chart
  const widest = series.flatMap(({ values }) => values.cached.map((value) => Math.abs(value ?? 0)))
  const middle = (BAR.label + PLOT.right) / 2
  const scale = ((PLOT.right - BAR.label) / 2 - 36) / Math.max(...widest, Number.MIN_VALUE)
  const bars = categories.cached.flatMap((category, at) => {
    const y = PLOT.top + at * BAR.slot
    const ofSeries = series.map(({ name, values }, index) => {
      const value = values.cached[at] ?? 0
      const box = {
        x: middle + Math.min(0, value * scale),
        y: y + 3,
        width: Math.abs(value * scale),
        height: BAR.slot - 6,
      }
      const [end, anchor] = value < 0 ? [box.x - 4, END] : [box.x + box.width + 4, START]
      const words = formatNumber(value, format)
      const drawn = boxSvg(box, index, `${category}, ${name.cached[0] ?? ''}: ${number.format(value)}`)
      return value === 0 ? '' : drawn + label(words, end, y + 15, { ...anchor, ...VALUE })
    })
    return [label(truncate(cleanText(category), 40), BAR.label, y + 15, END), ...ofSeries]
  })
  const bottom = PLOT.top + categories.cached.length * BAR.slot
  const axis = lineSvg(middle, PLOT.top, middle, bottom, 'grid') + label(valueTitle, middle, bottom + 16)
  const legend = legendSvg(chart, bottom + 36)
  return { parts: [axis, ...bars, legend.svg], bottom: legend.bottom + 12 }
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

// --- bubbles ---------------------------------------------------------------------------------------------------------

function bubbleParts({ bubbles, xTitle, yTitle }: BubbleChart): Drawing {
  const points = bubbles.flatMap(({ name, x, y, sizes, highlight = false }) =>
    sizes.cached.flatMap((size, at) => {
      const [px, py] = [x.cached[at] ?? null, y.cached[at] ?? null]
      if (px === null || py === null || !(Number(size) > 0)) return []
      return [{ name: cleanText(name.cached[0]), x: px, y: py, size: Number(size), highlight }]
    }),
  )
  const largest = points.reduce((max, { size }) => Math.max(max, size), 0)
  const [xValues, yValues] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const xs = scaleOf(xValues, PLOT.left + MAX_RADIUS, PLOT.right - 2 * MAX_RADIUS)
  const ys = scaleOf(yValues, PLOT.bottom - MAX_RADIUS, PLOT.top + MAX_RADIUS)
  const radiusOf = (size: number) => MAX_RADIUS * Math.sqrt(size / largest)
  const circles = points.map(({ name, x, y, size, highlight }) => {
    const words = `${name}: ${xTitle} ${number.format(x)}, ${yTitle} ${number.format(y)}, ${number.format(size)} t`
    const fill = highlight ? `#${HIGHLIGHT_COLOUR}` : colour(0)
    const circle = { cx: xs.at(x), cy: ys.at(y), r: radiusOf(size), fill, stroke: '#fff' }
    return element('circle', circle, element('title', {}, escapeMarkup(words)))
  })
  // Above and below in turn, so that neighbours in the ranking do not collide, and on top of all bubbles.
  const labels = points.map(({ name, x, y, size, highlight }, at) => {
    const offset = at % 2 === 0 ? -radiusOf(size) - 4 : radiusOf(size) + 12
    return highlight ? '' : label(name, xs.at(x), ys.at(y) + offset, VALUE)
  })
  const below = xs.ticks.map((tick) => label(number.format(tick), xs.at(tick), PLOT.bottom + 16))
  const titles = [label(xTitle, PLOT.right, PLOT.bottom + 34, END), label(yTitle, 4, PLOT.top - 4, START)]
  return { parts: [...gridSvg(ys), ...below, ...circles, ...labels, ...titles], bottom: PLOT.bottom + 44 }
}

/** Styles of the charts; the page defines the colours. */
export const CHART_STYLE = `svg{display:block;width:100%;height:auto;font:11px Arial,Helvetica,sans-serif;fill:var(--ink)}
.chart-title{font-size:14px;font-weight:bold}.value{font-weight:bold;paint-order:stroke;stroke:var(--paper);stroke-width:3px}.grid{stroke:var(--line);stroke-width:1}.limit{stroke:var(--badink);stroke-width:2;stroke-dasharray:6 4;fill:none}.limit1{stroke:var(--warnink)}`
